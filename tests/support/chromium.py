"""The system's Chromium, for the tests and the pictures of the page. As a program, installs it where apt-get
can."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def found() -> str | None:
    """The program, or None. `CITEWHY_CHROMIUM` names another one."""
    given = os.environ.get("CITEWHY_CHROMIUM")
    return given or next(filter(None, map(shutil.which, _NAMES)), None)


def install() -> None:
    """Installs it where this user may; says so where not."""
    if found():
        return
    if not shutil.which("apt-get") or os.geteuid() != 0:
        print("There is no Chromium, and it cannot be installed here: the tests of the page are skipped.")
        return
    subprocess.run(["apt-get", "-qq", "update"], check=False, capture_output=True)
    packages = ("chromium", "fonts-noto-core")
    wanted = ["apt-get", "-qq", "install", "-y", "--no-install-recommends", *packages]
    subprocess.run(wanted, check=False, capture_output=True)
    if not found():
        print("Chromium is not to be had: the tests of the page are skipped.")


if __name__ == "__main__":
    install()
    sys.exit(0)
