"""Small pictures that drive every kernel: the same list for thread counts, instruction sets, sanitizers and GPUs."""

from pictures.analytics import ANALYTICS_CASES
from pictures.anisotropy import ANISOTROPY_CASES
from pictures.astc import ASTC_CASES
from pictures.blocks import BLOCK_CASES
from pictures.cases import CASES as VIDEO_CASES
from pictures.cases import Case
from pictures.color import COLOR_CASES
from pictures.convert import CONVERT_CASES
from pictures.denoise import DENOISE_CASES
from pictures.denoise_hq import DENOISE_HQ_CASES
from pictures.devices import ExactDevice
from pictures.eu import EU_CASES
from pictures.eu_elements import EU_ELEMENTS_CASES
from pictures.eu_registers import EU_REGISTERS_CASES
from pictures.fields import FIELD_CASES
from pictures.film import FILM_CASES
from pictures.lut import LUT_CASES
from pictures.merge import MERGE_CASES
from pictures.mips import MIP_CASES
from pictures.mono import MONO_CASES
from pictures.raster import RASTER_CASES
from pictures.regions import REGION_CASES
from pictures.sampler import SAMPLER_CASES
from pictures.sampler_sizes import SAMPLER_SIZE_CASES
from pictures.sampler_states import SAMPLER_STATE_CASES
from pictures.tessellation import TESSELLATION_CASES
from pictures.texels import TEXEL_CASES
from pictures.tonemap import TONEMAP_CASES

CASES = (
    *VIDEO_CASES,
    *BLOCK_CASES,
    *ASTC_CASES,
    *MERGE_CASES,
    *MIP_CASES,
    *EU_CASES,
    *EU_ELEMENTS_CASES,
    *EU_REGISTERS_CASES,
    *RASTER_CASES,
    *TESSELLATION_CASES,
    *REGION_CASES,
    *FIELD_CASES,
    *TEXEL_CASES,
    *COLOR_CASES,
    *SAMPLER_CASES,
    *ANISOTROPY_CASES,
    *MONO_CASES,
    *SAMPLER_STATE_CASES,
    *SAMPLER_SIZE_CASES,
    *DENOISE_CASES,
    *DENOISE_HQ_CASES,
    *FILM_CASES,
    *ANALYTICS_CASES,
    *CONVERT_CASES,
    *TONEMAP_CASES,
    *LUT_CASES,
)

__all__ = ["CASES", "Case", "ExactDevice"]
