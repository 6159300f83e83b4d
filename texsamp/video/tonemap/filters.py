"""Tone mapping's row of the table of filters."""

from __future__ import annotations

from texsamp.fidelity import tonemap as parts
from texsamp.video.filter_spec import Filter, Option
from texsamp.video.tonemap.stage import KINDS, ToneMap

TONEMAP = Filter(
    name="tonemap",
    aliases=("hdr2sdr",),
    stage=ToneMap,
    doc="Map HDR (PQ or HLG, BT.2020) to standard range and BT.709, and tag the result so.",
    positional=("peak",),
    examples=("tonemap", "tonemap=auto:bits=8", "tonemap=1000:white=100"),
    options=(
        Option(
            "peak",
            "peak",
            KINDS["peak"],
            "brightest light in cd/m²; metadata: what the video says, as MaxCLL or mastering display; auto: measured",
        ),
        Option(
            "white",
            "white",
            KINDS["white"],
            "light in cd/m² that becomes white; less makes the picture brighter and bends more of its highlights",
        ),
        Option("bits", "bits", KINDS["bits"], "bits of the result"),
        Option("from", "source", KINDS["from"], "what the video is; auto: as it is tagged"),
    ),
    fidelity=parts.TONEMAP,
)
