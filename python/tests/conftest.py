"""What all tests share."""

import numpy as np
import pytest


@pytest.fixture
def random():
    """A generator of random numbers that is the same in every run."""
    return np.random.default_rng(1)
