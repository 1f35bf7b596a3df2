"""Backtests on finished drafts: each citation is hidden in turn and has to be found."""

from citewhy_lab.evaluate.backtest.measuring import Backtest, backtest

__all__ = ["Backtest", "backtest"]
