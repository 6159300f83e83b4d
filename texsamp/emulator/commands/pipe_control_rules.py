"""What the manual says a PIPE_CONTROL may ask for together, and what it amounts to (seed 002:443-556)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from texsamp.state.commands_common import PipeControl, PostSyncOperation

_WRITE_FLUSHES = ("render_target_flush", "depth_flush", "data_cache_flush")
_READ_INVALIDATES = ("instruction_invalidate", "texture_invalidate", "constant_invalidate", "state_invalidate")
_WITH_STALL = ("snapshot_reset", "media_state_clear", "indirect_state_disable", "tlb_invalidate")
_WITH_POST_SYNC = ("store_data_index", "tlb_invalidate")
_STALLS = ("render_target_flush", "depth_flush", "pixel_scoreboard_stall", "depth_stall")
_NO_ARGUMENTS = ("opcode", "length", "address_space", "address", "immediate")


class Effects(NamedTuple):
    """A row of the truth table: what is sent down the pipe and asked for; None where the table says N/A.

    marker_sent, marker_enabled, completion_requested: of the marker behind earlier work. invalidate_pulse: read-only
    caches are invalidated at the top of the pipe.
    """

    marker_sent: bool | None
    marker_enabled: bool | None
    completion_requested: bool | None
    invalidate_pulse: bool | None


def _any(command: PipeControl, names: tuple[str, ...]) -> bool:
    return any(getattr(command, name) for name in names)


def _post_sync(command: PipeControl) -> bool:
    return command.post_sync != PostSyncOperation.NO_WRITE


_RULES: tuple[tuple[str, Callable[[PipeControl], bool]], ...] = (
    (
        "a PIPE_CONTROL with no arguments is invalid",
        lambda c: not any(value for name, value in c.values().items() if name not in _NO_ARGUMENTS),
    ),
    ("lri_post_sync requires post_sync NO_WRITE", lambda c: c.lri_post_sync and _post_sync(c)),
    *(
        (f"{name} requires cs_stall", lambda c, name=name: bool(getattr(c, name)) and not c.cs_stall)
        for name in _WITH_STALL
    ),
    *(
        (f"{name} requires a post_sync write", lambda c, name=name: bool(getattr(c, name)) and not _post_sync(c))
        for name in _WITH_POST_SYNC
    ),
    ("depth_stall requires render_target_flush clear", lambda c: c.depth_stall and c.render_target_flush),
    ("depth_stall requires depth_flush clear", lambda c: c.depth_stall and c.depth_flush),
    (
        f"cs_stall requires one of {', '.join(_STALLS)} or a post_sync write",
        lambda c: c.cs_stall and not _any(c, _STALLS) and not _post_sync(c),
    ),
)


@lru_cache(maxsize=256)
def violations(command: PipeControl) -> tuple[str, ...]:
    """Restrictions of the manual's tables that a command breaks (seed 002:468-556).

    What `sync_gfdt` needs depends on a register that replays do not have.
    """
    return tuple(text for text, broken in _RULES if broken(command))


@lru_cache(maxsize=256)
def effects(command: PipeControl) -> Effects:
    """The row of the table of caches invalidated and flushed that a command has (seed 002:443-465)."""
    flush, notify = _any(command, _WRITE_FLUSHES), bool(command.notify)
    reads, vertices = _any(command, _READ_INVALIDATES), bool(command.vertex_invalidate)
    if flush or notify:
        return Effects(True, True, True, reads)
    if reads:
        return Effects(vertices, False, False if vertices else None, True)
    return Effects(True, False, None, False) if vertices else Effects(None, None, None, None)


@lru_cache(maxsize=256)
def kinds(command: PipeControl) -> tuple[str, ...]:
    """The synchronizations of the manual that a command is (seed 002:270-343)."""
    found = []
    if _any(command, _READ_INVALIDATES) or command.vertex_invalidate:
        found.append("top-of-pipe synchronization")
    fence = command.notify or command.post_sync == PostSyncOperation.WRITE_IMMEDIATE_DATA
    if fence:
        found.append("write synchronization" if _any(command, _WRITE_FLUSHES) else "end-of-pipe synchronization")
    if flushes_for_reading(command) and command.tlb_invalidate:
        found.append("read-back synchronization by TLB invalidation")
    return tuple(found)


def flushes_for_reading(command: PipeControl) -> bool:
    """Whether a command begins one of the two recipes after which the render engine may read what it wrote."""
    written = command.post_sync == PostSyncOperation.WRITE_IMMEDIATE_DATA
    return bool(command.cs_stall) and written and _any(command, _WRITE_FLUSHES)
