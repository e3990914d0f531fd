"""What the tests need: the program, the Python package, a local Ray of two workers, 2 000 models, and what one process says of them.

`SKINSCOPE_PROGRAM` is the program; without it the one on the path. What is not there skips tests, and with `CI=true` fails them.
"""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import models
import pytest

HERE = pathlib.Path(__file__).resolve().parent
FILES = 2000
# Ray's and Spark's workers are processes of their own, which find the modules by this.
MODULES = [str(HERE.parent), str(HERE)]
os.environ["PYTHONPATH"] = os.pathsep.join([*MODULES, *filter(None, [os.environ.get("PYTHONPATH")])])
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
sys.path[:0] = MODULES


def missing(what):
    """Skips a test, or fails it where nothing may be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is not here")
    pytest.skip(f"{what} is not here")


def needs_package():
    if not importlib.util.find_spec("skinscope"):
        missing("the Python package skinscope")


@pytest.fixture(scope="session")
def program():
    found = os.environ.get("SKINSCOPE_PROGRAM") or shutil.which("skinscope")
    return found or missing("the program skinscope")


@pytest.fixture(scope="session", params=["package", "program"])
def way(request):
    """The arguments with which files are checked within the process, and by a process for each."""
    if request.param == "program":
        return {"command": [request.getfixturevalue("program")]}
    needs_package()
    return {}


@pytest.fixture(scope="session")
def fast_way(request):
    """The arguments with which many files are checked: within the process, or by a process for each where the package is not here."""
    if os.environ.get("CI") == "true" or importlib.util.find_spec("skinscope"):
        needs_package()
        return {}
    return {"command": [request.getfixturevalue("program")]}


@pytest.fixture(scope="session")
def paths(tmp_path_factory):
    return models.write_models(tmp_path_factory.mktemp("models"), FILES)


@pytest.fixture(scope="session")
def expected(paths, program, tmp_path_factory):
    """The lines that one process of the program prints for all models, in the order of the text."""
    names = tmp_path_factory.mktemp("list") / "models.txt"
    names.write_text("\n".join(paths))
    lines = printed([program, "check", "--list", str(names), "--json-lines"])
    assert len(lines) == FILES
    return sorted(lines)


@pytest.fixture(scope="session")
def ray():
    """A local Ray of two workers."""
    ray = pytest.importorskip("ray") if os.environ.get("CI") != "true" else importlib.import_module("ray")
    for turn in range(3):
        try:
            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
            break
        except Exception:
            # Ray waits half a minute for its processes, which is not enough on a machine that does other things.
            ray.shutdown()
            if turn == 2:
                raise
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


def printed(command, data=None):
    """Runs a command, and returns the lines that it prints."""
    out = subprocess.run(command, input=data, capture_output=True)
    assert out.returncode in (0, 1, 3), out.stderr.decode()
    return out.stdout.decode().splitlines()
