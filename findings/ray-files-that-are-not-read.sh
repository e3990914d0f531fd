#!/usr/bin/env bash
# ray[data] 2.60.0 (pip): which files of a folder read_binary_files() reads, and which of those that are named one by one.
#
# Guess: all files of the folder, and with file_extensions=["glb"] all whose name ends with .glb, as the parameter says ("a list of file
# extensions to filter files by"), be it upper or lower case.
# Seen: a name with a question mark is left out where there are file_extensions, since it is read as an address, whose path ends before the
# question mark; without them the same file is read. Names, and folders, that begin with a dot or an underscore are left out of a folder in
# any case, but read where they are named. Neither is in the documentation of the function, and nothing warns, so that a check of a folder
# tells of fewer files than it has. A name that has a number sign, a per cent sign or a space is read.
#
# Fails if that changes. Needs Python 3.11 as python3.11, with pip.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'ray[data]==2.60.0' pyarrow==22.0.0 pandas==2.3.3 numpy==2.4.6
mkdir -p models/_deep models/deep
for name in plain.glb UPPER.GLB 'who?.glb' 'a#b.glb' '100%25 a.glb' _under.glb .dot.glb _deep/a.glb deep/a.glb; do
  printf 'x' >"models/$name"
done
cat > read.py <<'PYTHON'
import logging
import os
import pathlib

import ray

ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
ray.data.DataContext.get_current().enable_progress_bars = False
logging.getLogger("ray.data").setLevel(logging.ERROR)
folder = pathlib.Path("models").resolve()
files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def said(paths, **options):
    rows = ray.data.read_binary_files(paths, include_paths=True, **options).take_all()
    read = {os.path.relpath(row["path"], folder) for row in rows}
    return ", ".join(name for name in files if name not in read) or "nothing"


named = [str(folder / name) for name in files]
print("of", len(files), "files the folder lacks:", said(str(folder)))
print("with file_extensions:", said(str(folder), file_extensions=["glb"]))
print("named one by one:", said(named))
print("named one by one, with file_extensions:", said(named, file_extensions=["glb"]))
PYTHON
RAY_USAGE_STATS_ENABLED=0 PYTHONWARNINGS=ignore venv/bin/python read.py 2>log.txt | tee seen.txt
cat > expected.txt <<'TEXT'
of 9 files the folder lacks: .dot.glb, _deep/a.glb, _under.glb
with file_extensions: .dot.glb, _deep/a.glb, _under.glb, who?.glb
named one by one: nothing
named one by one, with file_extensions: who?.glb
TEXT
diff -u expected.txt seen.txt
