"""How well would it have done on mine? A finished draft's own citations, hidden one place at a time."""

from citewhy.backtest.measuring import Backtest, backtest

__all__ = ["Backtest", "backtest"]
