"""Backtests on finished drafts: each citation is hidden in turn and has to be found."""

from citewhy_lab.evaluate.backtest.measuring import backtest
from citewhy_lab.evaluate.backtest.outcome import Backtest

__all__ = ["Backtest", "backtest"]
