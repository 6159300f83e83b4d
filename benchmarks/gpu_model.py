"""What kernels would cost on a GPU, from their executed PTX and their CUBIN: *modeled*, nothing here is measured."""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import texsamp as ts
from benchmarks.gpu_cases import model_cases
from texsamp.device.cuda import BLOCK
from texsamp.device.nvrtc import compiler_options
from texsamp.device.sources import kernel_source, kernels_by_name

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))  # the executor belongs to the tests

WARP = 32
REGISTER_COUNT = 0x2F
"""EIATTR_REGCOUNT, a kind of note in a CUBIN's section .nv.info."""


@dataclass(frozen=True)
class Architecture:
    """Limits of one multiprocessor (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability")."""

    threads: int
    blocks: int
    shared_B: int  # noqa: N815 - the unit
    reserved_B: int  # noqa: N815
    registers: int = 65536


ARCHITECTURES = {
    "sm_75": Architecture(1024, 16, 64 << 10, 0),
    "sm_80": Architecture(2048, 32, 164 << 10, 1 << 10),
    "sm_90": Architecture(2048, 32, 228 << 10, 1 << 10),
}


@dataclass(frozen=True)
class Card:
    """Published peaks: memory bandwidth, multiprocessors, boost clock. Four warps issue in a multiprocessor's cycle."""

    bytes_per_s: float
    multiprocessors: int
    hertz: float


CARDS = {"h100": Card(3.35e12, 132, 1.98e9), "rtx4090": Card(1.008e12, 128, 2.52e9)}
ISSUED_PER_CYCLE = 4


@dataclass(frozen=True)
class ModelRow:
    """One kernel of one case.

    over_minimum: bytes of the 32-byte sectors that blocks ask for over bytes read and written, each once: what a block
    has read it finds in the multiprocessor's cache. asked: the same of what warps ask for. sectors, bank_passes:
    touched over the least for as many bytes. divergent: share of threads that stand idle in warps that go on.
    occupancy_*: share of a multiprocessor's threads. us_*: modeled, the longest of memory (each byte once), issue and
    shared memory, for the picture of the case.
    """

    case: str
    kernel: str
    launches: int
    read_B: int  # noqa: N815
    written_B: int  # noqa: N815
    over_minimum: float
    asked: float
    sectors: float
    bank_passes: float
    divergent: float
    instructions_per_thread: float
    registers: int
    shared_B: int  # noqa: N815
    occupancy_sm_75: float
    occupancy_sm_80: float
    occupancy_sm_90: float
    us_h100: float
    us_rtx4090: float


@cache
def resources(module: str, architecture: str) -> dict[str, tuple[int, int]]:
    """Registers of a thread and bytes of static shared memory of each kernel, from the ELF sections of the CUBIN."""
    from support import nvrtc

    cubin = nvrtc.compiled(kernel_source(module), f"{module}.cu", compiler_options(architecture)).cubin
    (start,) = struct.unpack_from("<Q", cubin, 40)
    step, count, of_names = struct.unpack_from("<HHH", cubin, 58)
    headers = [struct.unpack_from("<IIQQQQ", cubin, start + step * i) for i in range(count)]

    def name_at(table: tuple[int, ...], offset: int) -> str:
        return cubin[table[4] + offset :].split(b"\0", 1)[0].decode()

    sections = {name_at(headers[of_names], each[0]): each for each in headers}
    symbols, names, notes = (sections[name] for name in (".symtab", ".strtab", ".nv.info"))
    found, at = {}, notes[4]
    while at < notes[4] + notes[5]:  # each note: form, kind, size or value, and what the form 4 says the size of
        form, kind, size_B = struct.unpack_from("<BBH", cubin, at)
        if kind == REGISTER_COUNT:
            symbol, registers = struct.unpack_from("<II", cubin, at + 4)
            kernel = name_at(names, struct.unpack_from("<I", cubin, symbols[4] + 24 * symbol)[0])
            found[kernel] = (registers, sections.get(f".nv.shared.{kernel}", (0,) * 6)[5])
        at += 4 + (size_B if form == 4 else 0)
    return found


def occupancy(
    registers: int,
    shared_B: int,  # noqa: N803
    architecture: Architecture,
) -> float:
    """Share of a multiprocessor's threads that blocks of a kernel fill."""
    threads = BLOCK[0] * BLOCK[1]
    of_warp = -(-registers * WARP // 256) * 256  # registers are given to warps by 256
    limits = (
        architecture.blocks,
        architecture.threads // threads,
        architecture.registers // (of_warp * (threads // WARP)),
        architecture.shared_B // max(shared_B + architecture.reserved_B, 1),
    )
    return min(limits) * threads / architecture.threads


def modeled_s(counted: Any, card: Card) -> float:
    """The longest of what memory, issue and shared memory take, each at its peak."""
    cycles = max(counted.warps / ISSUED_PER_CYCLE, counted.passes) / card.multiprocessors
    return max((counted.read_B + counted.written_B) / card.bytes_per_s, cycles / card.hertz)


def _row(case: str, launches: list[Any]) -> ModelRow:
    first = launches[0]
    names = [field.name for field in fields(first)][1:]
    sums = type(first)(first.kernel, *(sum(getattr(each, name) for each in launches) for name in names))
    module = kernels_by_name()[first.kernel]
    registers, shared_B = resources(module, "sm_75")[first.kernel]
    # From sm_90 on the section holds what is reserved, too.
    shares = [
        occupancy(resources(module, name)[first.kernel][0], shared_B, each) for name, each in ARCHITECTURES.items()
    ]
    return ModelRow(
        case,
        first.kernel,
        len(launches),
        sums.read_B,
        sums.written_B,
        32 * sums.first_sectors / max(sums.read_B + sums.written_B, 1),
        32 * sums.sectors / max(sums.read_B + sums.written_B, 1),
        sums.sectors / max(sums.least_sectors, 1),
        sums.passes / max(sums.least_passes, 1),
        1 - sums.threads / (WARP * sums.warps),
        sums.threads / (sums.blocks * BLOCK[0] * BLOCK[1]),
        registers,
        shared_B,
        *shares,
        *(1e6 * modeled_s(sums, card) for card in CARDS.values()),
    )


def gpu_model(begin: str = "") -> list[ModelRow]:
    """Filters, textures and drawing on the stand-in for CuPy: the cases whose names begin so."""
    from support.pretended_cuda import pretended_cuda

    rows = []
    with pretended_cuda() as cupy:
        for case, run in model_cases(ts.get_device("cuda")):
            if not case.startswith(begin):
                continue
            cupy.standin.counted = counted = []
            run()
            cupy.standin.counted = None
            kernels = dict.fromkeys(each.kernel for each in counted)
            rows += [_row(case, [each for each in counted if each.kernel == kernel]) for kernel in kernels]
    return rows
