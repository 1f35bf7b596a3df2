"""How well would it have done on mine? A finished draft's own citations, hidden one place at a time."""

from citewhy.evaluate.backtest.measuring import backtest
from citewhy.evaluate.backtest.outcome import Backtest

__all__ = ["Backtest", "backtest"]
