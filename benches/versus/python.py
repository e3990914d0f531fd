#!/usr/bin/env python3
"""What the Python package costs beside the program: many models, weights as arrays, memory over many models.

  python.py [--skinscope PROGRAM] [--models FOLDER ...] [--rounds 5] [--opens 10000] [--json]

Needs the package built for speed (`pip install .`) and the program likewise (`cargo build --release`), both of one version.

- **Many models**: every .glb and .gltf below the folders (by default the corpus and the cases beside it, without the malformed ones) is opened and
  checked by as many threads as there are cores, beside a process of `skinscope check --list` for each file, one after the other, and one
  process for all. The least of the rounds counts, of each. At most 0.8 of the one, and 1.05 of the other.
- **Weights**: those of 300 000 vertices and 200 joints as rows of pairs, at most 15 ms.
- **Memory**: resident memory over so many models that are opened and checked, within 2 % of what it is after a fifth of them.

Ends with 1 where a goal is missed.
"""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import skinscope

REPOSITORY = Path(__file__).resolve().parents[2]


def models(folders):
    """Returns the files to check: those that load."""
    out = []
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.suffix in (".glb", ".gltf") and "malformed" not in path.parts:
                out.append(path)
    return out


def least(rounds, work):
    """Returns the least time that a piece of work takes, seconds."""
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)


def opened_and_checked(path):
    try:
        return len(skinscope.open(path).check())
    except skinscope.Error:
        return 0


def many_models(program, paths, rounds):
    lists = []
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate([None, *paths]):
            lists.append(Path(folder) / f"{number}.txt")
            lists[-1].write_text("\n".join(map(str, paths if path is None else [path])) + "\n")

        def run(listed):
            subprocess.run([program, "check", "--list", listed], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def package():
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(opened_and_checked, paths))

        def serially():
            for path in paths:
                opened_and_checked(path)

        package()
        return {
            "models": len(paths),
            "package_s": least(rounds, package),
            "package_one_thread_s": least(rounds, serially),
            "process_each_s": least(rounds, lambda: [run(listed) for listed in lists[1:]]),
            "process_s": least(rounds, lambda: run(lists[0])),
        }


def large_glb(vertices, joints):
    """Makes a file of a strip of triangles whose vertices follow four joints each."""
    generator = np.random.default_rng(1)
    positions = generator.random((vertices, 3), np.float32)
    own = np.argsort(generator.random((vertices, 8)), axis=1)[:, :4].astype(np.uint16)
    own += generator.integers(0, joints - 8, (vertices, 1), np.uint16)
    weights = generator.random((vertices, 4), np.float32) + np.float32(0.1)
    weights /= weights.sum(axis=1, keepdims=True)
    indices = (np.arange(vertices // 3 * 3)).astype(np.uint32)
    parts = [positions, own, weights, indices]
    kinds = [("VEC3", 5126), ("VEC4", 5123), ("VEC4", 5126), ("SCALAR", 5125)]
    views, accessors, offset = [], [], 0
    for part, (kind, component) in zip(parts, kinds, strict=True):
        views.append({"buffer": 0, "byteOffset": offset, "byteLength": part.nbytes})
        accessors.append({"bufferView": len(accessors), "componentType": component, "count": len(part), "type": kind})
        offset += part.nbytes
    accessors[0].update(min=positions.min(axis=0).tolist(), max=positions.max(axis=0).tolist())
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": 0, "skin": 0}, *({"children": [n + 2]} for n in range(joints - 1)), {}],
        "skins": [{"joints": list(range(1, joints + 1))}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 3}]}],
        "bufferViews": views,
        "accessors": accessors,
        "buffers": [{"byteLength": offset}],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    buffer = b"".join(part.tobytes() for part in parts)
    buffer += b"\0" * (-len(buffer) % 4)
    head = struct.pack("<4sIII4s", b"glTF", 2, 28 + len(text) + len(buffer), len(text), b"JSON")
    return head + text + struct.pack("<I4s", len(buffer), b"BIN\0") + buffer


def weights(rounds):
    primitive = skinscope.open(large_glb(300_000, 200)).primitives[0]
    indptr, _, data = primitive.weights("csr")
    assert len(indptr) == 300_001 and len(data) == 1_200_000
    return {"csr_ms": 1e3 * least(3 * rounds, lambda: primitive.weights("csr"))}


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def memory(opens):
    path = REPOSITORY / "tests" / "fixtures" / "figure.glb"
    data, taken = path.read_bytes(), []
    for number in range(opens):
        skinscope.open(data if number % 2 else path).check()
        if number >= opens // 5 and number % max(opens // 100, 1) == 0:
            taken.append(resident())
    return {"opens": opens, "memory_mib": taken[0] / 2**20, "most": max(taken) / taken[0], "least": min(taken) / taken[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpus = Path(os.environ.get("SKINSCOPE_CORPUS", REPOSITORY / ".." / "shared" / "corpus"))
    parser.add_argument("--skinscope", default=REPOSITORY / "target" / "release" / "skinscope")
    parser.add_argument("--models", nargs="+", default=[corpus, corpus.parent / "cases"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--opens", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = {**many_models(args.skinscope, models(args.models), args.rounds), **weights(args.rounds), **memory(args.opens)}
    found["of_process_each"] = found["package_s"] / found["process_each_s"]
    found["of_process"] = found["package_s"] / found["process_s"]
    goals = {
        "of_process_each": (0, 0.8),
        "of_process": (0, 1.05),
        "csr_ms": (0, 15),
        "most": (0, 1.02),
        "least": (0.98, 2),
    }
    missed = [name for name, (low, high) in goals.items() if not low <= found[name] <= high]
    if args.json:
        print(json.dumps({**found, "missed": missed}))
    else:
        for name, value in found.items():
            goal = f"  (wanted: {goals[name][0]} to {goals[name][1]})" if name in goals else ""
            print(f"{name:22} {value:10.3f}{goal}")
        print("missed: " + ", ".join(missed) if missed else "all goals are reached")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
