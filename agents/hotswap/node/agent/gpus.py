"""GPUs by NVIDIA's management library, where it is installed. Absent is unsupported, never zero."""

import importlib
from collections.abc import Callable
from typing import Any, Final, Self, TypeVar

import structlog

from hotswap.wire.plane import Device, Signal

_log = structlog.get_logger()

_MODULE: Final = "pynvml"
_PERCENT: Final = 100.0

_Value = TypeVar("_Value")


class Gpus:
    """Inventory and signals of the GPUs; implements `hotswap.node.agent.collector.Collector`."""

    def __init__(self, library: Any) -> None:  # noqa: ANN401 - it has no types
        """Ask ``library``, which has the interface of ``pynvml`` and is initialised."""
        self._library = library
        self._handles = [
            library.nvmlDeviceGetHandleByIndex(index)
            for index in range(library.nvmlDeviceGetCount())
        ]

    @classmethod
    def find(cls) -> Self | None:
        """Return the GPUs of this machine; None: nothing can tell whether it has any."""
        try:
            library = importlib.import_module(_MODULE)
        except ImportError:
            return None
        try:
            library.nvmlInit()
            return cls(library)
        except library.NVMLError as error:
            _log.info("gpus_unsupported", detail=str(error))
            return None

    def devices(self) -> tuple[Device, ...]:
        """Return the inventory."""
        library = self._library
        return tuple(
            Device(
                kind="gpu",
                index=index,
                model=self._ask(library.nvmlDeviceGetName, handle, _text),
                uuid=self._ask(library.nvmlDeviceGetUUID, handle, _text),
                memory_nbytes=self._ask(
                    library.nvmlDeviceGetMemoryInfo, handle, lambda memory: int(memory.total)
                ),
            )
            for index, handle in enumerate(self._handles)
        )

    def collect(self, *, unix_s: float) -> tuple[Signal, ...]:  # noqa: ARG002 - of the port
        """See `Collector.collect`."""
        return tuple(
            signal
            for index, handle in enumerate(self._handles)
            for signal in self._signals(index, handle)
        )

    def _signals(self, index: int, handle: object) -> tuple[Signal, ...]:
        library = self._library

        def temperature(each: object) -> object:
            return library.nvmlDeviceGetTemperature(each, library.NVML_TEMPERATURE_GPU)

        def uncorrected(each: object) -> object:
            return library.nvmlDeviceGetTotalEccErrors(
                each, library.NVML_MEMORY_ERROR_TYPE_UNCORRECTED, library.NVML_VOLATILE_ECC
            )

        def corrected(each: object) -> object:
            return library.nvmlDeviceGetTotalEccErrors(
                each, library.NVML_MEMORY_ERROR_TYPE_CORRECTED, library.NVML_VOLATILE_ECC
            )

        instruments: tuple[tuple[str, str, Callable[[object], object], float], ...] = (
            ("temperature", "celsius", temperature, 1.0),
            ("power", "watt", library.nvmlDeviceGetPowerUsage, 1000.0),
            ("ecc_corrected", "count", corrected, 1.0),
            ("ecc_uncorrected", "count", uncorrected, 1.0),
        )
        found = [
            Signal(name=f"gpu_{index}_{name}", value=value / scale, unit=unit)
            for name, unit, call, scale in instruments
            if (value := self._ask(call, handle, _float)) is not None
        ]
        busy = self._ask(
            library.nvmlDeviceGetUtilizationRates, handle, lambda rates: float(rates.gpu)
        )
        if busy is not None:
            found.append(
                Signal(name=f"gpu_{index}_utilisation", value=busy / _PERCENT, unit="ratio")
            )
        return tuple(found)

    def _ask(
        self,
        call: Callable[[Any], object],
        handle: object,
        read: Callable[[Any], _Value],
    ) -> _Value | None:
        """Ask one instrument; None: this GPU does not have it."""
        try:
            return read(call(handle))
        except self._library.NVMLError:
            return None


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _float(value: float) -> float:
    return float(value)
