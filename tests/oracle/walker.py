"""The media object walker, loop by loop, as it is publicly described.

From outside in: a global outer loop, a global inner loop (each step of it is a local block), a local outer loop, a
local middle loop and a local inner loop (each step of it is a place, with one thread per color).
"""

from collections.abc import Iterator, Mapping, Sequence

Place = tuple[int, int, int]


def walk(fields: Mapping[str, int]) -> Iterator[Place]:
    """Column, row and color of every thread, in the order they start. fields: those of MEDIA_OBJECT_WALKER."""

    def pair(name: str) -> tuple[int, int]:
        return fields.get(f"{name}_x", 0), fields.get(f"{name}_y", 0)

    frame_x, frame_y = pair("global_resolution")
    block_x, block_y = pair("block_resolution")
    outer_x, outer_y = pair("global_start")
    unit_x, unit_y = pair("global_inner_unit")
    for _ in range(fields.get("global_loop_count", 1)):
        # What lies wholly before or behind the frame moves along the inner loop's unit if that leads towards it.
        while (
            (outer_x >= frame_x and unit_x < 0)
            or (outer_x + block_x <= 0 and unit_x > 0)
            or (outer_y >= frame_y and unit_y < 0)
            or (outer_y + block_y <= 0 and unit_y > 0)
        ):
            outer_x, outer_y = outer_x + unit_x, outer_y + unit_y
        x, y = outer_x, outer_y
        if not (-block_x < x < frame_x and -block_y < y < frame_y):
            return
        while -block_x < x < frame_x and -block_y < y < frame_y:
            # A block that reaches over an edge of the frame is smaller; positions in it count from the edge.
            width = block_x + x if x < 0 else min(block_x, frame_x - x)
            height = block_y + y if y < 0 else min(block_y, frame_y - y)
            for place_x, place_y in _block(fields, width, height):
                for color in range(fields.get("colors", 1)):
                    yield max(x, 0) + place_x, max(y, 0) + place_y, color
            x, y = x + unit_x, y + unit_y
        step_x, step_y = pair("global_outer_stride")
        outer_x, outer_y = outer_x + step_x, outer_y + step_y


def _block(fields: Mapping[str, int], width: int, height: int) -> Iterator[tuple[int, int]]:
    def pair(name: str) -> tuple[int, int]:
        return fields.get(f"{name}_x", 0), fields.get(f"{name}_y", 0)

    outer_x, outer_y = pair("local_start")
    unit_x, unit_y = pair("local_inner_unit")
    for _ in range(fields.get("local_loop_count", 1)):
        while (
            (outer_x >= width and unit_x < 0)
            or (outer_x < 0 and unit_x > 0)
            or (outer_y >= height and unit_y < 0)
            or (outer_y < 0 and unit_y > 0)
        ):
            outer_x, outer_y = outer_x + unit_x, outer_y + unit_y
        if not (0 <= outer_x < width and 0 <= outer_y < height):
            return
        middle_x, middle_y = outer_x, outer_y
        for _ in range(1 + fields.get("middle_loop_extra_steps", 0)):
            if not (0 <= middle_x < width and 0 <= middle_y < height):
                break
            x, y = middle_x, middle_y
            while 0 <= x < width and 0 <= y < height:
                yield x, y
                x, y = x + unit_x, y + unit_y
            step_x, step_y = pair("middle_loop_unit")
            middle_x, middle_y = middle_x + step_x, middle_y + step_y
        step_x, step_y = pair("local_outer_stride")
        outer_x, outer_y = outer_x + step_x, outer_y + step_y


def levels(places: Sequence[Place], deltas: Sequence[tuple[int, int]]) -> list[int]:
    """When a thread can run: one after the latest of the earlier threads of its color that it depends on.

    deltas: columns and rows from a thread to those it waits for.
    """
    done: dict[Place, int] = {}
    for x, y, color in places:
        waits_for = [done.get((x + delta_x, y + delta_y, color), -1) for delta_x, delta_y in deltas]
        done[x, y, color] = 1 + max(waits_for, default=-1)
    return [done[place] for place in places]
