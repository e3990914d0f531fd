#!/usr/bin/env python3
"""How many files a second are checked, by one process, by a process for each file, within Python, and on Ray; and what a million files cost.

  many_files.py --program target/release/skinscope [--files 1000] [--rounds 5] [--only WAY ...] [--write docs/many-files.md]

The files are those of the corpus (SKINSCOPE_CORPUS, default ../shared/corpus) that are one .glb, or without it those of tests/fixtures, under as many
names as are wanted. Each way runs on one core and on two, which all of its processes share, in a process of its own; ways take turns, one round before the
others is not counted, and medians count. Where Ray is, its start is not measured. Every way has to say the same number of files for each way to end.

Prints a table, and writes it into a page with --write, between its marks. Needs two cores with nothing else on them, the release of the program, and in this
Python the package `skinscope`, built as a release too, and `ray`:

  python3.11 -m venv VENV && VENV/bin/pip install 'ray[data]==2.60.0' . && VENV/bin/python benches/versus/many_files.py --program target/release/skinscope
"""

import argparse
import json
import multiprocessing
import multiprocessing.pool
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "integrations/ray"))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "integrations/ray"), os.environ.get("PYTHONPATH")]))
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import skinscope_rows  # noqa: E402

BEGIN, END = "<!-- figures of benches/versus/many_files.py -->\n", "<!-- end of figures -->\n"


def check(path):
    return skinscope_rows.check({"path": path})


def check_by_program(path):
    return skinscope_rows.check({"path": path}, command=[os.environ["SKINSCOPE_PROGRAM"]])


def one_process(paths, cores):
    command = [os.environ["SKINSCOPE_PROGRAM"], "check", "--list", "-", "--json-lines"]
    out = subprocess.run(command, input="\n".join(paths).encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [skinscope_rows.columns(line) for line in out.stdout.decode().splitlines()]


def process_for_each(paths, cores):
    with multiprocessing.pool.ThreadPool(cores) as pool:
        return pool.map(check_by_program, paths, chunksize=1)


def python(paths, cores):
    if cores == 1:
        return [check(path) for path in paths]
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        return pool.map(check, paths, chunksize=16)


def on_ray(paths, cores, **arguments):
    import skinscope_ray

    return list(skinscope_ray.rows(paths, **arguments))


def process_for_each_on_ray(paths, cores):
    return on_ray(paths, cores, command=[os.environ["SKINSCOPE_PROGRAM"]])


WAYS = {
    "one process of the program, `check --list`": one_process,
    "a process of the program for each file": process_for_each,
    "the Python package, a process for each core": python,
    "the Python package on Ray": on_ray,
    "a process of the program for each file, on Ray": process_for_each_on_ray,
}


def measured(way, cores, paths):
    """Runs one way on so many cores; returns seconds, and how many files end in which way."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    run = WAYS[way]
    if "Ray" in way:
        import ray

        ray.init(num_cpus=cores, include_dashboard=False, log_to_driver=False, logging_level="error")
        # The workers start, and read their modules.
        run(paths[: 4 * cores], cores)
    begun = time.perf_counter()
    rows = run(paths, cores)
    seconds = time.perf_counter() - begun
    ends = [row["exit"] for row in rows]
    return seconds, {word: ends.count(word) for word in ("ok", "findings", "error")}


def models(folder, count):
    """Links so many models into a folder. Returns the paths, and their mean length in bytes."""
    corpus = pathlib.Path(os.environ.get("SKINSCOPE_CORPUS") or ROOT.parent / "shared/corpus") / "models"
    found = sorted(corpus.glob("*.glb")) or sorted((ROOT / "tests/fixtures").glob("figure*.glb"))
    own = [shutil.copy(path, folder / path.name) for path in found]
    paths = []
    for i in range(count):
        path = folder / f"{i:06}.glb"
        os.link(own[i % len(own)], path)
        paths.append(str(path))
    return paths, statistics.mean(os.path.getsize(path) for path in paths)


def once(way, cores, listed):
    """Runs this script for one way, in a process of its own."""
    out = subprocess.run([sys.executable, __file__, "--way", way, "--cores", str(cores), "--list", listed], stdout=subprocess.PIPE)
    if out.returncode != 0:
        sys.exit(f"{way} on {cores} cores ended with {out.returncode}")
    return json.loads(out.stdout.decode().splitlines()[-1])


def table(seconds, count):
    """Writes the medians as a table."""
    out = ["| how | files a second on one core | on two | a million files on one core | on two |", "|---|---|---|---|---|"]
    for way in dict.fromkeys(way for way, _ in seconds):
        rates = [count / statistics.median(seconds[way, cores]) for cores in (1, 2)]
        hours = [f"{1e6 / rate / 3600:.1f} h" for rate in rates]
        out.append(f"| {way} | {rates[0]:.0f} | {rates[1]:.0f} | {hours[0]} | {hours[1]} |")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "target/release/skinscope"))
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", metavar="WAY", help="those ways alone whose name has one of these texts")
    parser.add_argument("--write", metavar="PAGE")
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--cores", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--list", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.way:
        print(json.dumps(measured(args.way, args.cores, pathlib.Path(args.list).read_text().splitlines())))
        return
    os.environ["SKINSCOPE_PROGRAM"] = str(pathlib.Path(args.program).resolve())
    ways = [way for way in WAYS if not args.only or any(text in way for text in args.only)]
    with tempfile.TemporaryDirectory() as folder:
        paths, length = models(pathlib.Path(folder), args.files)
        listed = pathlib.Path(folder) / "list.txt"
        listed.write_text("\n".join(paths))
        seconds, all_ends = {}, set()
        for turn in range(args.rounds + 1):
            for way, cores in [(way, cores) for way in ways for cores in (1, 2)]:
                taken, ends = once(way, cores, str(listed))
                all_ends.add(json.dumps(ends))
                if turn > 0:
                    seconds.setdefault((way, cores), []).append(taken)
    if len(all_ends) != 1:
        sys.exit(f"not every way says the same: {all_ends}")
    kind = f"{args.files} files of {length / 1e6:.2f} MB on average, in the memory of the system, medians of {args.rounds} rounds:"
    text = f"{kind}\n\n{table(seconds, args.files)}"
    print(f"{text}\nends: {all_ends.pop()}")
    if args.write:
        page = pathlib.Path(args.write)
        before, rest = page.read_text().split(BEGIN)
        page.write_text(f"{before}{BEGIN}{text}{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
