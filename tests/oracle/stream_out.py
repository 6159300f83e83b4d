"""Stream-out written out, one object, one declaration, one dword at a time (seed 004:2043-2529)."""

from __future__ import annotations


def run(state: dict, streams: dict, memory: dict[int, int], registers: dict) -> None:
    """Objects of each stream in order. memory: dwords by address. registers: offsets by buffer, counters by stream."""
    for stream in sorted(streams):
        for vertices in streams[stream]:  # each: slots of four dwords
            if state["statistics"]:
                registers["needed"][stream] += 1
            selected = [b for b in range(4) if state["selects"][stream] >> b & 1]
            fits = bool(selected)
            for b in selected:
                buffer = state["buffers"][b]
                if (
                    not buffer["enabled"]
                    or buffer["pitch"] == 0
                    or registers["offset"][b] + len(vertices) * buffer["pitch"] > buffer["end"] - buffer["base"]
                ):
                    fits = False
            if not fits:
                continue
            if state["statistics"]:
                registers["written"][stream] += 1
            for slots in vertices:
                read = slots[2 * state["read_offset"][stream] :][: 2 * state["read_length"][stream]]
                at = {b: state["buffers"][b]["base"] + registers["offset"][b] for b in selected}
                for declaration in state["declarations"][stream]:
                    b = declaration["buffer"]
                    for component in range(4):
                        if declaration["mask"] >> component & 1:
                            if not declaration["hole"] and b in at:
                                slot = declaration["slot"]
                                memory[at[b]] = read[slot][component] if slot < len(read) else 0
                            if b in at:
                                at[b] += 4
                for b in selected:
                    registers["offset"][b] += state["buffers"][b]["pitch"]


def word(declaration: dict) -> int:
    """A declaration's 16 bits (Bay Trail volume 2 part 4, pages 235-236)."""
    return (
        declaration["buffer"] << 12 | declaration["hole"] << 11 | declaration["slot"] << 4 | declaration["mask"]
    )  # fmt: skip
