"""State of the sample_8x8 message to filter settings and back."""

from fractions import Fraction

import numpy as np
import pytest

from texsamp.state.sample_8x8 import Sample8x8SamplerState
from texsamp.video.hardware_state import avs_from_state, avs_to_state, ief_from_state, ief_to_state
from texsamp.video.presets.avs import ADAPTIVE_PRESETS, AdaptiveParameters
from texsamp.video.presets.ief import IEF_PRESETS, ief_level
from texsamp.video.scale.tables import AvsTables


@pytest.mark.parametrize("preset", ["i965", "ihd", "lanczos3", "catmull-rom", "bilinear"])
def test_tables_of_every_preset_survive_the_state_that_stores_17_phases(preset: str) -> None:
    tables = AvsTables.from_preset(preset, Fraction(3, 2), Fraction(2, 3), stored_rows=True, narrow_rgb=False)
    adaptive = ADAPTIVE_PRESETS["ihd"]
    again, adaptive_again = avs_from_state(avs_to_state(tables, adaptive))
    for name in ("table_0x", "table_0y", "table_1x", "table_1y"):
        assert np.array_equal(getattr(tables, name), getattr(again, name)), name
    assert adaptive_again == adaptive


def test_every_adaptive_field_reaches_its_own_bits() -> None:
    tables = AvsTables.from_preset("lanczos3", Fraction(1), Fraction(1), stored_rows=True, narrow_rgb=False)
    base = dict(default_sharpness=1, max_derivative4=2, max_derivative8=3, transition4=4, transition8=5)
    flags = ("bypass_x", "bypass_y", "adaptive_all_channels", "rgb_adaptive")
    for chosen in flags:
        adaptive = AdaptiveParameters(**base, **{flag: flag == chosen for flag in flags})
        assert avs_from_state(avs_to_state(tables, adaptive))[1] == adaptive


@pytest.mark.parametrize("settings", [*IEF_PRESETS.values(), *(ief_level(level) for level in range(64))], ids=str)
def test_ief_settings_survive_the_state(settings: object) -> None:
    assert ief_from_state(ief_to_state(settings)) == settings


def test_default_sampler_state_is_the_documented_ief() -> None:
    assert ief_from_state(Sample8x8SamplerState()) == IEF_PRESETS["doc"]
