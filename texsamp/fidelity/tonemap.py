"""Labels of tone mapping: no Gen7 hardware has it."""

from texsamp.fidelity.part import Part

TONEMAP = (
    Part("PQ and HLG to light, HLG's system gamma", "ours", "the equations of BT.2100, tables of 16385 codes"),
    Part("roll-off of highlights", "ours", "BT.2390's EETF on the largest of R, G, B of BT.709; docs/tonemap.md"),
    Part("BT.2020 to BT.709", "ours", "linear light; what BT.709 lacks goes toward gray; docs/tonemap.md"),
    Part("peak from the metadata", "ours", "MaxCLL, else the mastering display", option="peak", values=("metadata",)),
    Part("measured peak", "ours", "all but 1/10000 of the pixels, smoothed", option="peak", values=("auto",)),
)
