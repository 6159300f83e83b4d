"""Commands that load state of the sampling engine itself (seeds 003:4308-4421 and 004:953-1070)."""

from texsamp.state.base import Field
from texsamp.state.command import Command
from texsamp.state.kinds import unsigned


class ChromaKey(Command, name="3DSTATE_CHROMA_KEY", header=0x79040000, dwords=4, source="003:4308-4329"):
    """Load one entry of the chroma key table; YCrCb keys hold Cr, Y and Cb in red, green and blue."""

    index = Field(1, 31, 30, unsigned, "entry of the table")
    low_alpha = Field(2, 31, 24, unsigned, "lowest alpha")
    low_red = Field(2, 23, 16, unsigned, "lowest red or Cr")
    low_green = Field(2, 15, 8, unsigned, "lowest green or Y")
    low_blue = Field(2, 7, 0, unsigned, "lowest blue or Cb")
    high_alpha = Field(3, 31, 24, unsigned, "highest alpha")
    high_red = Field(3, 23, 16, unsigned, "highest red or Cr")
    high_green = Field(3, 15, 8, unsigned, "highest green or Y")
    high_blue = Field(3, 7, 0, unsigned, "highest blue or Cb")


class PaletteLoad(Command):
    """Entries of a palette from the first on, A8R8G8B8, in the tail."""


class PaletteLoad0(
    PaletteLoad, name="3DSTATE_SAMPLER_PALETTE_LOAD0", header=0x79020000, source="004:953-1014", tail=1,
    tail_count=(1, 256),
):  # fmt: skip
    """Load the palette of formats ending in PALETTE0."""


class PaletteLoad1(
    PaletteLoad, name="3DSTATE_SAMPLER_PALETTE_LOAD1", header=0x790C0000, source="004:1016-1070", tail=1,
    tail_count=(1, 256),
):  # fmt: skip
    """Load the palette of formats ending in PALETTE1."""


class MonofilterSize(Command, name="3DSTATE_MONOFILTER_SIZE", header=0x79110000, dwords=2, source="003:4383-4421"):
    """Size of MAPFILTER_MONO."""

    width = Field(1, 5, 3, unsigned, "texels", 1, (1, 7))
    height = Field(1, 2, 0, unsigned, "texels", 1, (1, 7))
