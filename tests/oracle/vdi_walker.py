"""Which half-slice media objects go to when two deinterlacers share a frame (seed 003:3943-4009, repaired as hole I24).

The text counts half-slices from 1 here; its second subtraction of HS1 has to be HS2, and what the outermost condition
leaves out has no remainder.
"""


def dispatch(frame_width: int, frame_height: int, block_height: int, stride: int) -> list[int]:
    """Half-slice, 1 or 2, of every media object in turn."""
    fw = frame_width // 16
    fh = frame_height // block_height
    remainder_hs1 = remainder_hs2 = 0
    if fh % 2**stride != 0:
        remainder = fh % 2**stride
        if remainder > 2**stride // 2:
            remainder_hs1 = 2**stride // 2
            remainder_hs2 = remainder - 2**stride // 2
        else:
            remainder_hs1 = remainder
    ping_pong = fw * fh - (fw * remainder_hs1 + fw * remainder_hs2)
    order = [1 if i % 2 == 0 else 2 for i in range(ping_pong)]
    return order + [1] * (fw * remainder_hs1) + [2] * (fw * remainder_hs2)
