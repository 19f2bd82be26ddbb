//! Events.

use std::ffi::c_void;
use std::sync::Arc;

use lodger_core::protocol::Event;

use crate::argument::{In, Text};
use crate::contain::quietly;
use crate::document::Document;
use crate::handle::{Handle, opaque, take_back};
use crate::kind;
use crate::text::lodger_str;

/// Something that happened in a turn. It is yours: lodger_event_free.
pub struct lodger_event(Handle<EventView>);
opaque!(lodger_event, EventView);

/// What a listener wants: one of `LODGER_FLOW_...`. Any other number is LODGER_FLOW_CANCEL.
pub type lodger_flow = i32;

/// The next event, please.
pub const LODGER_FLOW_CONTINUE: i32 = 0;
/// No event until lodger_turn_resume; `done` waits for it too.
pub const LODGER_FLOW_PAUSE: i32 = 1;
/// Cancel the turn, like lodger_turn_cancel. The events up to `done` still come.
pub const LODGER_FLOW_CANCEL: i32 = 2;

/// Gets an event. Called on the callback thread of the runtime, one at a time. The event is yours: free it here or
/// later.
pub type lodger_event_fn = Option<unsafe extern "C" fn(ctx: *mut c_void, event: *mut lodger_event) -> lodger_flow>;

/// An event and its JSON.
pub(crate) struct EventView {
    event: Arc<Event>,
    document: Document,
}

impl From<Arc<Event>> for EventView {
    fn from(event: Arc<Event>) -> Self {
        Self { event, document: Document::default() }
    }
}

impl EventView {
    fn json(&self) -> &str {
        quietly("", || self.document.text(|| serde_json::to_string(&*self.event).unwrap_or_default()))
    }
}

/// What kind of event it is, as a number for `switch`.
///
/// Any thread.
///
/// @param event The event. NULL gives 0.
/// @return One of `LODGER_EVENT_...`; a number that your header does not have is a kind that came later, which you
///         skip.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_event_kind(event: *const lodger_event) -> u32 {
    // SAFETY: the host keeps to the header.
    let event = unsafe { In::of(event) };
    event.peek().map_or(0, |view| kind::of_event(&view.event.body).0)
}

/// The place of the event in its session, dense from 1.
///
/// Any thread.
///
/// @param event The event. NULL gives 0.
/// @return The place.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_event_seq(event: *const lodger_event) -> u64 {
    // SAFETY: the host keeps to the header.
    let event = unsafe { In::of(event) };
    event.peek().map_or(0, |view| view.event.seq)
}

/// What kind of event it is, as it stands in its JSON: `text_delta`, `tool_call`, `done`.
///
/// Any thread.
///
/// @param event The event; it keeps the text. NULL gives no text.
/// @return The name.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_event_type(event: *const lodger_event) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let event = unsafe { In::of(event) };
    lodger_str::of_optional(event.peek().map(|view| kind::of_event(&view.event.body).1))
}

/// The piece of text that the event adds, without making any JSON: for text_delta, thinking_delta, tool_input_delta,
/// tool_progress and notice.
///
/// Any thread.
///
/// @param event The event; it keeps the text. NULL gives no text.
/// @return The piece; no text for the other kinds.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_event_text(event: *const lodger_event) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let event = unsafe { In::of(event) };
    lodger_str::of_optional(event.peek().and_then(|view| kind::text_of(&view.event.body)))
}

/// One value out of the event, by JSON Pointer: `/toolName`, `/target/summary`, `/usage/outputTokens`. The fields are
/// in docs/events.md.
///
/// Any thread.
///
/// @param event   The event; it keeps the text. NULL gives no text.
/// @param pointer A JSON Pointer (RFC 6901).
/// @return A text as it is, a number or truth value as JSON writes it; no text for anything else, and for what is not
///         there.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_event_field(event: *const lodger_event, pointer: lodger_str) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let (event, pointer) = unsafe { (In::of(event), Text::of(pointer)) };
    let (Some(view), Ok(pointer)) = (event.peek(), pointer.get("pointer")) else { return lodger_str::ABSENT };
    lodger_str::of_optional(quietly(None, || {
        view.document.field(pointer, || serde_json::to_value(&*view.event).unwrap_or_default())
    }))
}

/// The whole event as a JSON object, made at the first call.
///
/// Any thread.
///
/// @param event The event; it keeps the text. NULL gives no text.
/// @return The JSON, as in docs/events.md.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_event_json(event: *const lodger_event) -> lodger_str {
    // SAFETY: the host keeps to the header.
    let event = unsafe { In::of(event) };
    lodger_str::of_optional(event.peek().map(EventView::json))
}

/// Frees an event.
///
/// Any thread.
///
/// @param event The event. NULL is fine.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_event_free(event: *mut lodger_event) {
    // SAFETY: the host keeps to the header.
    unsafe { take_back(event) }
}
