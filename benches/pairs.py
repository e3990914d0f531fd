#!/usr/bin/env python3
"""Commands in turn (A B C A B C ...), and figures of one against figures of another as medians of same-round ratios.

  pairs.py [-n ROUNDS] [--timeout SECS] [--title TITLE --history FILE] --run NAME=COMMAND ... --row 'LABEL|NAME:FILTER:FIELD|NAME:FILTER:FIELD|MOST' ...

One round before the others is not counted. A command is split as a shell splits words. Of each run are kept its wall time
(`wall_ms`), processor time, user and system (`cpu_ms`), and peak memory (`rss_mib`) - with an empty FILTER - and every JSON
object that it prints on a line of its own, which FILTER picks: `case=playback;joints=70`. An object may be picked by more
than one round, and by one only in each.

Prints one row of a Markdown table for each --row: the label, both medians, the median ratio of the rounds with its least
and greatest, MOST (the ratio that is wanted; may be empty), and whether it is kept. A first figure without a second stands
alone.

With --history, each ratio is appended to the table in FILE too, as a row of date, commit, TITLE with LABEL, ratio, its least
and greatest, and MOST. The commit is that of the working tree, with a `+` where it has changes.
"""
import argparse
import datetime
import json
import os
import shlex
import statistics
import subprocess
import sys
import threading
import time


def run(command, timeout):
    start = time.perf_counter()
    child = subprocess.Popen(shlex.split(command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    alarm = threading.Timer(timeout, child.kill)
    alarm.start()
    out = child.stdout.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    alarm.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"exit {child.returncode}: {command}")
    records = [{
        "wall_ms": (time.perf_counter() - start) * 1e3,
        "cpu_ms": (usage.ru_utime + usage.ru_stime) * 1e3,
        "rss_mib": usage.ru_maxrss / 1024,
    }]
    for line in out.splitlines():
        line = line.strip()
        if line.startswith("{") and line.endswith("}"):
            try:
                records.append(json.loads(line))
            except ValueError:
                pass
    return records


def figure(records, wanted):
    """The number that `FILTER:FIELD` names among the records of one run."""
    wanted_filter, field = wanted
    if not wanted_filter:
        process = records[0]
        if field in process:
            return process[field]
    pairs = [p.split("=", 1) for p in wanted_filter.split(";") if p]
    fits = [r for r in records[1:] if field in r and all(str(r.get(k)) == v for k, v in pairs)]
    if len(fits) != 1:
        sys.exit(f"{len(fits)} objects have {wanted_filter!r} with {field!r}; one is wanted")
    return float(fits[0][field])


def commit():
    """The commit of the working tree, with a `+` where files that are tracked differ from it."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout.strip()
    return git("rev-parse", "--short=7", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def remember(path, title, rows):
    """Appends rows of label, ratios and wanted ratio to the history."""
    today, of = datetime.date.today().isoformat(), commit()
    with open(path, "a") as file:
        for label, ratios, most in rows:
            ratio = f"{statistics.median(ratios):.3f} | {min(ratios):.3f}…{max(ratios):.3f}"
            file.write(f"| {today} | {of} | {title}: {label} | {ratio} | {most and '≤ ' + most} |\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=7)
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--title", default="")
    parser.add_argument("--history")
    parser.add_argument("--run", action="append", required=True)
    parser.add_argument("--row", action="append", required=True)
    args = parser.parse_args()
    commands = [c.split("=", 1) for c in args.run]
    rounds = []
    for number in range(args.n + 1):
        done = {name: run(command, args.timeout) for name, command in commands}
        if number > 0:
            rounds.append(done)
    kept_rows = []
    for row in args.row:
        label, first, second, most = row.split("|")

        def values(spec):
            name, rest = spec.split(":", 1)
            return [figure(r[name], rest.rsplit(":", 1)) for r in rounds]

        ours = values(first)
        cell = f"{statistics.median(ours):.4g}"
        if not second:
            print(f"| {label} | {cell} | | | | |")
            continue
        others = values(second)
        ratios = [a / b for a, b in zip(ours, others)]
        ratio = statistics.median(ratios)
        kept_rows.append((label, ratios, most))
        kept = "" if not most else "yes" if ratio <= float(most) else "**no**"
        spread = f"{ratio:.3f} ({min(ratios):.3f}…{max(ratios):.3f})"
        print(f"| {label} | {cell} | {statistics.median(others):.4g} | {spread} | {most and '≤ ' + most} | {kept} |")
    sys.stdout.flush()
    if args.history:
        remember(args.history, args.title, kept_rows)


main()
