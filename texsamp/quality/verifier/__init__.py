"""Whether samples of a texture are what a precision allows, and if not, why (`docs/verifier.md`)."""

from texsamp.quality.verifier.mono import verify_mono
from texsamp.quality.verifier.precision import PRECISIONS, Precision
from texsamp.quality.verifier.report import BoxUse, LevelUse, Miss, Report
from texsamp.quality.verifier.texture import Rules, Texture
from texsamp.quality.verifier.verify import verify

__all__ = [
    "PRECISIONS",
    "BoxUse",
    "LevelUse",
    "Miss",
    "Precision",
    "Report",
    "Rules",
    "Texture",
    "verify",
    "verify_mono",
]
