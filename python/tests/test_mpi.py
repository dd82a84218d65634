"""ricci.mpi on two and three ranks, by mpirun; skipped with words where something is missing."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import ricci
import ricci.mpi

pytest.importorskip("mpi4py", reason="mpi4py is not installed")
if shutil.which("mpirun") is None:
    pytest.skip("mpirun is not there", allow_module_level=True)
try:
    from ricci import _mpi  # noqa: F401
except ImportError as missing:
    pytest.skip(f"ricci was built without MPI: {missing}", allow_module_level=True)


@pytest.mark.parametrize("ranks", ["1", "2", "3"])
def test_ranks_agree_with_one(ranks):
    # Open MPI runs as root, and more ranks than there are cores, where it is told to
    told = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(pathlib.Path(ricci.__file__).parents[1])}
    script = pathlib.Path(__file__).with_name("ranks.py")
    ran = subprocess.run(["mpirun", "-n", ranks, sys.executable, script], capture_output=True,
                         text=True, timeout=120, env={**os.environ, **told})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"{ranks} ranks agree with one" in ran.stdout
