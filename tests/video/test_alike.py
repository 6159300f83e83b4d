"""Kernels that read several pictures, or what was found in them, are launched only where all have one size."""

import numpy as np
import pytest
from support.interlaced import DRIVER

import texsamp as ts
from texsamp.device import get_device
from texsamp.video.deinterlace.compensation import search_motion
from texsamp.video.deinterlace.field import Field
from texsamp.video.deinterlace.field_vectors import find_vectors
from texsamp.video.deinterlace.launches import deinterlace_fields, measure_motion
from texsamp.video.deinterlace.matches import find_matches
from texsamp.video.deinterlace.parameters import DRIVER_STATE, CompensationParameters
from texsamp.video.deinterlace.statistics import StatisticsSurface
from texsamp.video.denoise import hq
from texsamp.video.denoise.launches import Before, denoise_plane, history_shape
from texsamp.video.denoise.measure import Noise
from texsamp.video.denoise.parameters import DenoiseParameters
from texsamp.video.film.variances import FilmParameters, measure_film
from texsamp.video.samples import Samples
from texsamp.video.scene_cuts import mean_change

CPU = get_device("cpu")
SIZE, OTHERS = (20, 12), [("gray", (20, 13)), ("gray", (36, 12)), ("gray10le", (20, 12))]
COMPENSATION = CompensationParameters.from_state(DRIVER_STATE)


def frame(layout="gray", size=SIZE):
    planes = [np.zeros(size[::-1], np.uint16 if "10" in layout else np.uint8)]
    return ts.Frame.from_arrays(layout, planes, *size, CPU)


def surface(size=SIZE):
    return StatisticsSurface.after_first_frame(CPU, *size)


def denoised(before, history=None, statistics=None, old_history=None):
    luma, old = (Samples.of(each, "Y") for each in (frame(), before))
    shape = history_shape(luma)
    kept, found = (np.zeros(shape, np.uint8) if given is None else given for given in (old_history, history))
    target, parameters = Samples.of(frame(), "Y"), DenoiseParameters.from_state(DRIVER_STATE)
    return denoise_plane(CPU, luma, target, Before(old, kept), found, parameters, False, statistics=statistics)


def cleaned(other, noise=("Y",), now=True):
    pictures = [None] * 8
    pictures[hq.NOW + 1] = hq.prepare(CPU, {"Y": Samples.of(other, "Y")})
    pictures[hq.NOW] = hq.prepare(CPU, {"Y": Samples.of(frame(), "Y")}) if now else None
    levels = {name: Noise(2.0, 0.0) for name in noise}
    hq.denoise_picture(CPU, pictures, {"Y": Samples.of(frame(), "Y")}, levels)


TOGETHER = {
    "motion": lambda other: measure_motion((frame(), other), (0, 1), DRIVER, surface(), surface()),
    "noisy": lambda other: measure_motion((frame(), frame()), (0, 1), DRIVER, surface(), surface(), (other, 0)),
    "search": lambda other: search_motion((frame(), other), COMPENSATION),
    "matches": lambda other: find_matches([Field(frame(), 0, other)], {}),
    "vectors": lambda other: find_vectors([Field(frame(), 0, other)]),
    "cut": lambda other: mean_change(frame(), other),
    "film": lambda other: measure_film(frame(), other, FilmParameters.from_state(DRIVER_STATE)),
    "denoise": denoised,
    "hq": cleaned,
}


@pytest.mark.parametrize(("layout", "size"), OTHERS)
@pytest.mark.parametrize("run", TOGETHER.values(), ids=TOGETHER)
def test_pictures_of_two_sizes_or_depths_are_refused(run, layout, size):
    depth = "10 bits in u16" if "10" in layout else "8 bits in u8"
    with pytest.raises(ts.StateError, match=f"must be alike .* and {size[0]}x{size[1]} of {depth}"):
        run(frame(layout, size))
    run(frame())


def woven(**found):
    fields = [Field(frame(), 0, frame(), surface(), **found)]
    return deinterlace_fields(fields, DRIVER)


LARGE = (84, 60)
FOUND = {
    "stored": (lambda: measure_motion((frame(),) * 2, (0, 1), DRIVER, surface(LARGE), surface()), "20x12, found 84x60"),
    "written": (
        lambda: measure_motion((frame(),) * 2, (0, 1), DRIVER, surface(), surface(LARGE)),
        "20x12, found 84x60",
    ),
    "vectors": (
        lambda: woven(vectors=search_motion((frame("gray", LARGE),) * 2, COMPENSATION)[1]),
        r"vectors of a field must have the shape \(12, 10\), found \(60, 42\)",
    ),
    "motions": (
        lambda: woven(motions=find_vectors([Field(frame("gray", LARGE), 0, frame("gray", LARGE))])[0]),
        r"motion about a field must have the shape \(2, 2\), found \(8, 6\)",
    ),
    "matches": (
        lambda: woven(matches=find_matches([Field(frame("gray", LARGE), 0, frame("gray", LARGE))], {})[0]),
        r"verdicts about a field must have the shape \(2, 3\), found \(8, 11\)",
    ),
    "runs": (
        lambda: find_matches(
            [Field(frame(), 0, frame())], find_matches([Field(frame("gray", LARGE), 0, frame("gray", LARGE))], {})
        ),
        r"runs of the pair of frames before must have the shape \(2, 3\), found \(8, 11\)",
    ),
    "history": (lambda: denoised(frame(), np.zeros((3, 4), np.uint8)), r"history must have the shape \(3, 5\)"),
    "kept": (
        lambda: denoised(frame(), old_history=np.zeros((2, 5), np.uint8)),
        r"picture before must have the shape \(3, 5\), found \(2, 5\)",
    ),
    "sums": (
        lambda: denoised(frame(), statistics=np.zeros((3, 5, 4), np.uint16)),
        r"statistics of denoising must have the shape \(3, 5, 5\), found \(3, 5, 4\)",
    ),
    "noise": (lambda: cleaned(frame(), noise=()), "component Y is denoised by its noise"),
    "now": (lambda: cleaned(frame(), now=False), f"is number {hq.NOW} of 8, found None"),
    "reference": (
        lambda: find_matches([Field(frame(), 0)], {}),
        "a field with matches needs its reference, found None",
    ),
    "beside": (lambda: find_vectors([Field(frame(), 0)]), "a field with motions needs its reference, found None"),
}


@pytest.mark.parametrize(("run", "message"), FOUND.values(), ids=FOUND)
def test_what_was_found_in_other_pictures_is_refused(run, message):
    with pytest.raises(ts.StateError, match=message):
        run()
