"""Which threads execute an instruction, for what `Executed` counts."""

from __future__ import annotations

from texsamp.emulator.eu.registers.threads import Array, Mask, Threads


def executing(threads: Threads, here: Mask, with_alone: bool = True) -> Array | None:
    """Those at the current instruction for channels `here`, not 0 for each, (threads,); None if all are.

    with_alone: those without channels, too.
    """
    if here is None:
        return None
    return threads.present(here)[:, 0] if with_alone and threads.alone is not None else threads.channel_bits(here)


def going(threads: Threads, who: Array | None) -> Array | None:
    """Of these, those that are not suspended now."""
    if not threads.suspended.any():
        return who
    found: Array = threads.upload(~threads.suspended)
    return found if who is None else found & (who != 0)
