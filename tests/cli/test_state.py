"""`texsamp state` and `texsamp formats`."""

import json
import math

import pytest
import typer
from texsamp.cli.formats import formats
from texsamp.cli.state import state
from texsamp.cli.values import as_json_value
from typer.testing import CliRunner

from texsamp.errors import StateError
from texsamp.state import DeinterlaceSamplerState, MediaSurfaceState, preset
from texsamp.state.registry import STRUCTURES


def _run(command, *arguments):
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, list(arguments))


def _output(command, *arguments):
    result = _run(command, *arguments)
    assert result.exit_code == 0, result.output
    return result.output


def _error(command, *arguments):
    result = _run(command, *arguments)
    assert isinstance(result.exception, StateError), result.output
    return str(result.exception)


def test_list_names_every_structure_and_its_presets():
    listed = json.loads(_output(state, "--list", "--json"))
    assert {row["name"] for row in listed} == set(STRUCTURES)
    assert "DEINTERLACE_SAMPLER_STATE" in _output(state, "--list")


def test_a_name_alone_prints_its_documentation():
    text = _output(state, "sampler_state_8x8")
    assert "0x00000000 0x00000000 0x0d090801 0x721a03c6" in text
    assert "DW3 19:14" in text
    assert len(json.loads(_output(state, "SAMPLER_STATE_8x8", "--json"))) == len(STRUCTURES["SAMPLER_STATE_8x8"].rows)


def test_presets_print_fields_sources_and_dwords():
    text = _output(state, "DEINTERLACE_SAMPLER_STATE", "--preset", "i965")
    assert "DW0 0x8cc00726" in text
    assert "RESERVED_AS_4 (3)" in text
    assert "i965_post_processing.c" in text
    document = json.loads(_output(state, "DEINTERLACE_SAMPLER_STATE", "--preset", "i965", "dn_enable=1", "--json"))
    expected = preset(DeinterlaceSamplerState, "i965", dn_enable=True).to_dwords()
    assert [int(dword, 16) for dword in document["dwords"]] == list(expected)


@pytest.mark.parametrize("name", ["i965", "ihd"])
def test_presets_without_coefficient_tables_say_so(name):
    reason = "coefficient tables depend on the scale ratio and are not part of a preset"
    text = _output(state, "SAMPLER_8x8_STATE", "--preset", name)
    assert f"note: {reason}; left at zero here: table_0x, table_0y, table_1x, table_1y\n" in text
    assert text.count("  table_0x[") == 17
    assert "table_1y[16] (0, 0, 0, 0) DW4 15" in " ".join(text.split())
    assert reason in json.loads(_output(state, "SAMPLER_8x8_STATE", "--preset", name, "--json"))["note"]
    packed = _run(state, "--pack", "SAMPLER_8x8_STATE", "--preset", name)
    assert reason in packed.stderr
    assert len(packed.stdout.split()) == 138
    given = "table_1y=" + ",".join(["0", "1", "0", "0"] * 17)
    assert "table_0y, table_1x\n" in _output(state, "SAMPLER_8x8_STATE", "--preset", name, given)


def test_tables_are_printed_one_phase_per_line():
    text = _output(state, "--unpack", "SAMPLER_8x8_STATE", *["0"] * 138)
    assert max(map(len, text.splitlines())) < 80
    assert "note" not in text


def test_pack_and_unpack_are_inverse():
    packed = _output(
        state, "--pack", "MEDIA_SURFACE_STATE", "width=720", "height=576", "format=planar_420_8", "tile_mode=Y"
    )
    expected = MediaSurfaceState(width=720, height=576, format="PLANAR_420_8", tile_mode="Y")
    assert [int(dword, 16) for dword in packed.split()] == list(expected.to_dwords())
    fields = json.loads(_output(state, "--unpack", "--json", "MEDIA_SURFACE_STATE", *packed.split()))["fields"]
    assert (fields["width"], fields["height"], fields["format"], fields["tile_mode"]) == (720, 576, "PLANAR_420_8", "Y")
    assert "720" in _output(state, "--unpack", "MEDIA_SURFACE_STATE", *packed.split())


def test_commands_take_a_tail():
    packed = _output(state, "--pack", "3DSTATE_SAMPLER_PALETTE_LOAD0", "tail=ff102030,ff405060")
    assert packed.split() == ["0x79020001", "0xff102030", "0xff405060"]


def test_elements_of_a_command_are_printed():
    text = _output(state, "--unpack", "3DSTATE_VERTEX_BUFFERS", "78080003", "0400000c", "1000", "1fff", "0")
    assert "element 0: VERTEX_BUFFER_STATE index=1 pitch=12 start_address=4096 end_address=8191" in text


def test_reserved_bits_need_lenient():
    assert "reserved" in _error(state, "--unpack", "BINDING_TABLE_STATE", "0x21")
    assert "0x00000021" in _output(state, "--unpack", "--lenient", "BINDING_TABLE_STATE", "0x21")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a structure"),
        (["BORDER"], "there are SAMPLER_BORDER_COLOR_STATE"),
        (["SAMPLR_STAT"], "there are SAMPLER_STATE"),
        (["--unpack", "BINDING_TABLE_STATE", "xyz"], "BINDING_TABLE_STATE: 'xyz' is no hexadecimal dword"),
        (["--pack", "BINDING_TABLE_STATE", "pointer"], "'pointer' is not field=value"),
        (["--pack", "BINDING_TABLE_STATE", "pointer=1"], "no field pointer; fields: surface_state_pointer"),
        (["BINDING_TABLE_STATE", "--preset", "doc"], "presets: none"),
        (["--pack", "3DSTATE_SAMPLER_PALETTE_LOAD0", "tail=12,zz"], "'zz' is no hexadecimal dword"),
        (["MEDIA_SURFACE_STATE", "width=720", "width=3"], "MEDIA_SURFACE_STATE: width is set twice"),
        (["--pack", "--unpack", "BINDING_TABLE_STATE", "0"], "--unpack does not go with --pack"),
        (["--unpack", "DEINTERLACE_SAMPLER_STATE", "--preset", "i965"], "--unpack does not go with --preset"),
        (["--pack", "BINDING_TABLE_STATE", "--json"], "--pack does not go with --json"),
        (["--lenient", "BINDING_TABLE_STATE"], "--lenient needs --unpack"),
        (["--list", "foo"], "--list does not go with a name"),
        (["--list", "--pack"], "--list does not go with --pack"),
        (["MEDIA_SURFACE_STATE", "--generation", "7.3"], "no generation 7.3; there are 4 Broadwater, 4.5 Cantiga"),
        (["MEDIA_SURFACE_STATE", "--generation", "6"], "MEDIA_SURFACE_STATE exists on generation 7 and later, not on"),
        (["MEDIA_SURFACE_STATE", "--generation", "nan"], "not on generation nan"),
        (["DEINTERLACE_SAMPLER_STATE", "--preset", "i965", "--generation", "42"], "no generation 42"),
    ],
)
def test_bad_usage_says_what_there_is(arguments, message):
    assert message in _error(state, *arguments)


def test_formats_lists_and_filters():
    assert "222 of 222 formats, 42 of 42 of later generations" in _output(formats)
    astc = json.loads(_output(formats, "--json", "--filter", "ASTC", "--filter", "block=12x10"))
    assert {record["name"]: record["generation"] for record in astc} == {
        "ASTC_LDR_2D_12x10_U8sRGB": 9,
        "ASTC_LDR_2D_12x10_FLT16": 9,
        "ASTC_HDR_2D_12x10_FLT16": 9,
    }
    records = json.loads(_output(formats, "--json", "--filter", "can=shadow", "--filter", "bits=32"))
    assert {"R32_FLOAT", "R24_UNORM_X8_TYPELESS"} <= {record["name"] for record in records}
    assert all(record["bits"] == 32 and "shadow" in record["capabilities"] for record in records)
    blocks = json.loads(_output(formats, "--json", "--filter", "block=8x4"))
    assert [record["name"] for record in blocks] == ["FXT1"]
    later = json.loads(
        _output(formats, "--json", "--generation", "8", "--filter", "B8G8R8X8_UNORM", "--filter", "space=linear")
    )
    assert "render_target" in later[0]["capabilities"]
    assert "no filter 'size'" in _error(formats, "--filter", "size=4")


def test_media_formats_show_both_meanings():
    assert "STMM_DN_STATISTICS" in _output(formats, "--media")
    assert sum(record["code"] == 7 for record in json.loads(_output(formats, "--media", "--json"))) == 2


def test_media_formats_are_filtered():
    def names(*options):
        return {record["name"] for record in json.loads(_output(formats, "--media", "--json", *options))}

    every = names()
    assert names("--generation", "7") < names("--generation", "7.5") == every
    assert names("--filter", "swapuv") == {"YCRCB_SWAPUV", "YCRCB_SWAPUVY"}
    records = json.loads(
        _output(formats, "--media", "--json", "--filter", "bits=16", "--filter", "message=deinterlace")
    )
    assert records
    assert all(record["bits"] == 16 and "deinterlace" in record["messages"] for record in records)
    assert "2 of 19 formats" in _output(formats, "--media", "--filter", "swapuv")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--filter", "bits=abc"], "filter bits=abc: the number of bits is a whole number"),
        (["--filter", "block=4"], "filter block=4: a block is WIDTHxHEIGHT"),
        (["--filter", "can=zzz"], "filter can=zzz: there are blend, chroma_key"),
        (["--filter", "space=zzz"], "filter space=zzz: there are linear, srgb, ycbcr"),
        (["--filter", "NOTHING", "--filter", "can=zzz"], "filter can=zzz"),
        (["--media", "--filter", "bits="], "filter bits="),
        (["--media", "--filter", "can=filtering"], "no filter 'can'; there are bits, message, or"),
        (["--media", "--filter", "message=zzz"], "filter message=zzz: there are deinterlace, sample_8x8, vme"),
        (["--generation", "7.3"], "no generation 7.3; there are 4 Broadwater"),
        (["--generation", "6"], "from generation 7, not on 6"),
        (["--generation", "0"], "no generation 0"),
        (["--media", "--generation", "42"], "no generation 42"),
    ],
)
def test_filters_that_match_nothing_by_their_form_are_refused(arguments, message):
    assert message in _error(formats, *arguments)


def test_numbers_stay_numbers_in_json_unless_it_has_none_such():
    assert as_json_value((1.5, 3, math.inf, math.nan)) == [1.5, 3, "inf", "nan"]
