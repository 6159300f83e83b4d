"""`Surface`: texture bytes in hardware layout, with the description that every texel's place follows from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import DTypeLike

from texsamp.device import Device, get_device
from texsamp.device.arguments import check_kind
from texsamp.device.base import Array
from texsamp.device.given import GivenArray
from texsamp.errors import FormatError, StateError
from texsamp.shown.html import figure, table
from texsamp.state.base import Buffer
from texsamp.state.formats import SurfaceFormatInfo
from texsamp.state.gen9 import RenderSurfaceStateGen9
from texsamp.state.generation import Generation
from texsamp.state.render_surface import RenderSurfaceState, SurfaceType
from texsamp.surface.arrays import (
    TexelOptions,
    array_shape,
    as_texels,
    format_named,
    is_compressed,
    pixel_axes,
    rows_of,
    stacked,
    texels_of,
    with_channels,
)
from texsamp.surface.choices import chosen, face_number, require_index, window
from texsamp.surface.derived import Derived
from texsamp.surface.elements import Place, read_rows, rows_shape, write_rows
from texsamp.surface.encode import encodable, encode
from texsamp.surface.files import Path, texture_files
from texsamp.surface.images import TextureImages
from texsamp.surface.layout import SurfaceDescription, SurfaceLayout, SurfaceView, Usage
from texsamp.surface.layout.description import CUBE_FACES
from texsamp.surface.layout.placement import is_stack
from texsamp.surface.memory import flat_bytes
from texsamp.surface.mips import MipEdge, MipFilter, level_count, smaller_levels
from texsamp.surface.recolor import recolored, value_dtype
from texsamp.surface.seen import Seen
from texsamp.surface.shown import surface_png
from texsamp.surface.tiling import AddressSwizzle


class Surface(Seen):
    """A texture in memory as the hardware lays it out, on one device. Levels and slices count from the view's first.

    surface_view: layout and window (`texsamp.surface.layout`). data: uint8 array on ``device``, from the view's base
    address on; views of one surface share it. Surfaces are equal if they describe the same levels and slices in the
    same layout and the elements of all of them are equal; padding and addresses do not count.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, view: SurfaceView, data: Array, device: Device | str) -> None:
        check_kind("the view of a surface", view, SurfaceView)
        super().__init__(view)
        self.data = data
        self.device = get_device(device)
        self.derived = Derived()
        """What others made of the texels and keep, as the sampler does; cleared by `invalidate`."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.surface_view, self.device.download(self.data), self.device)

    # -- made from something ---------------------------------------------------------------------------------------

    @classmethod
    def from_array(
        cls,
        array: GivenArray,
        format: str = "R8G8B8A8_UNORM",
        *,
        type: str | None = None,
        mips: MipFilter | None = None,
        levels: int | None = None,
        edge: MipEdge = "clamp",
        tiling: str = "linear",
        samples: int = 1,
        generation: float = 7,
        device: Device | str = "auto",
    ) -> Surface:
        """Lay out an array of texels.

        array: numpy, CuPy, anything with ``__dlpack__`` or ``__array__``, a list, or a picture of Pillow; (height,
            width, channels), or (slices, height, width, channels) for an array. By type: ``1D`` (width, channels) or
            (slices, width, channels); ``3D`` (depth, height, width, channels); ``CUBE`` (6 * cubes, height, width,
            channels), faces +X -X +Y -Y +Z -Z; ``BUFFER`` (width, channels). Formats of one channel may leave the last
            axis out. Multisampled surfaces have an axis of
            samples before the height. Formats of four channels take three, and alpha is 1. Values are taken as they are
            stored if they are integers, and converted if they are floats (`store_texels`); compressed formats are
            encoded (`encode`).
        mips: ``box``, ``kaiser`` or ``lanczos``: make the smaller levels, ``levels`` in all or as many as there can be;
            edge: ``clamp`` or ``wrap``.
        tiling: linear, X or Y, or W for a stencil buffer (R8_UINT).

        Raises FormatError for arrays or formats that do not fit, StateError for sizes beyond the generation's limits.
        """
        on = get_device(device)
        info = format_named(format)
        texels = with_channels(as_texels(array, info, on), info, type, samples, on)
        shape = array_shape(tuple(texels.shape), type, samples)
        description = SurfaceDescription(
            shape.type,
            info.name,
            shape.width_px,
            shape.height_px,
            shape.depth_px,
            shape.array_length,
            is_array=shape.is_array,
            levels=level_count(shape.sizes_px, mips, levels),
            samples=samples,
            tiling=tiling,
            usage=_usage(tiling),
            generation=generation,
        )
        made = cls._empty(description, on)
        slices = shape.slices * shape.depth_px
        pictures = texels.reshape(slices, samples, shape.height_px, shape.width_px, texels.shape[-1])
        places = list(made._places(0))
        if is_compressed(info):
            codes = stacked([encodable(pictures[place.slice, 0], info, on) for place in places], on)
            made._write_all([*zip(places, codes, strict=True), *made._smaller(codes, mips, edge)])
        else:
            made._write_all((place, pictures[place.slice, place.sample]) for place in places)
            if mips is not None:
                made._write_all(made._smaller(made._stored(), mips, edge))
        return made

    @classmethod
    def from_images(
        cls, images: TextureImages, *, tiling: str = "linear", generation: float = 7, device: Device | str = "auto"
    ) -> Surface:
        """Lay out a texture as files keep it. Raises StateError for sizes beyond the generation's limits."""
        description = SurfaceDescription(
            images.type,
            images.info.name,
            images.width_px,
            images.height_px,
            images.depth_px,
            images.array_length,
            is_array=images.is_array,
            levels=images.levels,
            tiling=tiling,
            usage=_usage(tiling),
            generation=generation,
        )
        on = get_device(device)
        made = cls._empty(description, on)
        for level, slices in enumerate(images.images):
            height_rows, width_B = rows_shape(made.surface_view, level)
            for index, image in enumerate(slices):
                elements = on.upload(np.frombuffer(image, np.uint8)).reshape(-1, height_rows, width_B)
                for z, rows in enumerate(elements):
                    write_rows(rows, made.data, made.surface_view, Place(level, index + z), on)
        return made

    @classmethod
    def from_memory(
        cls,
        memory: GivenArray,
        state: RenderSurfaceState | RenderSurfaceStateGen9 | Buffer,
        *,
        address: int = 0,
        usage: Usage = Usage.TEXTURE,
        swizzle: AddressSwizzle = AddressSwizzle.NONE,
        generation: float = 7,
        device: Device | str = "auto",
        wide_samples: bool = False,
    ) -> Surface:
        """The surface that a state of Gen7 or Gen9 describes, without a copy if ``memory`` lies on the device.

        memory: bytes, a buffer or a contiguous array, whose first byte has the graphics address ``address``.

        generation: whose state it is, where it is given as bytes; of a state of Gen7, whose layout the surface has.
        wide_samples: as `SurfaceDescription` has it.

        Raises StateError if the state breaks a rule or the surface leaves the memory, FormatError for other memory.
        """
        on = get_device(device)
        if not isinstance(state, RenderSurfaceState | RenderSurfaceStateGen9):
            state = Generation.of(generation).surface.unpack(state, generation=generation)
        view = SurfaceView.from_state(
            state, usage=usage, swizzle=swizzle, generation=generation, wide_samples=wide_samples
        )
        data = flat_bytes(memory, on)
        first = view.base_address - address
        if first < 0 or first + view.size_B > data.size:
            raise StateError(
                f"the surface takes {view.size_B} bytes from address {view.base_address:#x} on, "
                f"found memory from {address:#x} to {address + data.size:#x}"
            )
        return cls(view, data[first : first + max(view.size_B, view.layout.size_B)], on)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        tiling: str = "linear",
        generation: float = 7,
        device: Device | str = "auto",
    ) -> Surface:
        """Read a texture file (DDS, KTX, KTX2, ASTC, pictures). Raises as `texsamp.io.read_texture` does."""
        images = texture_files().read(path)
        return cls.from_images(images, tiling=tiling, generation=generation, device=device)

    def save(self, path: Path, *, supercompression: str = "none", overwrite: bool = False) -> None:
        """Write a texture file, with options and errors of `texsamp.io.write_texture`."""
        texture_files().write(path, self.images(), supercompression=supercompression, overwrite=overwrite)

    @classmethod
    def _empty(cls, description: SurfaceDescription, device: Device) -> Surface:
        layout = SurfaceLayout(description)
        data = device.empty((layout.size_B,), np.uint8)
        data[...] = 0
        return cls(SurfaceView(layout, 0), data, device)

    # -- what it is ------------------------------------------------------------------------------------------------

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, np.dtype[Any]]:
        """Level 0 as `to_array` gives it, on the host."""
        if copy is False:
            raise ValueError("texels are read out of their tiles and blocks: there is no array without a copy")
        texels = self.device.download(self.to_array())
        return texels if dtype is None else texels.astype(dtype, copy=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Surface):
            return NotImplemented
        mine, others = (replace(s.surface_view, base_address=0) for s in (self, other))
        return mine == others and all(
            self._host_elements(p).tobytes() == other._host_elements(p).tobytes()
            for level in range(self.levels)
            for p in self._places(level)
        )

    def _host_elements(self, place: Place) -> np.ndarray[Any, np.dtype[np.uint8]]:
        return self.device.download(self.elements(place.level, place.slice, place.sample))

    def __repr__(self) -> str:
        d = self.description
        size = "x".join(str(n) for n in self.level_size_px(0)[: 3 if d.depth_px > 1 else 2])
        counts = [
            (self.levels, "level", True),
            (self.layers, "layer", d.is_array),
            (self.samples, "sample", d.samples > 1),
        ]
        words = "".join(f", {count} {word}{'s' * (count > 1)}" for count, word, shown in counts if shown)
        kind = self.type.name.removeprefix("SURFTYPE_")
        return f"<Surface {kind} {self.format} {size}{words}, {d.tiling}, {self.device.name}>"

    def _repr_png_(self) -> bytes | None:
        return surface_png(self)

    def _repr_html_(self) -> str:
        shown, about = surface_png(self), repr(self).strip("<>")
        return table(about, (), ()) if shown is None else figure(shown, about)

    # -- what it holds ---------------------------------------------------------------------------------------------

    def invalidate(self) -> None:
        """Forget what was derived from the texels; needed after ``data`` was written (003:664, texture caches)."""
        self.derived.clear()

    def elements(self, level: int = 0, slice: int = 0, sample: int = 0, part: tuple[int, int] | None = None) -> Array:
        """Elements (texels, blocks) of one slice as they lie in memory: uint8 rows, packed tightly.

        slice: array slice, 6 * cube + face, or slice of a volume. part: first row of elements and how many; None for
        all. Raises StateError for what cannot be seen.
        """
        require_index("level", level, self.levels)
        require_index("slice", slice, self._slices(level))
        require_index("sample", sample, self.samples)
        if part is not None:
            rows = rows_shape(self.surface_view, level)[0]
            require_index("first row", part[0], rows)
            require_index("number of rows - 1", part[1] - 1, rows - part[0])
        return read_rows(self.data, self.surface_view, Place(level, slice, sample), self.device, part)

    def to_array(
        self,
        level: int = 0,
        layer: int | None = None,
        *,
        face: str | int | None = None,
        sample: int | None = None,
        rounding: str = "d3d",
        **options: Unpack[TexelOptions],
    ) -> Array:
        """Texels of a level as an array on the surface's device, in the form that `from_array` takes.

        layer: an array slice, a slice of a volume, or a cube of a cube array; None for all of them. face: ``+x``, ...,
            ``-z`` or 0 to 5; None for all. sample: one sample; None for all. What is chosen has no axis of its own, nor
            have layers of surfaces that are no array.
        rounding: of compressed formats, as in `texsamp.decode`. options: ``dtype``; ``errors`` of compressed formats;
            ``channels``, ``border`` and ``palette`` of others (`texsamp.surface.texels.load_texels`).

        Raises StateError for what cannot be seen, FormatError for options that the format does not have.
        """
        d = self.description
        *size_px, depth_px = self.level_size_px(level)
        volume = d.depth_px > 1 or self.type == SurfaceType.SURFTYPE_3D
        layers = chosen("layer", layer, depth_px if volume else self.layers)
        faces = chosen("face", face_number(face, self._is_cube), self.faces)
        samples = chosen("sample", sample, self.samples)
        pictures = [
            texels_of(rows, self.info, size_px, self.device, rounding=rounding, **options)
            for k in layers
            for f in faces
            for s in samples
            for rows in [self.elements(level, f + self.faces * k, s)]
        ]
        has_slices = (layer is None and (d.is_array or volume)) or (face is None and self._is_cube)
        slices = (-1,) if has_slices else ()
        per_pixel = (len(samples),) if sample is None and self.samples > 1 else ()
        together = stacked(pictures, self.device)
        return together.reshape(*slices, *per_pixel, *together.shape[-pixel_axes(self.type) :])

    def images(self) -> TextureImages:
        """The texture as files keep it. Raises FormatError for buffers and multisampled surfaces."""
        d = self.description
        if d.is_buffer or d.samples > 1:
            raise FormatError(f"files keep no buffers and no samples, found {self!r}")
        width_px, height_px, depth_px = self.level_size_px(0)
        volume = self.type == SurfaceType.SURFTYPE_3D

        def image(level: int, index: int) -> bytes:
            slices = range(self.level_size_px(level)[2]) if volume else [index]
            return b"".join(self._host_elements(Place(level, k)).tobytes() for k in slices)

        return TextureImages(
            self.type,
            self.format,
            width_px,
            height_px,
            tuple(tuple(image(level, k) for k in range(self.layers * self.faces)) for level in range(self.levels)),
            depth_px,
            self.layers,
            d.is_array,
        )

    # -- views -----------------------------------------------------------------------------------------------------

    def view(
        self,
        *,
        level: int | None = None,
        levels: int | None = None,
        layer: int | None = None,
        layers: int | None = None,
        face: str | int | None = None,
    ) -> Surface:
        """A part of the surface as a surface of its own, in the same memory: what its state can say.

        level: the first level, and the only one unless ``levels`` says how many (Surface Min LOD and MIP Count,
            003:2471-2490). layer: the first array slice or cube, and the only one unless ``layers`` says how many
            (Minimum Array Element, 003:2335). face: one face of a cube, as a 2D surface. Parts of arrays and faces are
            arrays, of one slice if need be.

        Raises StateError for what cannot be seen, and for slices of volumes (and, before generation 5, faces of cubes),
        which no state can name.
        """
        view, d = self.surface_view, self.description
        if d.is_buffer or ((layer, layers) != (None, None) and not (d.is_array or self._is_cube)):
            raise StateError(f"only arrays and cubes have layers to choose from, found {self!r}")
        if is_stack(d) and self._is_cube and (layer, layers, face) != (None, None, None):
            raise StateError(f"faces of generation {d.generation:g} lie like slices of a volume: no state names some")
        first_level, count = window("level", level, levels, self.levels)
        first_layer, layer_count = window("layer", layer, layers, self.layers)
        first_level += view.first_level
        first_slice = view.first_layer + first_layer * self.faces
        end = first_layer + layer_count + (-(-view.first_layer // self.faces))
        changes: dict[str, Any] = {"levels": first_level + count}
        if face is not None:
            first_slice += chosen("face", face_number(face, self._is_cube), CUBE_FACES).start
            if layer_count != 1:
                raise StateError(f"a face is chosen from one cube, found {layer_count} layers of {self!r}")
            changes |= {"type": SurfaceType.SURFTYPE_2D, "array_length": first_slice + 1, "is_array": True}
        elif d.is_array or self._is_cube:
            changes |= {"array_length": end}
        part = replace(
            view, layout=SurfaceLayout(replace(d, **changes)), first_level=first_level, first_layer=first_slice
        )
        return Surface(part, self.data, self.device)

    def with_mips(self, filter: MipFilter = "box", levels: int | None = None, *, edge: MipEdge = "clamp") -> Surface:
        """A copy of level 0 with the smaller levels made from it; arguments as ``mips``, ``levels`` of `from_array`.

        Raises FormatError for formats that cannot be filtered (integers, palettes), StateError for multisampled
        surfaces and buffers.
        """
        made = self._like(levels=level_count(self.level_size_px(0), filter, levels))
        for place in self._places(0):
            rows = self.elements(0, place.slice, place.sample)
            write_rows(rows, made.data, made.surface_view, place, self.device)
        made._write_all(made._smaller(self._stored(), filter, edge))
        return made

    def convert(
        self, format: str, *, mips: MipFilter | None = None, levels: int | None = None, edge: MipEdge = "clamp"
    ) -> Surface:
        """A copy whose texels have the same values in another format; light that was SRGB is encoded as the format is.

        format: any that texels can be stored in; compressed ones are encoded. Luminance is red, green and blue, and is
            made of red; a missing color is 0, a missing alpha 1; integers are rounded and clamped.
        mips: None keeps the levels; else the smaller ones are made anew, with arguments as in `from_array`.

        Raises FormatError for formats without texels, palettes, and blocks that nobody here encodes.
        """
        info = format_named(format)
        count = self.levels if mips is None else level_count(self.level_size_px(0), mips, levels)
        made = self._like(format=info.name, levels=count)
        kept = range(self.levels if mips is None else 1)
        known = [(place, self._values(place, info)) for level in kept for place in self._places(level)]
        if mips is None:
            made._write_all(known)
        elif is_compressed(info):
            codes = stacked([encodable(picture, info, self.device) for _, picture in known], self.device)
            made._write_all([*known, *made._smaller(codes, mips, edge)])
        else:
            made._write_all(known)
            made._write_all(made._smaller(made._stored(), mips, edge))
        return made

    def _values(self, place: Place, info: SurfaceFormatInfo) -> Array:
        """Texels of a slice as values of another format."""
        width_px, height_px, _ = self.level_size_px(place.level)
        rows = self.elements(place.level, place.slice, place.sample)
        values = texels_of(rows, self.info, (width_px, height_px), self.device, dtype=value_dtype(self.info))
        return recolored(values, self.info, info, self.device)

    def _like(self, **changes: Any) -> Surface:
        """An empty surface of the levels and slices that can be seen, but for some changes of the description."""
        width_px, height_px, depth_px = self.level_size_px(0)
        description = replace(
            self.description,
            width_px=width_px,
            height_px=height_px,
            depth_px=depth_px,
            array_length=self.layers,
            pitch_B=None,
            **changes,
        )
        return self._empty(description, self.device)

    def _stored(self) -> Array:
        """All texels of level 0 in their natural type: (slices, height, width, channels)."""
        texels = self.to_array()
        return texels.reshape(-1, self.height_px, self.width_px, texels.shape[-1])

    def _smaller(self, texels: Array, filter: MipFilter | None, edge: MipEdge) -> Iterator[tuple[Place, Array]]:
        """Pictures of every level but the first, from those of level 0: (slices, height, width, channels)."""
        if filter is None:
            return
        sizes = [self.level_size_px(level) for level in range(1, self.levels)]
        volume = self.type == SurfaceType.SURFTYPE_3D
        for first, image in enumerate([texels] if volume else texels[:, None]):
            for level, pictures in enumerate(smaller_levels(image, self.info, sizes, filter, edge, self.device), 1):
                for z, picture in enumerate(pictures):
                    yield Place(level, first + z), picture

    def _write_all(self, pictures: Iterable[tuple[Place, Array]]) -> None:
        """Store pictures (height, width, channels); compressed ones are encoded in one go."""
        rows_at: Iterable[tuple[Place, Array]]
        if is_compressed(self.info):
            known = list(pictures)
            blocks = encode([picture for _, picture in known], self.info, self.device)
            rows_at = [(place, rows) for (place, _), rows in zip(known, blocks, strict=True)]
        else:
            rows_at = ((place, rows_of(picture, self.info, self.device)) for place, picture in pictures)
        for place, rows in rows_at:
            write_rows(rows, self.data, self.surface_view, place, self.device)


def _restored(view: SurfaceView, data: np.ndarray[Any, np.dtype[Any]], device: Device) -> Surface:
    """A surface that was pickled."""
    return Surface(view, device.upload(data), device)


def _usage(tiling: str) -> Usage:
    return Usage.STENCIL if isinstance(tiling, str) and tiling == "W" else Usage.TEXTURE
