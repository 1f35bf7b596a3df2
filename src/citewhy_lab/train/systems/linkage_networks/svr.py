"""The source's support vector machine: a regression of 1 on pairs that are meant and 0 on pairs that are not.

Nomoto (2018, section 5) calls it Ranking SVM (SVR), and made it of scikit-learn's `svm.SVR`, trained on the
pairs of the binary network with f the elementwise product. No setting is given there: those of scikit-learn
stand here (a radial kernel, C = 1, ε = .1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVR

from citewhy_lab.train.systems.linkage_networks.bags import Bags

__all__ = ["fit_svr"]


def fit_svr(features: Bags, there: NDArray[np.bool_], true: int) -> Any:
    """The fitted `sklearn.svm.SVR`; its `predict` is higher for pairs that are meant.

    features [rows · width, words] row by row; there [rows, width] says which of the pairs exist, of which the
    first `true` of a row are meant.
    """
    meant = np.zeros(there.shape)
    meant[:, :true] = 1
    kept = there.ravel()
    return SVR().fit(features[kept], meant.ravel()[kept])
