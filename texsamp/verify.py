"""Whether samples of a surface are what a precision allows: the verifier of `texsamp.quality` for surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from texsamp.device import Device, thread_count
from texsamp.device.given import GivenArray
from texsamp.errors import StateError
from texsamp.quality.verifier import Precision, Report, Rules, Texture, verify_mono
from texsamp.quality.verifier import verify as verify_numbers
from texsamp.sampler.arguments import parted, require_hardware, require_surface, resource_min_lod_code
from texsamp.sampler.border import border_texel
from texsamp.sampler.chroma_key import keyed_texels
from texsamp.sampler.cube_faces import with_faces
from texsamp.sampler.expanded import bits_of_texels, texel_kind
from texsamp.sampler.references import as_texels
from texsamp.sampler.rules import address_modes, check_mono, check_sampled
from texsamp.sampler.sample_arguments import SampleArguments, SampleOptions
from texsamp.sampler.sampler import Sampler
from texsamp.state.sampler import (
    AddressControl,
    AnisotropicAlgorithm,
    MapFilter,
    MipFilter,
    ShadowFunction,
    TrilinearQuality,
)
from texsamp.surface.surface import Surface


def verify(
    surface: Surface,
    sampler: Sampler,
    u: GivenArray,
    v: GivenArray | None = None,
    w: GivenArray | None = None,
    *,
    result: GivenArray,
    precision: str | Precision = "gen7",
    explained: int = 4,
    **arguments: Unpack[SampleOptions],
) -> Report:
    """Whether a result of `sample`, ours or anybody's, is what a precision allows.

    Arguments are those of `sample` without ``dtype``, and its ``result``: floats, uint8 codes or integers. precision:
    ``gen7`` (our own definition), ``d3d``, ``loose``, or a `texsamp.quality.Precision`. explained: rejected samples to
    be explained.

    Raises as `sample` does, FormatError for results of another shape, and StateError for anisotropic filters without
    ``lod`` at precisions that do not snap as ``gen7`` does, and for disabled samplers, whose samples are all 0.
    Source: docs/verifier.md.
    """
    require_surface(surface, sampler)
    require_hardware(sampler, "verify")
    given = SampleArguments(u, v, w, **arguments)
    if given.dtype is not None:
        raise StateError("the type of the result says what it is: verify goes without dtype")
    if sampler.state.disable:
        raise StateError("a disabled sampler gives 0 for every sample: there is nothing to verify")
    on = surface.device
    if sampler.is_mono:
        has_more = any(each is not None for each in (given.compare, given.palette, given.layer))
        if has_more or any(given.offset) or surface.layers > 1:
            raise StateError("the filter MONO reads one slice, without layer, compare, offset and palette")
        return _verify_mono(surface, sampler, given.at, result, precision, explained)
    kind = texel_kind(surface.info, sampler.border_mode)
    check_sampled(surface, sampler, kind)
    made = with_faces(surface, sampler, keyed_texels(surface, sampler, given.palette), given.cube_faces)
    texels = on.download(made.texels)
    levels = [
        texels[first : first + width * height * slices].reshape(slices, height, width, 4)
        for width, height, slices, first in made.levels.tolist()
    ]
    texture = Texture(surface.type.name.removeprefix("SURFTYPE_"), levels, unorm8=kind.name == "unorm8")
    at = [point for point in parted(surface, *given.at) if point is not None]
    coordinates, found = _on_host(on, [at, result])
    names = "layer", "lod", "bias", "gradients", "compare"
    options = {name: _on_host(on, getattr(given, name)) for name in names}
    if given.compare is not None:
        options["compare"] = as_texels(surface, np.asarray(options["compare"], np.float32))
    return verify_numbers(
        texture,
        _rules(surface, sampler, given),
        coordinates,
        found,
        **options,
        precision=precision,
        explained=explained,
        threads=thread_count(),
    )


def _verify_mono(
    surface: Surface, sampler: Sampler, at: Sequence[Any], result: Any, precision: str | Precision, explained: int
) -> Report:
    check_mono(surface, sampler)
    on = surface.device
    width, height, _ = surface.level_size_px(0)
    coordinates, found = _on_host(on, [[point for point in at if point is not None], result])
    rounds = sampler.rounds("mag")
    return verify_mono(
        on.download(bits_of_texels(surface)).reshape(height, width),
        sampler.mono_size,
        coordinates,
        found,
        rounded=(bool(rounds & 1), bool(rounds & 2)),
        precision=precision,
        explained=explained,
    )


def _on_host(device: Device, value: Any) -> Any:
    """Arrays of a device, also in groups, as numpy; what is no array as it is."""
    if isinstance(value, list | tuple):
        return [_on_host(device, each) for each in value]
    return device.download(device.upload(value)) if hasattr(value, "__dlpack__") else value


def _rules(surface: Surface, sampler: Sampler, given: SampleArguments) -> Rules:
    """The sampler's state in the verifier's words."""
    state = sampler.state
    kind = texel_kind(surface.info, sampler.border_mode)
    one = 255.0 if kind.name == "unorm8" else 1.0
    modes = (AddressControl(mode).name.lower().removeprefix("clamp_") for mode in address_modes(surface, sampler))
    rounds = {when: tuple(bool(getattr(state, f"round_{axis}_{when}")) for axis in "uvr") for when in ("mag", "min")}
    border = border_texel(sampler, kind, surface.info)
    stored = [name not in ("0", "1") for name in kind.channels]
    return Rules(
        mag=MapFilter(state.mag_filter).name.lower(),
        min=MapFilter(state.min_filter).name.lower(),
        mip=MipFilter(state.mip_filter).name.lower(),
        address=tuple(modes),
        normalized=not state.non_normalized,
        round_mag=rounds["mag"],
        round_min=rounds["min"],
        lod_bias=state.lod_bias,
        min_lod=state.min_lod,
        max_lod=state.max_lod,
        base_level=state.base_mip_level,
        resource_min_lod=resource_min_lod_code(surface, given.resource_min_lod) / 256,
        preclamp=bool(state.lod_preclamp),
        quality=TrilinearQuality(state.trilinear_quality).name.lower(),
        max_anisotropy=sampler.max_anisotropy,
        algorithm=AnisotropicAlgorithm(state.anisotropic_algorithm).name.lower(),
        offset=tuple((*given.offset, 0, 0, 0)[:3]),
        compare=ShadowFunction(state.shadow_function).name.lower() if given.compare is not None else "",
        compare_channel=stored.index(True),
        compare_replaces=tuple(stored),
        border=tuple(each / one for each in border),
        outside=tuple(each / one for each in kind.outside),
    )
