"""What an agent hands out: read-only objects over the JSON."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import lodger
import pytest
from lodger._events import event_from_wire
from typing_extensions import assert_type

DELTA = {"v": 1, "seq": 7, "ts": 5, "sessionId": "ses_1", "type": "text_delta", "messageId": "msg_1", "text": "word "}
ASKED = {
    "v": 1,
    "seq": 8,
    "ts": 5,
    "sessionId": "ses_1",
    "type": "request_opened",
    "requestId": "req_1",
    "kind": "plan",
    "plan": {"plan": "first this, then that"},
}


def delta(**other: Any) -> lodger.TextDeltaEvent:
    event = event_from_wire({**DELTA, **other})
    assert isinstance(event, lodger.TextDeltaEvent)
    return event


def test_attributes_have_the_names_of_the_json_in_snake_case_and_none_for_what_is_absent() -> None:
    event = delta()
    assert (event.type, event.seq, event.session_id, event.message_id) == ("text_delta", 7, "ses_1", "msg_1")
    assert event.turn_id is None


def test_events_can_be_matched_by_class_and_the_type_of_what_is_caught_is_known() -> None:
    event: lodger.Event = delta()
    match event:
        case lodger.TextDeltaEvent(text=text):
            assert_type(text, str)
            assert text == "word "
        case _:
            pytest.fail("it is a delta")
    match event:
        case lodger.TextDeltaEvent(message_id, text):
            assert (message_id, text) == ("msg_1", "word ")
    if event.type == "text_delta":
        assert_type(event, lodger.TextDeltaEvent)


def test_nothing_can_be_set_or_added() -> None:
    event = delta()
    for name in ("text", "seq", "type", "colour"):
        with pytest.raises(AttributeError):
            setattr(event, name, "other")
    assert event.text == "word "


def test_two_are_equal_when_they_say_the_same() -> None:
    assert delta() == delta()
    assert delta() != delta(text="other")
    assert delta() != delta(seq=9)
    assert lodger.ToolResultContent("call_1", []) == lodger.ToolResultContent("call_1", [], is_error=False)
    with pytest.raises(TypeError):
        hash(delta())


def test_they_show_what_they_say() -> None:
    shown = repr(delta())
    assert shown.startswith("TextDeltaEvent(message_id='msg_1', text='word ', ")
    assert "seq=7" in shown


def test_they_can_be_copied_and_pickled() -> None:
    event = delta()
    assert copy.deepcopy(event) == pickle.loads(pickle.dumps(event)) == event


def test_the_json_can_be_had_back() -> None:
    wire = delta().to_wire()
    assert wire == DELTA
    wire["text"] = "other"
    assert delta().text == "word "


def test_a_request_says_which_kind_it_is_and_carries_that_body_alone() -> None:
    event = event_from_wire(ASKED)
    assert isinstance(event, lodger.RequestOpenedEvent)
    assert_type(event.kind, lodger.RequestKind)
    assert event.kind == "plan"
    assert event.plan is not None
    assert event.plan.plan == "first this, then that"
    assert [event.permission, event.tool, event.question] == [None] * 3


def test_an_event_of_an_unknown_type_comes_as_it_is() -> None:
    wire = {"v": 1, "seq": 7, "ts": 1, "sessionId": "ses_1", "type": "smell", "strength": 3}
    event = event_from_wire(wire)
    assert isinstance(event, lodger.UnknownEvent)
    assert (event.type, event.seq, event.wire["strength"]) == ("unknown", 7, 3)


def test_blocks_can_be_made_by_their_fields() -> None:
    block = lodger.ToolResultContent("call_1", [lodger.TextContent("seen")], is_error=True)
    content = [{"type": "text", "text": "seen"}]
    assert block.to_wire() == {"type": "tool_result", "toolCallId": "call_1", "content": content, "isError": True}
    assert block.content == [lodger.TextContent("seen")]
