"""`Sampler`: how a surface is filtered and addressed, as SAMPLER_STATE and its border color."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from texsamp.cached import cached_property
from texsamp.device.arguments import is_integer, is_real
from texsamp.errors import StateError
from texsamp.sampler.gen9 import as_gen7
from texsamp.sampler.words import code_of
from texsamp.state.base import Buffer
from texsamp.state.gen9 import SamplerStateGen9
from texsamp.state.generation import Generation
from texsamp.state.sampler import (
    AddressControl,
    AnisotropicAlgorithm,
    BorderColorMode,
    ChromaKeyMode,
    CubeControl,
    MapFilter,
    MaxAnisotropy,
    MipFilter,
    SamplerState,
    ShadowFunction,
    TrilinearQuality,
)
from texsamp.surface.texel_formats import Border

_FILTERS = {
    "nearest": MapFilter.NEAREST,
    "linear": MapFilter.LINEAR,
    "anisotropic": MapFilter.ANISOTROPIC,
    "mono": MapFilter.MONO,
}
_MIP_FILTERS = {"none": MipFilter.NONE, "nearest": MipFilter.NEAREST, "linear": MipFilter.LINEAR}
_ADDRESSES = {
    "wrap": AddressControl.WRAP,
    "mirror": AddressControl.MIRROR,
    "clamp": AddressControl.CLAMP,
    "cube": AddressControl.CUBE,
    "border": AddressControl.CLAMP_BORDER,
    "mirror_once": AddressControl.MIRROR_ONCE,
    "half_border": AddressControl.HALF_BORDER,
}
_MODES = {"dx10": BorderColorMode.DX10_OGL, "dx9": BorderColorMode.DX9}
_ALGORITHMS = {"legacy": AnisotropicAlgorithm.LEGACY, "ewa": AnisotropicAlgorithm.EWA}
_COMPARES = {
    # A result of 1 where `reference op texel`, as the rest of the world has it, by the function that gives 0 there.
    "never": ShadowFunction.ALWAYS,
    "less": ShadowFunction.LEQUAL,
    "equal": ShadowFunction.NOTEQUAL,
    "lequal": ShadowFunction.LESS,
    "greater": ShadowFunction.GEQUAL,
    "notequal": ShadowFunction.EQUAL,
    "gequal": ShadowFunction.GREATER,
    "always": ShadowFunction.NEVER,
}
_KEY_MODES = {"kill": ChromaKeyMode.KILL_ON_ANY_MATCH, "replace": ChromaKeyMode.REPLACE_BLACK}
_QUALITIES = {"full": TrilinearQuality.FULL, "med": TrilinearQuality.MED, "low": TrilinearQuality.LOW}

Key = tuple[int, int, int, int]
"""Red (or Cr), green (Y), blue (Cb) and alpha as bytes of 3DSTATE_CHROMA_KEY."""
Filter = Literal["nearest", "linear", "anisotropic", "mono"]
Address = Literal["wrap", "mirror", "clamp", "cube", "border", "mirror_once", "half_border"]


def _listed(values: Any) -> tuple[Any, ...]:
    """The values of a sequence; what is none counts as one value."""
    try:
        return tuple(values)
    except TypeError:
        return (values,)


def _three(what: str, value: Any) -> tuple[Any, Any, Any]:
    """One value for all axes, or one for each of u, v and r; the last is repeated."""
    words = (value,) if isinstance(value, str) else _listed(value)
    if not 1 <= len(words) <= 3:
        raise StateError(f"{what} takes one value or one for each of 3 axes, found {len(words)}")
    made = (*words, *[words[-1]] * (3 - len(words)))
    return made[0], made[1], made[2]


def _truth(what: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise StateError(f"{what} must be true or false, found {value!r}")
    return bool(value)


def _color(border: Sequence[float]) -> tuple[float, ...]:
    numbers = _listed(border)
    if len(numbers) != 4 or not all(is_real(number) for number in numbers):
        raise StateError(f"border must be four numbers (red, green, blue, alpha), found {border!r}")
    try:
        return tuple(float(number) for number in numbers)
    except OverflowError as error:
        raise StateError(f"border must be four numbers that a float can hold, found {border!r}") from error


def _bytes_of_key(key: tuple[Sequence[int], Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    ends = tuple(_listed(end) for end in _listed(key))
    if len(ends) != 2 or any(
        len(end) != 4 or not all(is_integer(each) and 0 <= each <= 255 for each in end) for end in ends
    ):
        raise StateError(f"chroma_key must be two times four integers from 0 to 255, lowest and highest, found {key!r}")
    return tuple(tuple(int(each) for each in end) for end in ends)


def _ratiocode_of(ratio: int) -> MaxAnisotropy:
    if not is_integer(ratio) or ratio not in range(2, 17, 2):
        raise StateError(f"max_anisotropy must be one of 2, 4, 6, 8, 10, 12, 14, 16, found {ratio!r}")
    return MaxAnisotropy(ratio // 2 - 1)


@dataclass(frozen=True, init=False, repr=False)
class Sampler:
    """State of the sampling engine: SAMPLER_STATE (seed 003:3222) and the border color it points to (003:4199)."""

    state: SamplerState
    border: tuple[float, float, float, float]
    chroma_key: tuple[Key, Key] | None
    mono_size: tuple[int, int]
    compares: bool
    """Whether it was made to compare: sampling without references is then a mistake."""
    may_compare: bool = field(compare=False)
    """Whether somebody said how: sampling with references is a mistake otherwise."""
    lenient: ClassVar[bool] = False
    """Whether what the manual forbids and drivers do is carried out: integers of volumes and cubes, gathered, and with
    a border color, of which `border` holds the unsigned codes; comparison with texels of any format."""
    exact: bool
    """Whether weights and LODs are float32, not the hardware's 1/256."""

    def __init__(
        self,
        *,
        min_filter: Filter | None = None,
        mag_filter: Filter | None = None,
        mip_filter: Literal["none", "nearest", "linear"] = "linear",
        filter: Literal["hardware", "exact"] = "hardware",
        address: Address | Sequence[Address] = "wrap",
        normalized: bool = True,
        rounding: bool | Sequence[bool] | None = None,
        border: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        border_mode: Border = "dx10",
        lod_bias: float = 0.0,
        min_lod: float = 0.0,
        max_lod: float = 14.0,
        base_level: float = 0.0,
        lod_preclamp: bool = False,
        trilinear_quality: Literal["full", "med", "low"] = "full",
        shadow: str | None = None,
        compare: str | None = None,
        cube: Literal["seamless", "programmed"] = "seamless",
        max_anisotropy: int | None = None,
        anisotropy: Literal["legacy", "ewa"] = "legacy",
        chroma_key: tuple[Sequence[int], Sequence[int]] | None = None,
        chroma_key_mode: Literal["kill", "replace"] = "kill",
        mono_size: tuple[int, int] | None = None,
    ) -> None:
        """Make a state from words.

        min_filter, mag_filter: inside a level; linear, or mono if ``mono_size`` is given, or anisotropic if
            ``max_anisotropy`` is. mip_filter: between levels.
        filter: with weights and LODs of 1/256, as the hardware, or ``exact``: of float32, ours, and with gradients
            (docs/exact-sampling.md).
        address: what lies outside of the texture, for all axes or for each of u, v, r; words of
            OpenGL (``repeat``) go, too.
        normalized: whether coordinates go from 0 to 1; else they count texels (2D and 3D, one level, address clamp,
            border or half_border).
        rounding: whether coordinates are rounded to 1/256 texel instead of truncated, for all axes or each; None:
            rounded where the filter is linear, as drivers program it.
        border: red, green, blue, alpha. border_mode: ``dx10`` (float, not in channels that the format lacks) or ``dx9``
            (8 bits, in every channel).
        lod_bias: -16 to 15.99; min_lod, max_lod: 0 to 14; base_level: 0 to 14, in halves, the LOD from which on the
            texture is magnified; lod_preclamp: clamp before that is decided (OpenGL).
        trilinear_quality: below which part a level is left out: ``med`` 25 %, ``low`` 37.5 %.
        shadow: comparison of `sample` with ``compare``: always, never, less, equal, lequal, greater, notequal, gequal.
            As in the hardware it is `texel op reference`, and the result 0 where it holds, 1 where it does not.
        compare: the same as OpenGL, Vulkan and Direct3D say it: 1 where `reference op texel` holds, else 0. Sampling
            without references is an error then; with references it is one without ``shadow`` and ``compare``.
        max_anisotropy: largest ratio of the anisotropic filter: 2, 4, 6, 8, 10, 12, 14 or 16 (003:3431); else 16;
            1 is no anisotropy, as in OpenGL.
        anisotropy: how its line is found: the longer derivative (``legacy``), or the ellipse's axis (``ewa``).
        chroma_key: lowest and highest red, green, blue and alpha, 0 to 255, of texels that match (003:668-692); for
            YCrCb Cr, Y, Cb and alpha. Bytes of SNORM channels are sign and magnitude. A channel that the format lacks
            must have the full range.
        chroma_key_mode: ``kill`` marks samples that such texels contribute to (`sample_killpix`), ``replace`` makes the
            texels black, alpha 0, before filtering.
        mono_size: columns and rows of the monochrome filter (3DSTATE_MONOFILTER_SIZE), 1 to 7 each, for MONO8 surfaces.
        cube: ``seamless`` filters cubes across their edges whatever ``address`` says; ``programmed`` does as it says.

        Raises StateError for anything else.
        """
        u, v, r = (code_of("address", word, _ADDRESSES) for word in _three("address", address))
        is_isotropic = max_anisotropy is None or (is_integer(max_anisotropy) and max_anisotropy == 1)
        ratio = 16 if max_anisotropy is None or is_isotropic else max_anisotropy
        default = "mono" if mono_size is not None else "linear" if is_isotropic else "anisotropic"
        mag, least = (
            code_of(name, default if word is None else word, _FILTERS)
            for name, word in (("mag_filter", mag_filter), ("min_filter", min_filter))
        )
        names = [word.name.lower() for word in ShadowFunction]
        if shadow is not None and not (isinstance(shadow, str) and shadow in names):
            raise StateError(
                f"shadow must be one of {', '.join(names)}, found {shadow!r}; words of other interfaces go to compare"
            )
        if shadow is not None and compare is not None:
            raise StateError("shadow and compare say the same in two languages: give one of them")
        if not isinstance(filter, str) or filter not in ("hardware", "exact"):
            raise StateError(
                f"filter must be hardware or exact, found {filter!r}; what is between texels is said by min_filter, "
                "mag_filter and mip_filter"
            )
        if filter == "exact" and (chroma_key or mono_size or trilinear_quality != "full" or anisotropy != "legacy"):
            raise StateError(
                "the filter exact has no chroma_key, no mono_size, trilinear_quality full and anisotropy legacy"
            )
        if not isinstance(cube, str) or cube not in ("seamless", "programmed"):
            raise StateError(f"cube must be seamless or programmed, found {cube!r}")
        rounds = {
            f"round_{axis}_{when}": filter != MapFilter.NEAREST if each is None else _truth("rounding", each)
            for when, filter in (("mag", mag), ("min", least))
            for axis, each in zip("uvr", (None,) * 3 if rounding is None else _three("rounding", rounding), strict=True)
        }
        state = SamplerState(
            border_color_mode=code_of("border_mode", border_mode, _MODES),
            lod_preclamp=_truth("lod_preclamp", lod_preclamp),
            base_mip_level=base_level,
            mip_filter=code_of("mip_filter", mip_filter, _MIP_FILTERS),
            mag_filter=mag,
            min_filter=least,
            lod_bias=lod_bias,
            anisotropic_algorithm=code_of("anisotropy", anisotropy, _ALGORITHMS),
            max_anisotropy=_ratiocode_of(ratio),
            min_lod=min_lod,
            max_lod=max_lod,
            shadow_function=code_of("compare", compare, _COMPARES)
            if compare is not None
            else ShadowFunction[(shadow or "always").upper()],
            cube_control=CubeControl.OVERRIDE if cube == "seamless" else CubeControl.PROGRAMMED,
            chroma_key_enable=int(chroma_key is not None),
            chroma_key_mode=code_of("chroma_key_mode", chroma_key_mode, _KEY_MODES),
            trilinear_quality=code_of("trilinear_quality", trilinear_quality, _QUALITIES),
            non_normalized=not _truth("normalized", normalized),
            address_u=u,
            address_v=v,
            address_r=r,
            **rounds,
        )
        self._set(state, border, chroma_key, mono_size, compares=compare is not None, exact=filter == "exact")
        object.__setattr__(self, "may_compare", shadow is not None or compare is not None)

    @classmethod
    def from_state(
        cls,
        state: SamplerState | SamplerStateGen9 | Buffer,
        border: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        chroma_key: tuple[Sequence[int], Sequence[int]] | None = None,
        mono_size: tuple[int, int] | None = None,
        generation: float = 7,
    ) -> Sampler:
        """The sampler that a state of Gen7 or Gen9 describes, with the border color that its pointer leads to.

        border: four numbers as SAMPLER_BORDER_COLOR_STATE has them, those of DX9 mode divided by 255.

        chroma_key: lowest and highest bytes (red, green, blue, alpha) of the table's entry that the state names.

        mono_size: columns and rows of the monochrome filter; 1 x 1 if not given.

        generation: whose state it is, where it is given as bytes.

        Raises StateError if the state has a chroma key and none is given, or the other way around, and for functions
        of Gen9 that Gen7 lacks.
        """
        if not isinstance(state, SamplerState | SamplerStateGen9):
            state = Generation.of(generation).sampler.unpack(state)
        if isinstance(state, SamplerStateGen9):
            state = as_gen7(state)
        if state.chroma_key_enable != (chroma_key is not None):
            found = "none" if chroma_key is None else "one"
            raise StateError(f"chroma_key_enable is {state.chroma_key_enable:d}, found {found} given as chroma_key")
        made = cls.__new__(cls)
        made._set(state, border, chroma_key, mono_size)
        return made

    def _set(
        self,
        state: SamplerState,
        border: Sequence[float],
        key: tuple[Sequence[int], Sequence[int]] | None,
        mono_size: tuple[int, int] | None,
        *,
        compares: bool = False,
        exact: bool = False,
    ) -> None:
        object.__setattr__(self, "state", state)
        object.__setattr__(self, "compares", compares)
        object.__setattr__(self, "may_compare", True)
        object.__setattr__(self, "exact", exact)
        object.__setattr__(self, "border", _color(border))
        size = (1, 1) if mono_size is None else _listed(mono_size)
        if len(size) != 2 or not all(is_integer(each) and 1 <= each <= 7 for each in size):
            raise StateError(f"mono_size must be two integers from 1 to 7 (columns, rows), found {mono_size!r}")
        object.__setattr__(self, "mono_size", tuple(int(each) for each in size))
        object.__setattr__(self, "chroma_key", None if key is None else _bytes_of_key(key))

    def __repr__(self) -> str:
        s = self.state
        filters = " ".join(f"{when} {kind.name.lower()}" for when, kind in self._filters())
        address = [AddressControl(mode).name.lower() for mode in (s.address_u, s.address_v, s.address_r)]
        words = [f"<Sampler {filters}", "address " + " ".join(address[:1] if len(set(address)) == 1 else address)]
        words += [word for word, said in (("exact", self.exact), ("comparing", self.compares)) if said]
        words += [f"lod_bias {s.lod_bias:g}"] if s.lod_bias else []
        words += [f"chroma_key {self.chroma_key}"] if self.chroma_key else []
        return ", ".join(words) + ">"

    def _filters(self) -> list[tuple[str, MapFilter | MipFilter]]:
        s = self.state
        return [("min", MapFilter(s.min_filter)), ("mag", MapFilter(s.mag_filter)), ("mip", MipFilter(s.mip_filter))]

    @property
    def border_mode(self) -> Border:
        """``dx10`` or ``dx9``."""
        return "dx9" if self.state.border_color_mode == BorderColorMode.DX9 else "dx10"

    @cached_property
    def address(self) -> tuple[int, int, int]:
        """TEXCOORDMODE_* of u, v and r."""
        return self.state.address_u, self.state.address_v, self.state.address_r

    @cached_property
    def max_anisotropy(self) -> int:
        """Largest ratio of the anisotropic filter."""
        return 2 * int(self.state.max_anisotropy) + 2

    @cached_property
    def is_anisotropic(self) -> bool:
        """Whether either filter inside a level is anisotropic."""
        return MapFilter.ANISOTROPIC in (self.state.mag_filter, self.state.min_filter)

    @cached_property
    def is_mono(self) -> bool:
        """Whether either filter inside a level is monochrome."""
        return MapFilter.MONO in (self.state.mag_filter, self.state.min_filter)

    @property
    def kills(self) -> bool:
        """Whether the chroma key kills samples."""
        return self.chroma_key is not None and self.state.chroma_key_mode == ChromaKeyMode.KILL_ON_ANY_MATCH

    def rounds(self, when: Literal["mag", "min"]) -> int:
        """Which axes are rounded: a bit for each, u the lowest."""
        return self._rounds[when]

    @cached_property  # as a state never changes, and every call asks several times
    def _rounds(self) -> dict[str, int]:
        return {
            when: sum(getattr(self.state, f"round_{axis}_{when}") << place for place, axis in enumerate("uvr"))
            for when in ("mag", "min")
        }
