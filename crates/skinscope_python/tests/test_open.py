"""Opening models, and their parts beside what the file says."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
import skinscope
from conftest import CORPUS, FIXTURES, REPOSITORY, missing, parts_of

DATA = (FIXTURES / "figure.glb").read_bytes()


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview])
def test_bytes_open_like_the_file(make, figure):
    model = skinscope.open(make(DATA))
    assert (model.name, model.path) == ("model.glb", None)
    assert model.to_bytes() == DATA == figure.to_bytes()
    assert model.diff(figure)["same"] and model.info()["counts"] == figure.info()["counts"]


def test_a_model_of_bytes_has_the_name_that_it_is_given():
    with pytest.raises(skinscope.Error, match="hero.glb"):
        skinscope.open(DATA[:200], name="hero.glb")
    assert skinscope.open(DATA, name="hero.glb").check().report["path"] == "hero.glb"


def test_a_file_that_is_missing_or_bad_is_an_error_with_the_words_of_the_program(tmp_path):
    for source in [tmp_path / "none.glb", b"", b"glTF", DATA[: len(DATA) // 2], str(tmp_path)]:
        with pytest.raises(skinscope.Error) as raised:
            skinscope.open(source)
        assert raised.value.exit_code == 1 and str(raised.value)
    for wrong in [None, 7, io.BytesIO(DATA)]:
        with pytest.raises(skinscope.Error, match="a path or bytes were expected"):
            skinscope.open(wrong)
    with pytest.raises(skinscope.Error, match="max_memory"):
        skinscope.open(DATA, max_memory=1)
    assert issubclass(skinscope.Error, Exception) and skinscope.Error("a").exit_code == 2


def test_errors_call_a_file_what_it_was_called(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "bad.glb").write_bytes(DATA[:200])
    for name in ["a/bad.glb", "./a/bad.glb", "a/none.glb", str(tmp_path / "a" / "bad.glb")]:
        with pytest.raises(skinscope.Error) as raised:
            skinscope.open(name)
        assert str(raised.value).startswith(f"{name}: ") and raised.value.exit_code == 1


def test_a_check_that_takes_longer_than_its_time_limit_is_an_error(figure):
    character = skinscope.open(REPOSITORY / "assets" / "character.glb", name="character.glb")
    with pytest.raises(skinscope.Error, match="character.glb: it takes longer than the 0.2 s of --time-limit") as raised:
        character.check(rom=True, rom_step=1, rom_degrees=180, rom_seconds="unlimited", time_limit=0.2)
    assert raised.value.exit_code == 1
    assert figure.check(time_limit=3600).report == figure.check().report


def test_bad_files_of_the_corpus_are_errors_and_nothing_else(corpus):
    files = [path for path in sorted((corpus / "malformed").rglob("*")) if path.suffix in (".glb", ".gltf")]
    assert len(files) > 50
    refused = 0
    for path in files:
        try:
            skinscope.open(path, max_memory=256).check()
        except skinscope.Error as error:
            refused += error.exit_code == 1
    assert refused > 30


def test_nodes_skins_and_clips_are_those_of_the_file(figure):
    document, buffer = parts_of(DATA)
    assert [node.name for node in figure.nodes] == [node["name"] for node in document["nodes"]]
    for node, stored in zip(figure.nodes, document["nodes"], strict=True):
        assert list(node.children) == stored.get("children", [])
        assert (node.mesh, node.skin) == (stored.get("mesh"), stored.get("skin"))
        assert all(figure.nodes[child].parent == node.index for child in node.children)
    skin, stored = figure.skins[0], document["skins"][0]
    assert list(skin.joints) == stored["joints"] and all(figure.nodes[joint].is_joint for joint in skin.joints)
    view = document["bufferViews"][document["accessors"][stored["inverseBindMatrices"]]["bufferView"]]
    raw = np.frombuffer(buffer, "<f4", len(skin.joints) * 16, view.get("byteOffset", 0))
    binds = raw.reshape(-1, 4, 4).transpose(0, 2, 1)
    assert skin.inverse_bind_matrices.dtype == np.float32
    np.testing.assert_array_equal(skin.inverse_bind_matrices, binds)
    assert [clip.name for clip in figure.clips] == ["Walk"] and figure.clips[0].end > figure.clips[0].start


def test_matrices_of_nodes_are_those_of_their_parents_times_their_own(figure):
    for node in figure.nodes:
        above = np.eye(4) if node.parent is None else figure.nodes[node.parent].world
        np.testing.assert_allclose(above @ node.rest, node.world, atol=1e-5)
        np.testing.assert_array_equal(node.rest[3], [0, 0, 0, 1])


def test_what_reading_has_repaired_is_said():
    if not CORPUS.is_dir():
        missing("the corpus")
    assert any(skinscope.open(path).warnings for path in sorted((CORPUS / "malformed").rglob("*.gl*")) if _opens(path))


def _opens(path: Path) -> bool:
    try:
        skinscope.open(path, max_memory=256)
    except skinscope.Error:
        return False
    return True


def test_a_gltf_in_memory_names_no_files(split):
    with pytest.raises(skinscope.Error, match="memory"):
        skinscope.open(split.read_bytes())
    document = json.loads(split.read_text())
    import base64

    data = base64.b64encode((split.parent / "figure.bin").read_bytes()).decode()
    document["buffers"][0]["uri"] = f"data:application/octet-stream;base64,{data}"
    model = skinscope.open(json.dumps(document).encode())
    assert model.name == "model.gltf" and len(model.skins) == 1
