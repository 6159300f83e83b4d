"""Whether samples of a texture are what a precision allows, and if not, why (`docs/verifier.md`)."""

from texsamp.quality.verifier.precision import PRECISIONS, Precision
from texsamp.quality.verifier.report import LevelUse, Miss, Report
from texsamp.quality.verifier.texture import Rules, Texture
from texsamp.quality.verifier.verify import verify

__all__ = ["PRECISIONS", "LevelUse", "Miss", "Precision", "Report", "Rules", "Texture", "verify"]
