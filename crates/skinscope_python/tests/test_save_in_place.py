"""Models that replace the files that they were read from: what the program writes, with copies of what was there, or nothing."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest
import skinscope
from conftest import FIXTURES, parts_of

FIGURE = FIXTURES / "figure.glb"
DATA = FIGURE.read_bytes()


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def figure_file(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    return Path(shutil.copy(FIGURE, folder / "hero.glb"))


@pytest.fixture
def odd_split(tmp_path: Path) -> Path:
    """Returns a .gltf whose buffer has a name with a space, beside a file that an output of this name would have."""
    document, buffer = parts_of(DATA)
    document["buffers"][0]["uri"] = "parts/body%20one.bin"
    folder = tmp_path / "several"
    (folder / "parts").mkdir(parents=True)
    (folder / "parts" / "body one.bin").write_bytes(buffer)
    (folder / "hero.bin").write_bytes(b"of another model")
    (folder / "hero.gltf").write_text(json.dumps(document, indent=1) + "\n")
    return folder / "hero.gltf"


def test_a_file_is_replaced_as_the_program_replaces_it_and_what_it_was_is_kept(figure_file, tmp_path, program):
    other = Path(shutil.copy(FIGURE, tmp_path / "hero.glb"))
    model = skinscope.open(figure_file)
    for number, limit in enumerate([2, 1]):
        before = figure_file.read_bytes()
        subprocess.run([program, "fix", "--in-place", f"--limit={limit}", "--", other], check=True)
        model.fix(limit=limit)
        copy = f"{figure_file}.bak{number or ''}"
        assert model.save(in_place=True) == (copy,)
        assert Path(copy).read_bytes() == before
        assert figure_file.read_bytes() == other.read_bytes() == model.to_bytes()
        # It goes on from there: there is nothing more to write, and what is written elsewhere is the same.
        assert model.save(figure_file, in_place=True) == ()
        assert model.save(tmp_path / "again.glb") == ()
        assert (tmp_path / "again.glb").read_bytes() == figure_file.read_bytes()
        assert model.diff(figure_file)["same"] and skinscope.open(figure_file).diff(model)["same"]
    assert sorted(files_of(figure_file.parent)) == ["hero.glb", "hero.glb.bak", "hero.glb.bak1"]


def test_a_model_that_is_as_it_was_writes_nothing(figure_file, odd_split):
    for path in [figure_file, odd_split]:
        before = {one: one.stat().st_mtime_ns for one in path.parent.rglob("*") if one.is_file()}
        model = skinscope.open(path)
        assert model.save(in_place=True) == ()
        model.fix(limit=8)
        assert model.save(in_place=True) == ()
        assert {one: one.stat().st_mtime_ns for one in path.parent.rglob("*") if one.is_file()} == before


@pytest.mark.parametrize("limits", [[2], [3, 2, 1]])
def test_several_files_are_replaced_under_their_own_names_after_any_number_of_edits(limits, odd_split, tmp_path, program):
    original = odd_split.parent
    other = shutil.copytree(original, tmp_path / "program")
    model = skinscope.open(odd_split)
    buffer = (original / "parts" / "body one.bin").read_bytes()
    for limit in limits:
        subprocess.run([program, "fix", "--in-place", f"--limit={limit}", "--", other / "hero.gltf"], check=True)
        model.fix(limit=limit)
    scratch = Path(os.fspath(model._content.file)).parent
    copies = model.save(in_place=True)
    assert not scratch.exists(), "the temporary folder is gone"
    for name in ["hero.gltf", "hero.bin", "parts/body one.bin"]:
        assert (original / name).read_bytes() == (other / name).read_bytes(), name
    assert str(original / "parts" / "body one.bin.bak") in copies
    assert (original / "parts" / "body one.bin.bak").read_bytes() == buffer
    assert skinscope.open(odd_split).diff(model)["same"]
    # It goes on from there.
    model.fix(smooth=1)
    own = model.primitives[0].weights()
    assert model.save(in_place=True)
    np.testing.assert_array_equal(skinscope.open(odd_split).primitives[0].weights(), own)
    model.fix(limit=1)
    model.save(tmp_path / "elsewhere.gltf")
    assert skinscope.open(tmp_path / "elsewhere.gltf").diff(model)["same"]


def test_weights_that_are_set_are_saved_in_place(figure_file, odd_split):
    for path in [figure_file, odd_split]:
        model = skinscope.open(path)
        rows = np.zeros_like(model.primitives[0].weights())
        rows[:, 3] = 1
        model.primitives[0].set_weights(rows)
        assert model.save(in_place=True)
        np.testing.assert_array_equal(skinscope.open(path).primitives[0].weights(), rows)
        np.testing.assert_array_equal(model.primitives[0].weights(), rows)


def test_what_another_program_has_written_is_never_replaced(figure_file, odd_split):
    for path, changed in [(figure_file, figure_file), (odd_split, odd_split), (odd_split, odd_split.parent / "parts" / "body one.bin")]:
        model = skinscope.open(path)
        model.fix(limit=1)
        own = model.primitives[0].weights()
        changed.write_bytes(changed.read_bytes() + b" " * 4)
        before = {one: one.read_bytes() for one in path.parent.rglob("*") if one.is_file()}
        with pytest.raises(skinscope.Error, match="changed by another program"):
            model.save(in_place=True)
        assert {one: one.read_bytes() for one in path.parent.rglob("*") if one.is_file()} == before
        np.testing.assert_array_equal(model.primitives[0].weights(), own)


def test_a_copy_of_a_model_does_not_replace_what_the_model_has_saved(figure_file):
    model = skinscope.open(figure_file)
    twin = model.copy()
    model.fix(limit=2)
    twin.fix(limit=1)
    model.save(in_place=True)
    with pytest.raises(skinscope.Error, match="changed by another program"):
        twin.save(in_place=True)
    assert figure_file.read_bytes() == model.to_bytes()


def test_where_writing_fails_the_model_and_the_files_stay(figure_file, odd_split, tmp_path):
    for path in [figure_file, odd_split]:
        model = skinscope.open(path)
        model.fix(limit=1)
        own = model.primitives[0].weights()
        away = path.parent.rename(tmp_path / "away")
        with pytest.raises(skinscope.Error):
            model.save(in_place=True)
        away.rename(path.parent)
        np.testing.assert_array_equal(model.primitives[0].weights(), own)
        assert not list(path.parent.rglob("*.bak")) and model.save(in_place=True)
        assert skinscope.open(path).diff(model)["same"]
        for copy in path.parent.rglob("*.bak"):
            copy.unlink()


def test_what_has_no_file_says_so(figure_file, tmp_path):
    sent = pickle.loads(pickle.dumps(skinscope.open(figure_file)))
    for model in [skinscope.open(DATA), sent]:
        model.fix(limit=1)
        with pytest.raises(skinscope.Error, match="from bytes or came from another process"):
            model.save(in_place=True)
    model = skinscope.open(figure_file)
    model.fix(limit=1)
    for wrong, match in [
        ({}, "in_place=True"),
        ({"path": figure_file}, "this file is read"),
        ({"path": tmp_path / "other.glb", "in_place": True}, "another one"),
        ({"path": 5}, "a path was expected"),
    ]:
        with pytest.raises(skinscope.Error, match=match):
            model.save(**wrong)
    assert figure_file.read_bytes() == DATA and not (tmp_path / "other.glb").exists()


def test_two_buffers_that_are_one_file_are_not_replaced(split):
    document = json.loads(split.read_text())
    weights = document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"]
    document["bufferViews"][document["accessors"][weights]["bufferView"]]["buffer"] = 1
    document["buffers"].append(dict(document["buffers"][0]))
    split.write_text(json.dumps(document))
    before = files_of(split.parent)
    model = skinscope.open(split)
    model.fix(limit=1)
    with pytest.raises(skinscope.Error, match="several buffers of the model are this file"):
        model.save(in_place=True)
    assert files_of(split.parent) == before


@pytest.mark.skipif(os.name != "posix", reason="not every system says how many names a file has")
@pytest.mark.parametrize("keeps", [False, True])
def test_a_file_with_two_names_stays_one_where_that_is_asked_for(keeps, figure_file):
    other = figure_file.parent / "other.glb"
    os.link(figure_file, other)
    model = skinscope.open(figure_file)
    model.fix(limit=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.save(in_place=True, keep_links=keeps)
    said = [str(one.message) for one in caught if one.category is skinscope.Notice]
    assert (len(said), all("1 other hard link, which keeps" in one for one in said)) == (0 if keeps else 1, True)
    assert figure_file.read_bytes() == model.to_bytes()
    assert other.read_bytes() == (model.to_bytes() if keeps else DATA)
