"""The precision of matrix products: fast where the device is, exact elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `lab`")

from citewhy_lab.train.devices import fast_products, has_bfloat16  # noqa: E402


@pytest.fixture
def processor(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Sets what torch says of the processor."""

    def is_one(capabilities: Mapping[str, Any]) -> None:
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities)
        has_bfloat16.cache_clear()

    yield is_one
    has_bfloat16.cache_clear()


def product() -> Any:
    return torch.ones(2, 2) @ torch.ones(2, 2)


@pytest.mark.parametrize(
    ("capabilities", "kind"),
    [
        ({"architecture": "x86_64", "avx2": True, "avx512_bf16": False}, torch.float32),
        ({"architecture": "x86_64", "avx2": True, "avx512_bf16": True}, torch.bfloat16),
        ({"architecture": "x86_64", "amx_bf16": True}, torch.bfloat16),
        ({"architecture": "aarch64", "neon": True, "bf16": True}, torch.bfloat16),
        ({"architecture": "aarch64", "neon": True}, torch.float32),
    ],
)
def test_products_follow_the_processor(processor: Any, capabilities: Mapping[str, Any], kind: Any) -> None:
    """A processor without instructions for bfloat16 emulates it, many times slower than 32 bits."""
    processor(capabilities)
    with fast_products(torch.device("cpu")):
        assert product().dtype == kind
    with fast_products(torch.device("cpu"), enabled=False):
        assert product().dtype == torch.float32


def test_this_processor_is_known() -> None:
    assert isinstance(has_bfloat16("cpu"), bool)
