"""A forked child: the parent's agents answer `forked`, new ones work."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import lodger
import pytest
from kit import Scripts, eventually, repeat, step, text

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    # Python 3.12 and later warn of every fork in a process with threads; that is what is tested here.
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def in_child(source: str, scripts: Scripts, **values: str) -> None:
    """Runs a program that forks while a turn streams; it fails loudly by its exit code."""
    prelude = """
        import asyncio, os, sys, warnings
        warnings.simplefilter("ignore")
        import lodger

        def child_of(work):
            pid = os.fork()
            if pid == 0:
                code = 1
                try:
                    work()
                    code = 0
                except BaseException:
                    import traceback
                    traceback.print_exc()
                finally:
                    sys.stdout.flush()
                    sys.stderr.flush()
                    LEAVE(code)
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    """
    values = {"STREAM": scripts.model(step(repeat(10_000_000))), "SHORT": scripts.model(step(text("ok"))), **values}
    constants = "\n".join(f"{name} = {value!r}" for name, value in values.items())
    program = "\n".join([textwrap.dedent(prelude), constants, "LEAVE = os._exit", textwrap.dedent(source)])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_parents_agent_answers_forked_in_the_child_and_a_new_one_works(scripts: Scripts) -> None:
    in_child(
        """
        async def main():
            agent = await lodger.create_agent(model=STREAM)
            turn = agent.prompt("go")
            events = aiter(turn)
            for _ in range(1000):
                await anext(events)

            def work():
                async def child():
                    for call in (lambda: agent.prompt("x"), lambda: agent.set_mode("ask"), agent.messages):
                        try:
                            call()
                        except lodger.ForkedError as error:
                            assert error.code == "forked"
                            assert str(os.getpid()) in error.message
                        else:
                            raise AssertionError("it worked")
                    async with await lodger.create_agent(model=SHORT) as fresh:
                        assert (await fresh.prompt("hi")).text == "ok"
                # A child has no use of the parent's loop.
                asyncio._set_running_loop(None)
                asyncio.run(child())

            for _ in range(20):
                assert child_of(work) == 0
            # The parent does not notice.
            for _ in range(1000):
                await anext(events)
            await events.aclose()
            await agent.close()

        asyncio.run(main())
        """,
        scripts,
    )


def test_the_same_holds_without_a_loop(scripts: Scripts) -> None:
    in_child(
        """
        from lodger import sync

        agent = sync.create_agent(model=STREAM)
        events = iter(agent.prompt("go"))
        for _ in range(1000):
            next(events)

        def work():
            for call in (lambda: agent.prompt("x"), agent.messages, agent.close, lambda: list(events)):
                try:
                    call()
                except lodger.ForkedError as error:
                    assert str(os.getpid()) in error.message
                else:
                    raise AssertionError("it worked")
            with sync.create_agent(model=SHORT) as fresh:
                assert fresh.prompt("hi").result().text == "ok"

        for _ in range(20):
            assert child_of(work) == 0
        for _ in range(1000):
            next(events)
        events.close()
        agent.close()
        """,
        scripts,
    )


def test_a_child_that_ends_like_any_program_does_not_hang(scripts: Scripts) -> None:
    in_child(
        """
        LEAVE = sys.exit

        async def main():
            agent = await lodger.create_agent(model=STREAM)
            events = aiter(agent.prompt("go"))
            for _ in range(10):
                for _ in range(300):
                    await anext(events)
                assert child_of(lambda: None) == 0
            await events.aclose()
            await agent.close()

        asyncio.run(main())
        """,
        scripts,
    )


def test_a_child_that_lives_on_does_not_keep_the_parents_commands_alive(scripts: Scripts, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    command = {"type": "tool_call", "toolName": "run_shell", "input": {"command": f"echo $$ > {pid_file}; sleep 600"}}
    program = textwrap.dedent(f"""
        import asyncio, os, time, warnings
        warnings.simplefilter("ignore")
        import lodger

        async def main():
            options = dict(cwd={str(tmp_path)!r}, mode="full-auto")
            agent = await lodger.create_agent(model={scripts.model(step(command))!r}, **options)
            turn = agent.prompt("go")
            while not (os.path.exists({str(pid_file)!r}) and os.path.getsize({str(pid_file)!r})):
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.05)
            if os.fork() == 0:
                os.close(1)
                time.sleep(20)
                os._exit(0)
            os._exit(0)

        asyncio.run(main())
    """)
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, timeout=60)
    pid = int(pid_file.read_text())
    began = time.monotonic()
    assert eventually(lambda: not os.path.exists(f"/proc/{pid}"))
    assert time.monotonic() - began < 15, "it lived until the forked child had ended"


def test_a_loop_of_the_child_has_a_hub_of_its_own(scripts: Scripts) -> None:
    async def one() -> str:
        async with await lodger.create_agent(model=scripts.model(step(text("ok")))) as agent:
            return (await agent.prompt("hi")).text

    assert asyncio.run(one()) == "ok"
    pid = os.fork()
    if pid == 0:
        os._exit(0 if asyncio.run(one()) == "ok" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert asyncio.run(one()) == "ok"
