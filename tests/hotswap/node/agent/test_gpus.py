"""GPUs by NVIDIA's library: what one does not support is absent, never zero."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from hotswap.node.agent.gpus import Gpus
from hotswap.node.agent.inventory import take_inventory
from hotswap.wire.plane import Device


class NVMLError(Exception):
    """As the library has it."""


def library(*, count: int = 1, ecc: bool = True) -> Any:
    """Stand in for ``pynvml``."""

    def unsupported(*_: object) -> int:
        raise NVMLError("not supported")

    return SimpleNamespace(
        NVMLError=NVMLError,
        NVML_TEMPERATURE_GPU=0,
        NVML_MEMORY_ERROR_TYPE_CORRECTED=0,
        NVML_MEMORY_ERROR_TYPE_UNCORRECTED=1,
        NVML_VOLATILE_ECC=0,
        nvmlInit=lambda: None,
        nvmlDeviceGetCount=lambda: count,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetName=lambda _: b"H200",
        nvmlDeviceGetUUID=lambda index: f"GPU-{index}",
        nvmlDeviceGetMemoryInfo=lambda _: SimpleNamespace(total=141 << 30),
        nvmlDeviceGetTemperature=lambda *_: 61,
        nvmlDeviceGetPowerUsage=lambda _: 350_000,
        nvmlDeviceGetTotalEccErrors=(lambda _, kind, __: 7 - kind) if ecc else unsupported,
        nvmlDeviceGetUtilizationRates=lambda _: SimpleNamespace(gpu=85),
    )


def values(gpus: Gpus) -> dict[str, float | None]:
    return {signal.name: signal.value for signal in gpus.collect(unix_s=0.0)}


def test_every_gpu_is_read() -> None:
    gpus = Gpus(library(count=2))
    assert gpus.devices()[1] == Device(
        kind="gpu", index=1, model="H200", uuid="GPU-1", memory_nbytes=141 << 30
    )
    assert values(gpus) == {
        f"gpu_{index}_{name}": value
        for index in range(2)
        for name, value in {
            "temperature": 61.0,
            "power": 350.0,
            "ecc_corrected": 7.0,
            "ecc_uncorrected": 6.0,
            "utilisation": 0.85,
        }.items()
    }


def test_what_a_gpu_does_not_support_is_absent() -> None:
    assert "gpu_0_ecc_corrected" not in values(Gpus(library(ecc=False)))


def test_a_machine_without_gpus_has_none_which_is_not_unknown() -> None:
    assert take_inventory(Gpus(library(count=0))).devices == ()


def test_without_the_library_or_the_driver_nothing_can_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert Gpus.find() is None
    broken = library()

    def fail() -> None:
        raise NVMLError("driver not loaded")

    broken.nvmlInit = fail
    monkeypatch.setitem(sys.modules, "pynvml", broken)
    assert Gpus.find() is None
    monkeypatch.setitem(sys.modules, "pynvml", library(count=3))
    found = Gpus.find()
    assert found is not None
    assert len(found.devices()) == 3
