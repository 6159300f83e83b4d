"""The adaptive video scaler (AVS): `Scale` for frames, `AvsPlane` for planes driven by hardware state."""

from texsamp.video.scale.avs import AvsPlane
from texsamp.video.scale.stage import Scale
from texsamp.video.scale.tables import AvsTables

__all__ = ["AvsPlane", "AvsTables", "Scale"]
