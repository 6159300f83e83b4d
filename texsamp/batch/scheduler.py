"""Whether an address is that of a dask scheduler: clients of dask that were given another one hang."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from texsamp.errors import MediaError, StateError

_SILENT_S = 30
"""How long a scheduler may be silent at the beginning."""


def check_address(scheduler: str) -> None:
    """Raise StateError for what cannot be an address."""
    from distributed.comm import get_address_host_port

    try:
        get_address_host_port(scheduler)
    except (ValueError, TypeError, NotImplementedError) as error:
        example = "must be an address of dask, as tcp://10.0.0.5:8786"
        raise StateError(f"scheduler {example}, found {scheduler!r} ({error})") from None


def ask(scheduler: str) -> None:
    """Connect once and leave. Raises MediaError where nothing answers, or something else does."""
    with ThreadPoolExecutor(1) as thread:  # the caller's, as that of a notebook, may have a loop of its own
        try:
            thread.submit(asyncio.run, _shake_hands(scheduler)).result()
        except (OSError, ValueError) as error:
            why = error if str(error) else f"silent for {_SILENT_S} s"
            raise MediaError(f"{scheduler}: no dask scheduler answers there: {why}") from None
        except MemoryError:  # other protocols' first words are the length of a very long message
            raise MediaError(f"{scheduler}: what answers there is no dask scheduler") from None


async def _shake_hands(scheduler: str) -> None:
    from distributed import Security
    from distributed.comm import connect

    told = Security().get_connection_args("client")
    channel = await asyncio.wait_for(connect(scheduler, _SILENT_S, **told), _SILENT_S)
    await channel.close()
