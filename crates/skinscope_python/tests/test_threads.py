"""Models that threads share, calls that Ctrl+C ends, and memory that does not grow."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import skinscope
from conftest import FIXTURES

FIGURE = FIXTURES / "figure.glb"


def test_threads_share_a_model_that_others_edit(figure):
    weights = [np.zeros((587, 39)) for _ in range(2)]
    weights[0][:, 3], weights[1][:, 4] = 1, 1

    def work(number: int) -> bool:
        if number % 4 == 0:
            figure.set_weights(0, 0, weights[number // 4 % 2])
        elif number % 4 == 1:
            figure.check()
        elif number % 4 == 2:
            figure.deform(clip=0, seconds=0.1 * (number % 5))
        found = figure.primitives[0].weights()
        return any(np.array_equal(found, one) for one in weights)

    figure.set_weights(0, 0, weights[0])
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(64)))


def test_locks_are_set_while_no_other_thread_changes_the_model(figure):
    joint = figure.skins[0].joints[0]
    for owner in (figure, figure.primitives[0]):
        figure.locks = ()
        thread = threading.Thread(target=setattr, args=(owner, "locks", joint))
        with figure._lock:
            thread.start()
            thread.join(0.1)
            assert not figure.locks
        thread.join()
        assert figure.locks == {joint}


def test_the_interpreter_is_free_while_the_library_works(figure):
    turns = 0
    done = threading.Event()

    def work() -> None:
        figure.check(rom=True, rom_step=5)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        turns += 1
        time.sleep(0.001)
    thread.join()
    assert turns > 3


def test_threads_with_little_stack_have_the_same_findings(figure):
    wanted, found = figure.check(rom=True).json_line(), []
    before = threading.stack_size(1 << 16)
    try:
        thread = threading.Thread(target=lambda: found.append(figure.check(rom=True).json_line()))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert found == [wanted]


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("work", ["rom", "bind", "bake"])
def test_ctrl_c_ends_a_call_at_once_and_leaves_the_model_as_it_was(figure, work, tmp_path):
    data = figure.to_bytes()
    # What writes files takes signals in the program, and must not here.
    figure.save(tmp_path / "copy.glb")
    calls = {
        "rom": lambda: [figure.check(rom=True, rom_step=1, rom_degrees=180, rom_seconds="unlimited") for _ in range(50)],
        "bind": lambda: [figure.bind("heat") for _ in range(500)],
        "bake": lambda: [figure.bake_weights(from_="dual") for _ in range(500)],
    }
    sent = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        calls[work]()
    assert time.monotonic() - sent[0] < 2, "it was ended, and did not run to its end"
    timer.join()
    if work == "rom":
        assert figure.to_bytes() == data
    assert figure.check() is not None


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def memory_after(opens: int) -> list[int]:
    data = FIGURE.read_bytes()
    taken = []
    for number in range(opens):
        model = skinscope.open(data if number % 2 else FIGURE)
        model.check()
        _ = model.primitives[0].positions, model.primitives[0].weights("csr")
        if number >= opens // 5 and number % (opens // 20) == 0:
            taken.append(resident())
    return taken


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read as Linux tells it")
def test_memory_stays_flat_over_many_models():
    taken = memory_after(400)
    assert max(taken) <= 1.05 * taken[0], taken


@pytest.mark.full
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read as Linux tells it")
def test_memory_stays_flat_over_ten_thousand_models():
    taken = memory_after(10_000)
    assert max(taken) <= 1.02 * taken[0] and min(taken) >= 0.98 * taken[0], taken
