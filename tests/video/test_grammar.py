"""The filter grammar: what it accepts, what every error names, and the documentation made from its table."""

import inspect
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from texsamp.errors import StateError
from texsamp.video import filter_docs
from texsamp.video.filter_docs import filters_help, filters_markdown
from texsamp.video.filter_spec import Filter
from texsamp.video.filters import FILTERS, find_filter
from texsamp.video.grammar import parse_graph
from texsamp.video.pipeline import Pipeline
from texsamp.video.presets.avs import COEFFICIENT_PRESETS
from texsamp.video.scale import Scale
from texsamp.video.sharpen import Sharpen
from texsamp.video.stage import Stage

ROOT = Path(__file__).parents[2]
KNOWN = ", ".join(each.name for each in FILTERS)
OTHERS = ", and any of FFmpeg's with one input and output"


class Negative(Stage):
    """A stage without options."""

    def feed(self, frame):
        """The frame as it is: only its row of the table is looked at."""
        yield frame


def scale_of(text):
    (stage,) = parse_graph(text)
    assert isinstance(stage, Scale)
    return stage


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("scale=1280x720", (1280, 720)),
        ("scale=1280:720", (1280, 720)),
        ("scale=-2:720", (-2, 720)),
        ("scale=1280x-1", (1280, -1)),
        ("scale=width=640:height=360", (640, 360)),
        ("scale=h=360:w=640", (640, 360)),
        ("scale=640:height=360", (640, 360)),
        ("avs=1x1", (1, 1)),
        (" scale = 1280 x 720 : preset = ihd ", (1280, 720)),
    ],
)
def test_sizes(text, size):
    stage = scale_of(text)
    assert (stage.width_px, stage.height_px) == size


def test_every_scale_key_reaches_its_parameter():
    stage = scale_of("scale=8x6:preset=ihd:adaptive=on:align=center:edge=mirror:nonlinear=0.25:prefilter=off")
    found = (stage.preset, stage.adaptive, stage.align, stage.edge, stage.nonlinear, stage.prefilter)
    assert found == ("ihd", "on", "center", "mirror", 0.25, "off")


def test_level_of_sharpen():
    assert [s.level for s in parse_graph("sharpen,sharpen=20,ief=level=63")] == [44, 20, 63]


def test_filters_keep_their_order():
    stages = parse_graph("sharpen=10,scale=4x4,sharpen=20")
    assert [type(s) for s in stages] == [Sharpen, Scale, Sharpen]


@pytest.mark.parametrize("text", ["", "  "])
def test_empty_text_is_no_filter(text):
    assert parse_graph(text) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "scal=4x4",
            f"unknown filter 'scal': known are {KNOWN}{OTHERS} (did you mean 'scale'?)",
        ),
        (
            "SHARPEN",
            f"unknown filter 'SHARPEN': known are {KNOWN}{OTHERS} (did you mean 'sharpen'?)",
        ),
        ("zzzzz", "unknown filter 'zzzzz': known are denoise, deinterlace, scale, sharpen"),
        ("z" * 100_000, f"unknown filter '{'z' * 100}...', a name of 100000 letters: known are {KNOWN}"),
        ("=4", "filter 1 has no name"),
        ("scale=4x4,", "filter 2 has no name"),
        ("scale=4x4,,sharpen", "filter 2 has no name"),
        ("scale", "filter 'scale' needs width and height: for example scale=1280x720"),
        ("scale=4", "filter 'scale' needs height"),
        ("scale=h=4", "filter 'scale' needs width"),
        ("sharpen=", "filter 'sharpen': nothing follows 'sharpen='"),
        ("scale=4x4x4", "filter 'scale' takes at most 2 values without a key (width, height), found '4'"),
        ("scale=4:4:4", "filter 'scale' takes at most 2 values without a key"),
        ("scale=4x4:ihd", "found 'ihd' (write preset=ihd or settings=ihd)"),
        ("scale=4x4:off", "found 'off' (write adaptive=off or prefilter=off)"),
        ("scale=4x4:edge", "found 'edge' (write edge=value: one of clamp, mirror)"),
        ("scale=4x4:edge=clamp:mirror", "filter 'scale': expected key=value, found 'mirror' (write edge=mirror)"),
        ("scale=w=4:4", "filter 'scale': expected key=value, found '4'"),
        ("scale=4x4:", "filter 'scale': expected key=value, found ''"),
        ("scale=4x4:presett=ihd", "filter 'scale' has no option 'presett': it has width, height, preset"),
        ("scale=4x4:presett=ihd", "(did you mean 'preset'?)"),
        (
            "scale=4x4:preset=idh",
            "preset must be one of i965, ihd, lanczos3, lanczos4, catmull-rom, bilinear, found 'idh'",
        ),
        ("scale=4x4:preset=idh", "(did you mean 'ihd'?)"),
        ("scale=4x4:preset=", "preset must be one of i965, ihd, lanczos3, lanczos4, catmull-rom, bilinear, found ''"),
        ("scale=4x4:preset=ihd=2", "found 'ihd=2'"),
        ("scale=4x4:w=5", "filter 'scale': 'width' is given twice"),
        ("scale=4x4:edge=clamp:edge=clamp", "filter 'scale': 'edge' is given twice"),
        ("scale=0x4", "filter 'scale': width must be an integer from 1 to 16384, or -1 or -2"),
        ("scale=4x16385", "filter 'scale': height must be an integer from 1 to 16384"),
        ("scale=-3:4", "found '-3'"),
        ("scale=4.0x4", "found '4.0'"),
        ("scale=x4", "filter 'scale': width must be an integer"),
        ("scale=1_0x4", "found '1_0'"),
        ("scale=" + "9" * 5000 + "x4", "filter 'scale': width must be"),
        ("scale=-1:-2", "scale needs a width or a height"),
        ("scale=4x4:nonlinear=1", "filter 'scale': nonlinear must be a number from 0 to below 1, found '1'"),
        ("scale=4x4:nonlinear=nan", "found 'nan'"),
        ("scale=4x4:nonlinear=1_0e-3", "found '1_0e-3'"),
        ("scale=4x4:nonlinear=-0.1", "found '-0.1'"),
        ("scale=4x4:nonlinear=0.5:align=hardware", "scale nonlinear needs align=center"),
        ("sharpen=65", "filter 'sharpen': level must be auto or an integer from 0 to 64, found '65'"),
        ("sharpen=-1", "found '-1'"),
        ("sharpen=high", "level must be auto or an integer from 0 to 64, found 'high'"),
        ("sharpen=4:4", "filter 'sharpen' takes at most 1 values without a key (level), found '4'"),
        ("sharpen=strength=4", "filter 'sharpen' has no option 'strength': it has level"),
    ],
)
def test_errors_say_what_is_wrong_and_what_is_legal(text, message):
    with pytest.raises(StateError) as error:
        parse_graph(text)
    assert message in str(error.value)


@given(st.text(alphabet="scalehrpn=:,x0123456789-. édwt", max_size=40))
def test_any_text_parses_or_is_refused_with_a_state_error(text):
    try:
        parse_graph(text)
    except StateError as error:
        assert str(error)


@given(
    width=st.integers(1, 16384),
    height=st.sampled_from([-2, -1, 1, 720]),
    preset=st.sampled_from(["i965", "ihd", "lanczos3", "lanczos4", "catmull-rom", "bilinear"]),
    edge=st.sampled_from(["clamp", "mirror"]),
    nonlinear=st.floats(0, 1, exclude_max=True),
    level=st.integers(0, 64),
)
def test_a_pipeline_reads_its_own_text(width, height, preset, edge, nonlinear, level):
    pipeline = Pipeline(
        [Scale(width, height, preset=preset, edge=edge, nonlinear=nonlinear), Sharpen(level)], device="cpu"
    )
    again = Pipeline.parse(str(pipeline), device="cpu")
    for stage, copy in zip(pipeline.stages, again.stages, strict=True):
        assert type(stage) is type(copy)
        which = next(f for f in FILTERS if f.stage is type(stage))
        assert which.values_of(stage) == which.values_of(copy)
    assert str(again) == str(pipeline)


class TestTable:
    @pytest.mark.parametrize("which", FILTERS, ids=lambda f: f.name)
    def test_options_are_the_stages_parameters(self, which):
        parameters = inspect.signature(which.stage).parameters
        assert all(option.parameter in parameters for option in which.options)
        assert all(which.option(key) is not None for key in which.positional)

    @pytest.mark.parametrize("which", FILTERS, ids=lambda f: f.name)
    def test_defaults_are_legal_and_read_back(self, which):
        for option in which.options:
            default = which.default(option)
            if default is not inspect.Parameter.empty:
                assert option.kind.parse(option.kind.format(default)) == default

    @pytest.mark.parametrize("text", [text for which in FILTERS for text in which.examples])
    def test_examples_parse(self, text):
        assert parse_graph(text)

    @pytest.mark.parametrize("which", FILTERS, ids=lambda f: f.name)
    def test_fidelity_names_real_options_and_values(self, which):
        for part in which.fidelity:
            option = which.option(part.option) if part.option else None
            assert option is not None or not part.option
            for value in part.values:
                assert option.kind.parse(option.kind.format(value)) == value

    def test_names_are_unique(self):
        words = [word for which in FILTERS for word in (which.name, *which.aliases)]
        assert len(words) == len(set(words))
        assert find_filter("avs") is find_filter("scale")

    def test_the_hardwares_name_of_the_deinterlacer_is_the_hardwares_mode(self):
        modes = [parse_graph(text)[0].mode for text in ("deinterlace", "dndi", "dndi=rate=field", "dndi=bob")]
        assert modes == ["hq", "madi", "madi", "bob"]
        assert "Other names: `dndi` for `deinterlace=mode=madi`." in filters_markdown()
        assert "(also: dndi for deinterlace=mode=madi)" in filters_help()

    def test_help_names_every_option(self):
        text = " ".join(filters_help().split())
        for which in FILTERS:
            assert which.name in text
            assert all(option.key in text and option.kind.legal in text for option in which.options)

    def test_documentation_shows_the_form(self):
        assert "`filter=value:key=value,filter2=value`" in filters_markdown()
        assert "{" not in filters_markdown() + filters_help()

    def test_a_filter_without_options_has_a_page(self, monkeypatch):
        bare = Filter(name="bare", stage=Negative, doc="Turn samples around.", examples=("bare",), fidelity=())
        monkeypatch.setattr(filter_docs, "FILTERS", (bare,))
        assert "Short form: `bare`.\n\nExamples: `bare`" in filters_markdown()
        assert "\nbare\n" in filters_help()

    def test_presets_page_lists_every_coefficient_preset_once(self):
        page = (ROOT / "docs" / "presets.md").read_text(encoding="utf-8")
        table = page.partition("## Coefficients")[2].partition("\n## ")[0]
        assert sorted(re.findall(r"^\| `([\w-]+)`", table, re.MULTILINE)) == sorted(COEFFICIENT_PRESETS)

    def test_documentation_page_is_what_the_table_makes(self):
        assert (ROOT / "docs" / "filters.md").read_text(encoding="utf-8") == filters_markdown(), (
            "run: python -m texsamp.video.filter_docs > docs/filters.md"
        )
