"""How well would it have done on mine? A finished draft's own citations, hidden one place at a time."""

from citewhy.backtest.measuring import backtest
from citewhy.backtest.outcome import Backtest

__all__ = ["Backtest", "backtest"]
