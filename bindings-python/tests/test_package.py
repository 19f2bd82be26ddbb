"""The package as a whole: what it exports, and that its hand-written halves fit the generated ones."""

from __future__ import annotations

import ast
import copy
import graphlib
import inspect
import os
import pickle
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, is_typeddict

import lodger
import lodger.sync
import pytest
from lodger import _errors, _events, _inputs, _native, _spelling, _types

PACKAGE = Path(__file__).resolve().parent.parent


def test_everything_that_is_exported_is_there() -> None:
    assert sorted(lodger.__all__) == lodger.__all__ == sorted(set(lodger.__all__))
    for name in lodger.__all__:
        assert getattr(lodger, name) is not None
    assert lodger.__version__ == _native.version()


def test_every_event_block_and_diagnostic_is_exported() -> None:
    names = {name for name in dir(_events) if name.endswith(("Event", "Content", "Diagnostic"))}
    assert names <= set(lodger.__all__)


@pytest.mark.parametrize("options", [lodger.AgentOptions, lodger.sync.AgentOptions])
def test_there_is_a_keyword_for_every_option(options: Any) -> None:
    beside = {"checkpoint", "on_permission", "on_question", "on_plan", "on_check", "on_diagnostic", "fetch"}
    assert set(_inputs.AgentOptions.__annotations__) == set(options.__annotations__) - beside
    assert beside < set(options.__annotations__)


def test_the_help_of_create_agent_names_every_keyword() -> None:
    named = re.findall(r"[a-z_]+", inspect.getdoc(lodger.create_agent) or "")
    assert set(lodger.AgentOptions.__annotations__) <= set(named)


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.strip()


def test_a_program_without_a_loop_does_without_asyncio() -> None:
    assert run("import sys, lodger.sync; print('asyncio' in sys.modules)") == "False"


def test_names_of_types_can_be_had_at_run_time_but_cost_nothing_before() -> None:
    loaded = "[name in sys.modules for name in ('lodger._types', 'lodger._inputs')]"
    assert run(f"import sys, lodger; lodger.create_agent; print({loaded})") == "[False, False]"
    assert run("import lodger; print(lodger.Mode.__args__[0], lodger.Limits.__name__)") == "ask Limits"
    assert run("from lodger import *; print(PermissionAnswer is not None, Agent.__name__)") == "True Agent"
    with pytest.raises(AttributeError, match="no attribute 'Moode'"):
        lodger.Moode  # type: ignore[attr-defined]  # noqa: B018


def test_imports_go_one_way_those_of_types_too() -> None:
    below: dict[str, set[str]] = {}
    for file in (PACKAGE / "python" / "lodger").glob("*.py"):
        nodes = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom)]
        names = {node.module or name.name for node in nodes if node.level for name in node.names}
        below[file.stem] = names
    assert list(graphlib.TopologicalSorter(below).static_order())


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="its subinterpreters are asked for in another way")
def test_a_subinterpreter_is_refused() -> None:
    program = """
        import importlib, sys
        import lodger
        name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
        interpreters = importlib.import_module(name)
        inner = "try:\\n import lodger\\nexcept ImportError as error:\\n print(error, flush=True)"
        interpreters.run_string(interpreters.create(), f"import sys; sys.path = {sys.path!r}\\n{inner}")
        print("the first one lives on", lodger.__version__)
    """
    first, second = run(textwrap.dedent(program)).splitlines()
    assert "does not support loading in subinterpreters" in first
    assert second == f"the first one lives on {lodger.__version__}"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("provider_auth", lodger.ProviderError),
        ("invalid_options", lodger.InvalidArgument),
        ("session_busy", lodger.SessionError),
        ("request_settled", lodger.RequestError),
        ("checkpoint_corrupt", lodger.CheckpointError),
        ("closed", lodger.ClosedError),
        ("forked", lodger.ForkedError),
        ("internal", lodger.LodgerError),
        ("something_new", lodger.LodgerError),
    ],
)
def test_an_error_has_the_class_of_its_code(code: str, kind: type) -> None:
    assert type(_errors.error(code, "why")) is kind


def test_an_error_tells_all_that_the_engine_told() -> None:
    wire: _types.Error = {
        "code": "provider_rate_limited",
        "message": "slow down",
        "retryable": True,
        "retryAfterMs": 1500,
        "data": {"status": 429},
    }
    for error in (made := _errors.error_from_wire(wire), copy.copy(made), pickle.loads(pickle.dumps(made))):
        assert str(error) == "provider_rate_limited: slow down"
        assert (error.retryable, error.retry_after_ms, error.data) == (True, 1500, {"status": 429})
        assert isinstance(error, lodger.ProviderError)


def test_every_name_is_the_same_there_and_back() -> None:
    kinds = [kind for kind in vars(_inputs).values() if is_typeddict(kind)]
    names = {name for kind in kinds for name in kind.__annotations__}
    assert "max_steps" in names
    assert {_spelling.snake(_spelling.camel(name)) for name in names} == names


@pytest.mark.parametrize(
    ("code", "said", "reads"),
    [
        ("provider_auth", "`auth.apiKey` is not set", "`auth.api_key` is not set"),
        ("checkpoint_too_large", "limits.maxCheckpointBytes allows 10", "limits.max_checkpoint_bytes allows 10"),
        ("provider_rejected", "generationConfig.maxOutputTokens: baseUrl", None),
        ("invalid_options", "`cwd`: expected a folder: /srv/maxSteps/apiKey", None),
        ("invalid_options", "script a.json: missing field `toolName`", None),
        ("invalid_options", "option env.set.fooBar: expected a text", None),
    ],
)
def test_an_error_spells_options_in_python_and_the_words_of_others_as_they_are(
    code: str, said: str, reads: str | None
) -> None:
    assert _spelling.in_python(code, said) == (reads or said)


def test_the_native_half_is_what_its_stub_says() -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "lodger._native", "--mypy-config-file", "pyproject.toml"]
    done = subprocess.run(
        command, cwd=PACKAGE, env={**os.environ, "MYPYPATH": "python"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
