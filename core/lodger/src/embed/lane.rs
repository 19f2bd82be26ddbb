//! The request lane of one turn: what the host must act on, apart from the events, so that it is never behind
//! them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use lodger_engine::Pending;
use lodger_protocol::{RequestId, TurnResult};
use serde_json::json;

use super::locked;
use super::request::OpenRequest;

/// One thing to act on.
#[derive(Debug)]
pub enum LaneItem {
    /// A request was opened: answer it, now or later.
    Opened(OpenRequest),
    /// A request that was handed over was settled without its handler; a late answer is refused.
    Withdrawn(RequestId),
    /// The turn stands on a full queue that has no reader, with no request open.
    Stalled,
    /// It moves again.
    Moving,
    /// The turn is over: always the last item, once.
    Ended(TurnResult),
}

impl LaneItem {
    /// The item for a language that answers by id. An opened request is no longer refused when it is dropped.
    #[must_use]
    pub fn into_json(self) -> serde_json::Value {
        match self {
            Self::Opened(request) => json!({ "type": "opened", "request": request.detach() }),
            Self::Withdrawn(id) => json!({ "type": "withdrawn", "requestId": id }),
            Self::Stalled => json!({ "type": "stalled" }),
            Self::Moving => json!({ "type": "moving" }),
            Self::Ended(result) => json!({ "type": "ended", "result": result }),
        }
    }
}

enum Item {
    Opened(Arc<Pending>),
    Withdrawn(RequestId),
    Stalled,
    Moving,
    Ended(Box<TurnResult>),
}

/// Bounded by the number of requests that may be open at once: a request has at most two items here.
#[derive(Default)]
pub(super) struct Lane {
    items: Mutex<VecDeque<Item>>,
}

impl Lane {
    pub(super) fn open(&self, request: Arc<Pending>) {
        let mut items = locked(&self.items);
        // What the host answered by id without taking it is of no use here any more.
        items.retain(|item| !matches!(item, Item::Opened(pending) if pending.is_settled()));
        items.push_back(Item::Opened(request));
    }

    /// True when the handler has the request and is to be told.
    pub(super) fn withdraw(&self, id: &RequestId) -> bool {
        let mut items = locked(&self.items);
        let before = items.len();
        items.retain(|item| !matches!(item, Item::Opened(pending) if pending.request.request_id == *id));
        let handed_over = items.len() == before;
        if handed_over {
            items.push_back(Item::Withdrawn(id.clone()));
        }
        handed_over
    }

    /// Notes whether the turn stands still; what was not taken yet is overtaken.
    pub(super) fn note_stalled(&self, stalled: bool) {
        let mut items = locked(&self.items);
        items.retain(|item| !matches!(item, Item::Stalled | Item::Moving));
        items.push_back(if stalled { Item::Stalled } else { Item::Moving });
    }

    pub(super) fn end(&self, result: TurnResult) {
        locked(&self.items).push_back(Item::Ended(Box::new(result)));
    }

    pub(super) fn is_empty(&self) -> bool {
        locked(&self.items).is_empty()
    }

    pub(super) fn take(&self) -> Vec<LaneItem> {
        let items: Vec<Item> = locked(&self.items).drain(..).collect();
        items
            .into_iter()
            .map(|item| match item {
                Item::Opened(pending) => LaneItem::Opened(OpenRequest::hand_over(pending)),
                Item::Withdrawn(id) => LaneItem::Withdrawn(id),
                Item::Stalled => LaneItem::Stalled,
                Item::Moving => LaneItem::Moving,
                Item::Ended(result) => LaneItem::Ended(*result),
            })
            .collect()
    }
}
