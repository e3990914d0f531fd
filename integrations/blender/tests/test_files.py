"""Files that nobody needs any longer go, and no others."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import bpy
import pytest
import skinscope
from skinscope_blender import files, follow, operators
from test_follow import look_twice, opened, save_more, save_smoothed, with_layer  # noqa: F401

LATER = time.time() + (files.DAYS + 1) * 24 * 60 * 60


def ended():
    """The number of a process that has ended."""
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


@pytest.fixture
def folder(tmp_path):
    """A folder with a file as a session that is over has left it, and what the user put beside it."""
    (tmp_path / "rig.glb").write_bytes(b"sent")
    (tmp_path / "rig.glb.bak").write_bytes(b"before")
    (tmp_path / "mine.glb").write_bytes(b"sent")
    note(tmp_path)
    return tmp_path


def note(folder, **changes):
    """Writes the note of that file, as that session did."""
    said = {"digest": files.digest_of(b"sent").hex(), "host": files.platform.node(), "processes": [ended()], **changes}
    (folder / ".rig.glb.sent").write_text(json.dumps(said))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


ALL = [".rig.glb.sent", "mine.glb", "rig.glb", "rig.glb.bak"]


def test_an_old_file_goes_with_its_note_and_its_copy(folder):
    files.sweep(str(folder))
    assert names(folder) == ALL
    files.sweep(str(folder), LATER)
    assert names(folder) == ["mine.glb"]


def test_a_file_that_a_process_has_open_stays(folder):
    running = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    note(folder, processes=[ended(), running.pid])
    files.sweep(str(folder), LATER)
    assert names(folder) == ALL
    running.communicate(b"\n")
    files.sweep(str(folder), LATER)
    assert names(folder) == ["mine.glb"]


@pytest.mark.parametrize("changes", [{"host": "another"}, {"digest": ""}, {"processes": None}, {"processes": ["1"]}, {"processes": [1]}, {"processes": [1 << 80]}])
def test_a_file_stays_whose_note_does_not_say_that_it_may_go(folder, changes):
    note(folder, **changes)
    files.sweep(str(folder), LATER)
    assert names(folder) == ALL


def test_what_was_saved_stays(folder):
    (folder / "rig.glb").write_bytes(b"saved")
    files.sweep(str(folder), LATER)
    assert names(folder) == ALL
    (folder / ".rig.glb.sent").write_text("half a no")
    files.sweep(str(folder), LATER)
    assert names(folder) == ALL


def test_a_note_without_a_file_and_half_a_file_go_once_they_are_old(folder):
    (folder / "rig.glb").unlink()
    (folder / f"{files.PART}half").write_bytes(b"ha")
    before = names(folder)
    files.sweep(str(folder))
    assert names(folder) == before
    files.sweep(str(folder), LATER)
    assert names(folder) == ["mine.glb"]
    files.sweep(str(folder / "none"))


def test_a_file_that_this_blender_follows_stays_and_what_it_was_sent_is_known(opened, monkeypatch):  # noqa: F811
    path = Path(opened.path)

    def noted():
        return json.loads(Path(files.note_of(opened.path)).read_text())

    def digest():
        return files.digest_of(path.read_bytes()).hex()

    said = noted()
    assert said["processes"] == [os.getpid(), *opened.programs] and len(opened.programs) == 1
    assert said["digest"] == digest()
    save_smoothed(opened)
    look_twice()
    # Blender has taken the weights, and the program may have saved more than these.
    assert noted() == said and digest() != said["digest"]
    files.sweep(str(path.parent), LATER)
    assert path.exists()
    bpy.ops.skinscope.send()
    assert noted() == {**said, "digest": digest()}


def test_the_copy_of_what_the_program_has_saved_stays(opened):  # noqa: F811
    path = Path(opened.path)
    saved = save_more(opened, with_layer)
    bpy.ops.skinscope.send()
    said = Path(files.note_of(opened.path))
    said.write_text(json.dumps({**json.loads(said.read_text()), "processes": [ended()]}))
    files.sweep(str(path.parent), LATER)
    assert names(path.parent) == ["rig_saved.glb"] and (path.parent / "rig_saved.glb").read_bytes() == saved


def test_opening_a_character_sweeps_the_folder(opened, monkeypatch):  # noqa: F811
    path = Path(opened.path)
    said = {"digest": files.digest_of(b"sent").hex(), "host": files.platform.node(), "processes": [ended()]}
    old = path.parent / "old.glb"
    old.write_bytes(b"sent")
    Path(files.note_of(str(old))).write_text(json.dumps(said))
    for part in (old, Path(files.note_of(str(old)))):
        os.utime(part, (1, 1))
    follow.followed.clear()
    assert bpy.ops.skinscope.open() == {"FINISHED"}
    assert path.exists() and not old.exists() and not Path(files.note_of(str(old))).exists()
    assert skinscope.open(path.read_bytes()) and operators.look() == follow.SECONDS
