"""What all tests share."""

import numpy as np
import pytest


@pytest.fixture
def random():
    """A generator of random numbers that is the same in every run."""
    return np.random.default_rng(1)


def pytest_sessionfinish(session, exitstatus):
    """A file that is skipped whole, for want of what it is about, is skipped to Meson, too."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = 77
