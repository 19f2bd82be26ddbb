"""Mends the failing test in a folder, and asks before it changes or runs anything.

    python fixer.py FOLDER [--yes]

LODGER_MODEL       provider/model; default anthropic/claude-sonnet-5-5
LODGER_BASE_URL    a server that speaks Anthropic Messages; default: the provider's own
ANTHROPIC_API_KEY  the key, under the name of the model's provider
"""

import asyncio
import os
import sys

import lodger

PROMPT = "The test in this folder fails. Find out why, mend the code, and run the test again."


async def main(folder: str, yes: bool) -> None:
    # A plain function may wait for a person: it runs on a thread of its own.
    def ask(request: lodger.PermissionRequest) -> lodger.PermissionAnswer:
        allowed = confirm(request, yes)
        return {"kind": "allow_once"} if allowed else {"kind": "deny", "feedback": "The user said no."}

    base_url = os.environ.get("LODGER_BASE_URL")
    async with await lodger.create_agent(
        cwd=folder,
        model=os.environ.get("LODGER_MODEL", "anthropic/claude-sonnet-5-5"),
        endpoint={"kind": "anthropic", "base_url": base_url} if base_url else None,
        on_permission=ask,
    ) as agent:
        turn = agent.prompt(PROMPT)
        async for event in turn:
            match event:
                case lodger.TextDeltaEvent(text=text):
                    print(text, end="", flush=True)
                case lodger.AssistantMessageEvent():
                    print()
                case lodger.ToolCallEvent(tool_name=name, target=target):
                    print(f"> {name}: {target.summary}")
        result = await turn
    print(f"\n{result.reason}: {result.usage.input_tokens} tokens in, {result.usage.output_tokens} out")


def confirm(request: lodger.PermissionRequest, yes: bool) -> bool:
    if request.diff:
        print(request.diff.rstrip())
    question = f"{request.label}: {request.target.summary}? [y/N] "
    if yes:
        print(f"{question}yes", flush=True)
    return yes or input(question).lower().startswith("y")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--yes"]):
        sys.exit("usage: python fixer.py FOLDER [--yes]")
    try:
        asyncio.run(main(os.path.abspath(sys.argv[1]), yes="--yes" in sys.argv))
    except lodger.LodgerError as error:
        sys.exit(f"\n{error}")
    except KeyboardInterrupt:
        sys.exit(130)
