#!/usr/bin/env python3
"""Writes models.jsonl from LiteLLM's table of prices and limits.

    pip download --no-deps litellm && unzip litellm-*.whl 'litellm/model_prices*'
    python3 refresh.py litellm/model_prices_and_context_window_backup.json VERSION

The table (MIT licence) names the vendor's own page for each model; that page is kept as `source`. Models that
cannot call tools are left out: an agent has no use for them. Prices are US dollars for a million tokens.
"""

import datetime
import json
import re
import sys
from pathlib import Path

# Our provider -> (its name in the table, the prefix of its models there).
PROVIDERS = {
    "anthropic": ("anthropic", ""),
    "openai": ("openai", ""),
    "google": ("gemini", "gemini/"),
    "xai": ("xai", "xai/"),
    "mistral": ("mistral", "mistral/"),
    "deepseek": ("deepseek", "deepseek/"),
    "groq": ("groq", "groq/"),
    "together": ("together_ai", "together_ai/"),
    "fireworks": ("fireworks_ai", "fireworks_ai/"),
    "bedrock": ("bedrock_converse", ""),
    "bedrock-mantle": ("bedrock_mantle", "bedrock_mantle/"),
    "vertex": ("vertex_ai-anthropic_models", "vertex_ai/"),
}
# Fine-tunes, and families that are not for conversations.
SKIP = re.compile(r"^ft:|audio|realtime|search|tts|robotics|lyria|deep-research|computer-use|omni|guard|embed|learnlm|gemma-2|exp-1|moderat")
# Of Amazon's models those that speak Anthropic Messages: themselves, and the profiles of several regions.
CLAUDE = re.compile(r"((global|us|eu|jp|au|apac)\.)?anthropic\.")
TODAY = datetime.date.today().isoformat()
EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]


def per_million(entry: dict, key: str) -> float | None:
    value = entry.get(key)
    return None if value is None else round(value * 1_000_000, 6)


def price(entry: dict, suffix: str = "") -> dict:
    found = {
        "input": per_million(entry, "input_cost_per_token" + suffix),
        "output": per_million(entry, "output_cost_per_token" + suffix),
        "cacheRead": per_million(entry, "cache_read_input_token_cost" + suffix),
        "cacheWrite": per_million(entry, "cache_creation_input_token_cost" + suffix),
    }
    return {name: value for name, value in found.items() if value is not None}


def tier(entry: dict) -> dict | None:
    """The dearer price of long prompts, where there is one."""
    for key in entry:
        if found := re.fullmatch(r"input_cost_per_token_above_(\d+)k_tokens", key):
            return {"aboveTokens": int(found[1]) * 1000, **price(entry, f"_above_{found[1]}k_tokens")}
    return None


def efforts(entry: dict) -> list[str]:
    """The efforts that the model takes, as far as the table knows."""
    listed = entry.get("reasoning_effort_levels") or []
    return [
        effort
        for effort in EFFORTS
        if effort in listed
        or entry.get(f"supports_{effort}_reasoning_effort")
        or (not listed and entry.get("supports_reasoning") and effort in ("low", "medium", "high"))
    ]


def model(provider: str, name: str, entry: dict) -> dict:
    row: dict = {"provider": provider, "id": name}
    if (window := entry.get("max_input_tokens")) is not None:
        row["contextWindow"] = int(window)
    if (most := entry.get("max_output_tokens")) is not None:
        row["maxOutputTokens"] = int(most)
    row["images"] = bool(entry.get("supports_vision"))
    row["documents"] = bool(entry.get("supports_pdf_input"))
    row["reasoning"] = bool(entry.get("supports_reasoning"))
    if known := efforts(entry):
        row["efforts"] = known
    if entry.get("supports_native_structured_output") or entry.get("supports_response_schema"):
        row["structuredOutput"] = True
    found = price(entry)
    if "input" in found and "output" in found:
        if long := tier(entry):
            found["long"] = long
        row["price"] = found
    if source := entry.get("source"):
        row["source"] = source
    return row


def main(table: str, version: str) -> None:
    entries = json.loads(Path(table).read_text())
    rows = []
    for ours, (theirs, prefix) in PROVIDERS.items():
        for name, entry in entries.items():
            fits = entry.get("litellm_provider") == theirs and entry.get("mode") in ("chat", "responses")
            if not fits or not entry.get("supports_function_calling") or SKIP.search(name):
                continue
            if prefix and not name.startswith(prefix):
                continue
            if ours.startswith("bedrock") and not CLAUDE.match(name.removeprefix(prefix)):
                continue
            if entry.get("deprecation_date", "9999") < TODAY:
                continue
            rows.append(model(ours, name.removeprefix(prefix), entry))
    rows.sort(key=lambda row: (row["provider"], row["id"]))
    head = {"about": "Models of the bundled catalogue; written by refresh.py, never by hand.", "from": f"litellm {version}", "asOf": TODAY}
    lines = [json.dumps(head), *(json.dumps(row, separators=(",", ":")) for row in rows)]
    Path(__file__).with_name("models.jsonl").write_text("\n".join(lines) + "\n")
    print(f"{len(rows)} models")


if __name__ == "__main__":
    main(*sys.argv[1:])
