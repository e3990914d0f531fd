#!/usr/bin/env python3
"""Checks the skins of glTF models on a Ray cluster, and gathers a line of JSON for each, which `skinscope report merge` joins.

  skinscope_ray.py models more/hero.glb --list names.txt --out findings.jsonl -- --fail-on warning --rules weights-zero,weights-sum

Files are read by the workers, from paths that all of them see, or from URIs that pyarrow reads (s3://bucket/models). A file that does not load is a line
with its reason. So is a file whose check ends its process three times over, on whichever worker; the other files of its block are checked again.

Lines are written into FINDINGS.jsonl.part as they come, in any order, and the file has its name once each file has its one line. With --resume a run goes
on where another ended that was stopped, and has to have the same options.
"""

import argparse
import collections
import json
import os
import pathlib
import sys

import skinscope_rows

SUFFIXES = (".glb", ".gltf", ".vrm")
FILES_OF_A_BLOCK = 64
"""How many files are checked again at the most where a worker is lost."""
RETRIES = 2
"""How often a block, and then a file, is tried again where its worker is lost. Ray's own number has no end."""


def models_in(name):
    """Returns the models in a folder and all below it, by name, but for those whose name begins with a dot. Of what is no folder, `name` alone."""
    if "://" in name:
        from pyarrow import fs

        system, root = fs.FileSystem.from_uri(name)
        if system.get_file_info(root).type != fs.FileType.Directory:
            return [name]
        below = system.get_file_info(fs.FileSelector(root, recursive=True))
        paths = [name.rstrip("/") + file.path[len(root.rstrip("/")) :] for file in below if file.is_file]
    elif os.path.isdir(name):
        paths = [os.path.join(at, file) for at, _, files in os.walk(name) for file in files]
    else:
        return [name]
    return sorted(path for path in paths if path.lower().endswith(SUFFIXES) and not path.rsplit("/", 1)[-1].startswith("."))


def rows(paths, check=skinscope_rows.check, **arguments):
    """Checks files by their paths on all workers, and yields one row of `skinscope_rows.COLUMNS` for each as they come, in any order. `arguments` are
    those of `check`, which is called with `{"path": path}`; what it raises, such as the error of a wrong option, ends the run.

    A block of files whose worker is lost each time is checked file by file; a file whose worker is lost each time has a row that says so.
    """
    import ray

    task = ray.remote(max_retries=RETRIES)(lambda block: [check({"path": path}, **arguments) for path in block])
    paths, unnamed = names_of(dict.fromkeys(paths))
    yield from unnamed
    blocks = collections.deque(paths[at : at + FILES_OF_A_BLOCK] for at in range(0, len(paths), FILES_OF_A_BLOCK))
    running = {}
    while blocks or running:
        while blocks and len(running) < 2 * max(1, ray.cluster_resources().get("CPU", 1)):
            block = blocks.popleft()
            running[task.remote(block)] = block
        (ready,), _ = ray.wait(list(running), num_returns=1)
        block = running.pop(ready)
        try:
            yield from ray.get(ready)
        except ray.exceptions.RayTaskError:
            raise
        except ray.exceptions.RayError as error:
            if len(block) > 1:
                blocks.extend([path] for path in block)
                continue
            reason = str(error).strip().split("\n")[0]
            said = f"its check ended its process {RETRIES + 1} times ({reason}); check this file alone, by the program"
            yield unchecked(block[0], said, arguments)


def names_of(paths):
    """Returns the paths that Ray's workers can be told of, and rows for the others: a name that is not UTF-8 has no place in a line of JSON."""
    names, others = [], []
    for path in paths:
        shown = os.fsencode(path).decode(errors="replace")
        if shown == path:
            names.append(path)
        else:
            others.append(unchecked(shown, f"{shown}: its name is not UTF-8, so that no line can name it; rename the file", {}))
    return names, others


def unchecked(path, error, arguments):
    """Returns the row of a file that was not checked, for this reason."""
    options = {name: value for name, value in arguments.items() if name != "command"}
    return skinscope_rows.columns(skinscope_rows.refused(path, error, options))


def gather(paths, out, resume=False, check=skinscope_rows.check, **arguments):
    """Writes the line of each of these files into the file `out`. Returns how many files end in which way, as a dict."""
    part = pathlib.Path(f"{out}.part")
    if part.exists() and not resume:
        raise ValueError(f"{part} is there, of a run that did not end: go on with it by --resume, or remove it")
    with part.open("a+b", buffering=0) as file:
        file.seek(0)
        done, length = whole_lines(file.read())
        file.truncate(length)
        for row in rows([path for path in dict.fromkeys(paths) if path not in done], check, **arguments):
            done[row["path"]] = row["exit"]
            file.write(row["line"].encode() + b"\n")
        os.fsync(file.fileno())
    os.replace(part, out)
    return {word: sum(word == of_file for of_file in done.values()) for word in ("ok", "findings", "error")}


def whole_lines(text):
    """Returns how the files end that the lines of a run are about, by their names, and how many bytes these lines have. One that was cut off, and
    what follows it, is left out."""
    done, length = {}, 0
    for line in text.splitlines(keepends=True):
        try:
            said = json.loads(line)
        except ValueError:
            break
        if not line.endswith(b"\n"):
            break
        done[said["file"]] = said["exit"]
        length += len(line)
    return done, length


def options_of(flags):
    """Reads options of `skinscope check` into keyword arguments."""
    out = {}
    at = 0
    while at < len(flags):
        name, is_given, value = flags[at].partition("=")
        if not name.startswith("--"):
            raise ValueError(f"{name}: after -- come options of skinscope check")
        if not is_given and at + 1 < len(flags) and not flags[at + 1].startswith("--"):
            at += 1
            is_given, value = "=", flags[at]
        at += 1
        name = name[2:].replace("-", "_")
        value = value if is_given else True
        out[name] = [*out[name], value] if isinstance(out.get(name), list) else [out[name], value] if name in out else value
    return out


def command_line():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="a model, or a folder with models, as a path or a URI")
    parser.add_argument("--list", metavar="FILE", help="also check the files that this file names, one on each line")
    parser.add_argument("--out", required=True, metavar="FINDINGS.jsonl", help="the file for the lines")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    parser.add_argument("--command", metavar="PROGRAM", help="run this program for each file instead of the Python package skinscope")
    parser.add_argument("--address", help="the cluster, as ray.init takes it; without it the one of RAY_ADDRESS, or this machine")
    parser.add_argument("--workers", type=int, metavar="N", help="how many files this machine checks at once, where it is the cluster")
    of_check = []
    given = sys.argv[1:]
    if "--" in given:
        at = given.index("--")
        given, of_check = given[:at], given[at + 1 :]
    parsed = parser.parse_args(given)
    try:
        parsed.options = options_of(of_check)
    except ValueError as error:
        parser.error(str(error))
    return parsed


def main():
    import ray

    args = command_line()
    command = [args.command] if args.command else None
    paths = [path for model in args.models for path in models_in(model)]
    if args.list:
        names = pathlib.Path(args.list).read_bytes().split(b"\n")
        paths += [os.fsdecode(name.removesuffix(b"\r")) for name in names if name.strip()]
    try:
        skinscope_rows.verify(command, args.options)
        # Workers of another machine need not have this module.
        ray.cloudpickle.register_pickle_by_value(skinscope_rows)
        ray.init(address=args.address, num_cpus=args.workers)
        ends = gather(paths, args.out, args.resume, command=command, **args.options)
    except Exception as error:
        sys.exit(f"skinscope_ray.py: {error}")
    print(f"{sum(ends.values())} files: {ends['ok']} ok, {ends['findings']} with findings, {ends['error']} that do not load", file=sys.stderr)
    sys.exit(1 if ends["error"] else 3 if ends["findings"] else 0)


if __name__ == "__main__":
    main()
