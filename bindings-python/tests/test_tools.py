"""Tools of the host: their schema, how they are called, and what the model is told."""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import json
import threading
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import lodger
import pytest
from kit import Scripts, all_events, call, result_text, results, step, text, until


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Named(TypedDict):
    name: str


async def run(scripts: Scripts, tool: Any, **given: Any) -> lodger.ToolResultEvent:
    """What the model is told when it calls the tool with this input."""
    name = tool.name if isinstance(tool, lodger.Tool) else tool.__name__
    async with await lodger.create_agent(
        model=scripts.model(step(call(name, **given)), step(text("ok"))), tools=[tool]
    ) as agent:
        return results(await all_events(agent.prompt("go")))[0]


def test_a_tool_is_described_by_its_signature() -> None:
    @lodger.tool
    async def look_up(
        name: Annotated[str, "Whom to look for"],
        kind: Literal["person", "place"],
        where: Point,
        more: Named,
        context: lodger.ToolContext,
        limit: int = 3,
        ratio: float = 0.5,
        tags: list[str] | None = None,
        extra: dict[str, bool] | None = None,
    ) -> str:
        """Looks somebody up.

        Slowly.
        """
        return name

    assert (look_up.name, look_up.description) == ("look_up", "Looks somebody up.\n\nSlowly.")
    point = {
        "type": "object",
        "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
        "required": ["x"],
        "additionalProperties": False,
    }
    named = {**point, "properties": {"name": {"type": "string"}}, "required": ["name"]}
    assert look_up.input_schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Whom to look for"},
            "kind": {"enum": ["person", "place"]},
            "where": point,
            "more": named,
            "limit": {"type": "integer"},
            "ratio": {"type": "number"},
            "tags": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
            "extra": {
                "anyOf": [{"type": "object", "additionalProperties": {"type": "boolean"}}, {"type": "null"}],
            },
        },
        "required": ["name", "kind", "where", "more"],
        "additionalProperties": False,
    }


def test_a_type_without_a_schema_points_to_input_schema() -> None:
    with pytest.raises(lodger.InvalidArgument, match=r"parameter when.*input_schema="):

        @lodger.tool
        def f(when: complex) -> None:
            """Does nothing."""


def test_a_parameter_without_a_hint_is_an_error() -> None:
    with pytest.raises(lodger.InvalidArgument, match="parameter when needs a type hint"):

        @lodger.tool
        def f(when) -> None:  # type: ignore[no-untyped-def]
            """Does nothing."""


def test_a_tool_without_a_docstring_is_an_error() -> None:
    with pytest.raises(lodger.InvalidArgument, match="docstring"):

        @lodger.tool
        def f() -> None: ...


def test_a_tool_is_still_its_function() -> None:
    @lodger.tool(name="add", description="Adds", read_only=True, timeout_ms=5)
    def plus(a: int, b: int) -> int:
        return a + b

    assert plus(1, 2) == 3
    assert plus.to_wire() == {
        "name": "add",
        "description": "Adds",
        "inputSchema": plus.input_schema,
        "readOnly": True,
        "timeoutMs": 5,
        "approval": "never",
    }


async def test_a_coroutine_function_runs_on_the_loop_with_the_context_of_the_prompt(scripts: Scripts) -> None:
    who: contextvars.ContextVar[str] = contextvars.ContextVar("who")
    loop = asyncio.get_running_loop()

    @lodger.tool
    async def whoami() -> str:
        """Says who asked."""
        assert asyncio.get_running_loop() is loop
        return who.get()

    who.set("me")
    assert result_text(await run(scripts, whoami)) == "me"


async def test_a_plain_function_runs_on_a_thread_and_does_not_hold_the_loop(scripts: Scripts) -> None:
    ticked = threading.Event()

    def slow() -> bool:
        """Waits until the loop has done something else."""
        return ticked.wait(10)

    asyncio.get_running_loop().call_later(0.05, ticked.set)
    assert result_text(await run(scripts, slow)) == "true"


async def test_input_becomes_what_the_hints_promise(scripts: Scripts) -> None:
    seen: list[Any] = []

    @lodger.tool
    async def take(at: Point, path: list[Point], ratio: float, maybe: Point | None = None) -> None:
        """Takes it."""
        seen.append((at, path, ratio, maybe))

    await run(scripts, take, at={"x": 1}, path=[{"x": 2, "y": 3}], ratio=1, maybe={"x": 4})
    assert seen == [(Point(1), [Point(2, 3)], 1.0, Point(4))]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [({}, "'city'"), ({"city": "Bern", "town": "Thun"}, "'town'")],
)
async def test_input_that_does_not_fit_is_told_to_the_model(
    scripts: Scripts, given: dict[str, Any], complaint: str
) -> None:
    @lodger.tool
    async def weather(city: str) -> str:
        """Tells the weather."""
        raise AssertionError("not called")

    result = await run(scripts, weather, **given)
    assert result.is_error
    assert complaint in result_text(result)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("plain", "plain"),
        ("", ""),
        (None, "null"),
        ({"a": [1, "ü"]}, '{"a":[1,"ü"]}'),
        (3, "3"),
        (Point(1, 2), '{"x":1,"y":2}'),
        (lodger.ToolResult("rich"), "rich"),
        ({"type": "image", "data": "x"}, '{"type":"image","data":"x"}'),
        ({"text": "see", "images": [1] * 9}, '{"text":"see","images":[1,1,1,1,1,1,1,1,1]}'),
    ],
)
async def test_what_a_tool_returns_is_told_to_the_model(scripts: Scripts, value: Any, told: str) -> None:
    @lodger.tool
    async def give() -> Any:
        """Gives it."""
        return value

    result = await run(scripts, give)
    assert (result_text(result), result.is_error) == (told, False)


async def test_a_rich_result_has_pictures_and_may_be_an_error(scripts: Scripts) -> None:
    @lodger.tool
    async def draw() -> lodger.ToolResult:
        """Draws."""
        return lodger.ToolResult("half done", [lodger.Image("image/png", b"\x89PNG\r\n\x1a\n")], is_error=True)

    result = await run(scripts, draw)
    assert result.is_error
    assert result.content == [
        lodger.TextContent("half done"),
        lodger.ImageContent(mime_type="image/png", data="iVBORw0KGgo="),
    ]


async def test_a_rich_result_may_hold_documents_after_its_pictures(scripts: Scripts) -> None:
    @lodger.tool
    async def scan() -> lodger.ToolResult:
        """Scans."""
        documents = [lodger.Document("application/pdf", b"%PDF-1.4\n", "a.pdf"), lodger.Document("text/plain", "aGk=")]
        return lodger.ToolResult("two", [lodger.Image("image/png", "iVBORw0KGgo=")], documents)

    result = await run(scripts, scan)
    assert not result.is_error
    assert result.content[2:] == [
        lodger.DocumentContent(mime_type="application/pdf", data="JVBERi0xLjQK", name="a.pdf"),
        lodger.DocumentContent(mime_type="text/plain", data="aGk="),
    ]


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("x" * (8 * 1024 * 1024 + 1), "8388609 bytes"),
        (lodger.ToolResult(images=[lodger.Image("image/png", b"x")] * 9), "9 images"),
        (lodger.ToolResult(images=[lodger.Image("image/bmp", b"x")]), "images[0].mime_type"),
        (lodger.ToolResult(documents=[lodger.Document("text/plain", b"x")] * 9), "9 documents"),
        (lodger.ToolResult(documents=[lodger.Document("text/html", b"x")]), "text/html"),
        (lodger.ToolResult(documents=[lodger.Document("application/pdf", b"x")]), "%PDF-"),
        (lodger.ToolResult(images=[lodger.Image("image/png", "no base64!")]), "images[0].data"),
        (lodger.ToolResult(images=[lodger.Image("image/png", b"x" * 4_000_000)]), "images[0].data is over"),
    ],
)
async def test_a_result_over_a_bound_fails_the_call(scripts: Scripts, value: Any, complaint: str) -> None:
    @lodger.tool
    async def give() -> Any:
        """Gives it."""
        return value

    result = await run(scripts, give)
    assert result.is_error
    assert complaint in result_text(result)


async def test_a_tool_may_return_8_mib(scripts: Scripts) -> None:
    @lodger.tool
    async def give() -> str:
        """Gives it."""
        return "x" * (8 * 1024 * 1024)

    assert not (await run(scripts, give)).is_error


async def test_a_circle_fails_the_call(scripts: Scripts) -> None:
    circle: list[Any] = []
    circle.append(circle)

    @lodger.tool
    async def give() -> Any:
        """Gives it."""
        return circle

    result = await run(scripts, give)
    assert result.is_error
    assert "ircular" in result_text(result)


async def test_pictures_that_an_exception_carries_reach_the_model(scripts: Scripts) -> None:
    @lodger.tool
    async def draw() -> None:
        """Draws."""
        raise RuntimeError("failed", lodger.ToolResult("half done", [lodger.Image("image/png", "aGVsbG8=")]))

    result = await run(scripts, draw)
    assert result.is_error
    assert result.content == [
        lodger.TextContent("half done"),
        lodger.ImageContent(mime_type="image/png", data="aGVsbG8="),
    ]


async def test_a_malformed_result_that_an_exception_carries_is_told_as_what_is_wrong_with_it(scripts: Scripts) -> None:
    @lodger.tool
    async def draw() -> None:
        """Draws."""
        raise RuntimeError(lodger.ToolResult(images=[lodger.Image("image/png", "aGVsbG8=")] * 9))

    result = await run(scripts, draw)
    assert result.is_error
    assert "9 images" in result_text(result)


async def test_a_tool_named_like_a_built_in_one_takes_its_place(scripts: Scripts, folder: Path) -> None:
    @lodger.tool
    async def run_shell(command: str) -> str:
        """Runs nothing."""
        return f"not running {command}"

    model = scripts.model(step(call("run_shell", command="ls")), step(text("ok")))
    async with await lodger.create_agent(model=model, tools=[run_shell], cwd=folder) as agent:
        assert result_text(results(await all_events(agent.prompt("go")))[0]) == "not running ls"


async def test_a_tool_that_wants_to_be_asked_for_is_in_every_mode(scripts: Scripts) -> None:
    asked: list[str] = []

    @lodger.tool(approval="ask")
    async def pay() -> str:
        """Pays."""
        raise AssertionError("ran")

    def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        asked.append(request.tool_name)
        return {"kind": "deny", "feedback": "not now"}

    model = scripts.model(step(call("pay")), step(text("ok")))
    async with await lodger.create_agent(model=model, tools=[pay], on_permission=ask, mode="full-auto") as agent:
        result = results(await all_events(agent.prompt("go")))[0]
    assert asked == ["pay"]
    assert "not now" in result_text(result)


async def test_tools_that_only_look_run_side_by_side(scripts: Scripts) -> None:
    running, both = 0, asyncio.Event()

    @lodger.tool(read_only=True)
    async def meet() -> str:
        """Waits for the other."""
        nonlocal running
        running += 1
        if running == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 60)
        return "met"

    model = scripts.model(step(call("meet"), call("meet")), step(text("ok")))
    async with await lodger.create_agent(model=model, tools=[meet]) as agent:
        assert [result_text(result) for result in results(await all_events(agent.prompt("go")))] == ["met", "met"]


async def test_a_tool_that_takes_too_long_is_told_so_and_has_failed(scripts: Scripts) -> None:
    @lodger.tool(timeout_ms=30)
    async def forever() -> None:
        """Never ends."""
        await asyncio.Event().wait()

    result = await run(scripts, forever)
    assert result.is_error
    assert "30 ms" in result_text(result)


@pytest.mark.parametrize("name", ["", "x" * 65, "not ok", "ümlaut"])
async def test_a_name_that_models_do_not_take_is_refused(scripts: Scripts, name: str) -> None:
    wrong = lodger.Tool(name, "for tests", {"type": "object"}, lambda: None)
    with pytest.raises(lodger.InvalidArgument, match=r"tools\[0\]\.name"):
        await lodger.create_agent(model=scripts.model(step(text("ok"))), tools=[wrong])


async def test_two_tools_of_one_name_are_refused(scripts: Scripts) -> None:
    same = [lodger.Tool("same", "for tests", {"type": "object"}, lambda: None) for _ in range(2)]
    with pytest.raises(lodger.InvalidArgument, match="same"):
        await lodger.create_agent(model=scripts.model(step(text("ok"))), tools=same)


@pytest.mark.parametrize("plain", [False, True])
async def test_an_exception_fails_the_call_with_its_message(scripts: Scripts, plain: bool) -> None:
    async def raises() -> None:
        """Raises."""
        raise ValueError("no such city")

    def raises_too() -> None:
        """Raises."""
        raise ValueError("no such city")

    result = await run(scripts, raises_too if plain else raises)
    assert result.is_error
    assert "no such city" in result_text(result)


async def test_a_result_that_is_not_json_fails_the_call(scripts: Scripts) -> None:
    @lodger.tool
    async def give() -> Any:
        """Gives it."""
        return threading.Lock()

    result = await run(scripts, give)
    assert result.is_error
    assert "lock" in result_text(result)


@pytest.mark.parametrize("plain", [False, True])
async def test_progress_is_shown_while_a_tool_runs(scripts: Scripts, plain: bool) -> None:
    async def count(context: lodger.ToolContext) -> str:
        """Counts."""
        for n in range(3):
            context.progress(f"{n}")
        return "done"

    def count_plainly(context: lodger.ToolContext) -> str:
        """Counts."""
        for n in range(3):
            context.progress(f"{n}")
        return "done"

    tool = lodger.tool(count_plainly if plain else count)
    model = scripts.model(step(call(tool.name)), step(text("ok")))
    async with await lodger.create_agent(model=model, tools=[tool]) as agent:
        events = await all_events(agent.prompt("go"))
    progress = [event for event in events if isinstance(event, lodger.ToolProgressEvent)]
    assert "".join(event.chunk for event in progress) == "012"
    assert {event.stream for event in progress} == {"progress"}


async def test_cancelling_the_turn_cancels_a_coroutine_tool(scripts: Scripts) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    @lodger.tool
    async def forever() -> None:
        """Never ends."""
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    model = scripts.model(step(call("forever")), step(text("ok")))
    async with await lodger.create_agent(model=model, tools=[forever]) as agent:
        turn = agent.prompt("go")
        await asyncio.wait_for(began.wait(), 60)
        turn.cancel()
        assert (await turn).reason == "cancelled"
        await asyncio.wait_for(ended.wait(), 60)


async def test_cancelling_the_turn_is_seen_by_a_plain_tool_and_does_not_wait_for_it(scripts: Scripts) -> None:
    began, seen, release = threading.Event(), threading.Event(), threading.Event()

    @lodger.tool
    def forever(context: lodger.ToolContext) -> str:
        """Ends when it is told to."""
        began.set()
        context.cancelled.wait(10)
        seen.set()
        release.wait(10)
        context.progress("too late")
        return "too late"

    model = scripts.model(step(call("forever")), step(text("ok")))
    async with await lodger.create_agent(model=model, tools=[forever]) as agent:
        turn = agent.prompt("go")
        await until(began.is_set)
        turn.cancel()
        assert (await turn).reason == "cancelled"
        await until(seen.is_set)
        release.set()


async def test_a_plain_function_may_give_an_awaitable(scripts: Scripts) -> None:
    async def later() -> str:
        return "later"

    @lodger.tool
    def give() -> Any:
        """Gives it."""
        return later()

    assert result_text(await run(scripts, give)) == "later"


async def test_a_schema_of_your_own_is_told_as_it_is(scripts: Scripts) -> None:
    @lodger.tool(input_schema={"type": "object", "properties": {"snake_case": {"type": "string"}}})
    async def take(**given: Any) -> Any:
        """Takes it."""
        return given

    result = await run(scripts, take, snake_case="kept", other_key=1)
    assert json.loads(result_text(result)) == {"snake_case": "kept", "other_key": 1}


@pytest.mark.parametrize("tools", [["x"], [5], [{"name": "x"}]])
async def test_what_is_no_function_is_no_tool(scripts: Scripts, tools: Any) -> None:
    with pytest.raises(lodger.InvalidArgument, match="tools"):
        await lodger.create_agent(model=scripts.model(step(text("ok"))), tools=tools)
