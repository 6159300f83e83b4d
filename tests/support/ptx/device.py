"""Modules of PTX loaded into memory, and launches of their kernels."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from support.ptx.assembler import LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, Assembler, Program
from support.ptx.library import CFault, CLaunch, Counts, CProgram, library
from support.ptx.memory import Memory
from support.ptx.parser import ParsedModule, parse

_WORDS = (
    "{size} bytes outside any live allocation",
    "{size} bytes at an address that is no multiple of it",
    "a read of memory that nothing has written",
    "a race: {other} accessed the same memory since the last barrier",
    "a barrier in divergent code: {other} waits at another",
    "a barrier in divergent code: {other} has ended",
    "a write to memory that can only be read",
    "a division by zero",
    "no end after 200 million instructions",
    "calls more than 8 deep",
)
_SPACES = ("generic", "global", "shared", "local", "parameter")


class Fault(Exception):  # noqa: N818 - a fault is what the hardware's manuals call it
    """What a kernel did wrong: its name, the PTX line, the thread and the address are in the text."""


@dataclass(frozen=True)
class Counted:
    """What one launch cost.

    read_B, written_B: bytes of global memory, each counted once. warps, threads: that executed an instruction, summed
    over instructions. sectors: of 32 B, that accesses of warps touched; least_sectors: if each had touched as many
    bytes in a row; first_sectors: those of global memory that a block touched for the first time, reading or writing.
    passes, least_passes: the same of shared memory, of 32 words.
    """

    kernel: str
    blocks: int
    read_B: int
    written_B: int
    warps: int
    threads: int
    sectors: int
    least_sectors: int
    first_sectors: int
    passes: int
    least_passes: int


class Kernel:
    """A kernel of a loaded module."""

    def __init__(self, module: Module, name: str) -> None:
        self.name = name
        self._module = module

    @cached_property
    def program(self) -> Program:
        """Assembled at the first launch."""
        return Assembler(self._module.parsed, self.name, self._module.tables).assemble()

    @cached_property
    def reached(self) -> np.ndarray:
        """Of every instruction of the program: 1 if a thread came there."""
        return np.zeros(len(self.program.code), np.uint8)

    @property
    def was_launched(self) -> bool:
        """Whether a launch came to its end or to a fault."""
        return "reached" in vars(self) and bool(self.reached.any())

    def executed(self) -> dict[str, int]:
        """Of the kernel and each function that it calls: how many of its instructions a thread came to."""
        entries = list(self.program.entries.items())
        ends = [*(start for _, start in entries[1:]), len(self.program.code)]
        return {name: int(self.reached[start:end].sum()) for (name, start), end in zip(entries, ends, strict=True)}

    @cached_property
    def _structure(self) -> tuple[CProgram, list[np.ndarray]]:
        program = self.program
        shared = np.where(program.shared.marks(), 0xFFFFFFFF, 0).astype(np.uint32)
        local = np.where(program.local.marks(), 2, 0).astype(np.uint8)
        kept = [program.code, program.constants, shared, local]
        code, constants, shared_at, local_at = (array.ctypes.data for array in kept)
        made = CProgram(
            code,
            program.entries[program.name],
            program.register_B,
            constants,
            len(program.constants),
            shared.size,
            local.size,
        )
        made.shared_marks, made.local_marks = shared_at, local_at
        made.specials[:] = program.specials
        return made, kept

    def launch(self, grid: tuple[int, int, int], block: tuple[int, int], params: bytes) -> None:
        """Run every block. Raises Fault."""
        self._run(grid, block, params, None)

    def count(self, grid: tuple[int, int, int], block: tuple[int, int], params: bytes) -> Counted:
        """Run every block, and count what that costs. Raises Fault."""
        memory = self._module.memory
        for each in memory.everything():
            each.touched = np.zeros(each.data.size, np.uint8)
        counts = np.zeros(len(self.program.code), Counts)
        self._run(grid, block, params, counts)
        touched_B = [0, 0]
        for each in memory.everything():
            assert each.touched is not None
            for place, bit in enumerate((1, 2)):
                touched_B[place] += int(np.count_nonzero(each.touched & bit))
            each.touched = None
        sums = {name: int(counts[name].sum()) for name in counts.dtype.names or ()}
        return Counted(self.name, int(np.prod(grid)), *touched_B, **sums)

    def _run(
        self, grid: tuple[int, int, int], block: tuple[int, int], params: bytes, counts: np.ndarray | None
    ) -> None:
        if len(params) != self.program.params_B:
            raise Fault(f"{self.name} takes {self.program.params_B} B of parameters, found {len(params)} B")
        if block[0] * block[1] > 256 or min(*grid, *block) < 1:
            raise Fault(f"{self.name}: a grid of {grid} blocks of {block} threads")
        program, _ = self._structure
        rows = self._module.memory.rows()
        record = np.frombuffer(params, np.uint8)
        launch = CLaunch(grid, *block, record.ctypes.data, len(params), rows.ctypes.data, len(rows))
        launch.reached = self.reached.ctypes.data
        if counts is not None:
            launch.counts = counts.ctypes.data
        fault = CFault()
        if library().run(ctypes.byref(program), ctypes.byref(launch), ctypes.byref(fault)):
            raise Fault(self._describe(fault, block))

    def _describe(self, fault: CFault, block: tuple[int, int]) -> str:
        def thread(lane: int) -> str:
            if lane >= 510:
                return ("an atomic operation", "several threads")[lane - 510]
            return f"thread ({lane % block[0]}, {lane // block[0]})"

        what = _WORDS[fault.kind].format(size=fault.size, other=thread(fault.other))
        where = f"{thread(fault.lane)} of block {tuple(fault.block)}"
        address = f" at {self._place(fault)}" if fault.size else ""
        text = self.program.lines[fault.line]
        return f"{self.name}, line {fault.line} ({text}), {where}: {what}{address}"

    def _place(self, fault: CFault) -> str:
        window, offset = fault.address >> 60 << 60, fault.address & SHARED_WINDOW - 1
        space = _SPACES[fault.space]
        if space == "shared" or window == SHARED_WINDOW:
            return f"shared memory, {self.program.shared.name(offset)}"
        if space == "local" or window == LOCAL_WINDOW:
            return f"local memory, {self.program.local.name(offset)}"
        if window == PARAM_WINDOW:
            return f"byte {offset} of {self.program.params_B} B of parameters"
        return self._module.memory.describe(fault.address)


class Module:
    """PTX loaded into memory: its constant tables lie there, as on a device."""

    def __init__(self, ptx: str, memory: Memory) -> None:
        self.parsed: ParsedModule = parse(ptx)
        self.memory = memory
        self.tables: dict[str, int] = {}
        for name, (_, values) in self.parsed.tables.items():
            table = memory.allocate(len(values), f"the table {name}", writable=False)
            table.data[:] = np.frombuffer(values, np.uint8)
            table.known[:] = 1
            self.tables[name] = table.address
        self._kernels = {name: Kernel(self, name) for name, each in self.parsed.functions.items() if each.is_entry}

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """All of them."""
        return tuple(self._kernels.values())

    def kernel(self, name: str) -> Kernel:
        """A kernel by name. Raises KeyError."""
        return self._kernels[name]
