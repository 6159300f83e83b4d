"""Devices by name, and what texsamp says about those it finds."""

import numpy as np
import pytest

import texsamp
from texsamp import DeviceError, device
from texsamp.device import CpuDevice, cpu_device, devices, get_device
from texsamp.device.params import ParamsType, struct_dtype


@pytest.fixture
def no_cuda(monkeypatch):
    monkeypatch.setattr(device, "why_no_cuda", lambda: "nobody made one")
    monkeypatch.setattr("texsamp.device.cuda.why_no_cuda", lambda: "nobody made one")


def test_cpu_by_name():
    assert get_device("cpu") is cpu_device()
    assert get_device("cpu").name == "cpu"


def test_a_device_is_itself():
    own = CpuDevice()
    assert get_device(own) is own


def test_auto_without_cuda_is_the_cpu(no_cuda):
    assert get_device() is cpu_device()
    assert get_device("auto") is cpu_device()


def test_the_environment_names_what_auto_is(no_cuda, monkeypatch):
    monkeypatch.setenv("TEXSAMP_DEVICE", "cuda:7")
    assert get_device("cpu") is cpu_device()
    with pytest.raises(DeviceError, match="CUDA cannot be used: nobody made one"):
        get_device()
    monkeypatch.setenv("TEXSAMP_DEVICE", "")
    assert get_device() is cpu_device(), "empty is unset"
    monkeypatch.setenv("TEXSAMP_DEVICE", "gpu")
    with pytest.raises(DeviceError, match="device must be auto, cpu, cuda or cuda:N, found 'gpu'"):
        get_device("auto")


@pytest.mark.parametrize("name", ["cuda", "cuda:0", "cuda:7"])
def test_cuda_by_name_never_falls_back(no_cuda, name):
    with pytest.raises(DeviceError, match="CUDA cannot be used: nobody made one"):
        get_device(name)


@pytest.mark.parametrize(
    "name", ["", "gpu", "cuda:", "cuda:-1", "cuda:1000", "CPU", "cpu:0", "cuda:0x1", "auto:0", "cuda:²", None, 0]
)
def test_a_bad_name(name):
    with pytest.raises(DeviceError, match=f"device must be auto, cpu, cuda or cuda:N, found {name!r}"):
        get_device(name)


def test_devices_says_why_there_is_no_cuda(no_cuda):
    found = texsamp.devices()
    assert found["cuda"] == "not available: nobody made one"
    assert list(found) == ["cpu", "cuda"]


def test_devices_describes_the_cpu(monkeypatch):
    texsamp.set_threads(None)
    monkeypatch.setenv("TEXSAMP_THREADS", "1")
    text = devices()["cpu"]
    assert cpu_device().level in text
    assert text.endswith("1 thread")
    monkeypatch.setenv("TEXSAMP_THREADS", "2")
    assert devices()["cpu"].endswith("2 threads")


def test_parameters_name_every_field():
    point = ParamsType("Point", np.dtype([("x", "<i4"), ("far", "<u8"), ("pad_", "<i4")]))
    record = point(x=-3, far=1 << 40)
    assert record.item() == (-3, 1 << 40, 0)
    with pytest.raises(TypeError, match=r"Point takes \['far', 'x'\], found \['x'\]"):
        point(x=1)
    with pytest.raises(TypeError, match="Point takes"):
        point(x=1, far=2, z=4)


def test_a_struct_is_read_from_the_headers():
    tile = struct_dtype("PlaneParams")
    assert (tile.names, tile["lod"].fields["scale"][0].shape) == (("sample", "lod", "grid"), (3,))
    assert tile["sample"]["level"].base is struct_dtype("SampleLevel")
    with pytest.raises(LookupError, match="no struct Nonesuch"):
        struct_dtype("Nonesuch")
