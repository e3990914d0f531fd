#!/usr/bin/env bash
# ray[data] 2.60.0, pandas 2.3.3, pyarrow 22.0.0 (pip): rows whose column `error` is None but for one, as map() makes them, written by
# write_parquet() and read again.
#
# Guess: Ray finds that the column is a string, so that all files of the folder have that type, and whoever reads Parquet reads them.
# Seen: each block has the type of its own rows, and the schema of the rows is that of the first block: null. Nine of ten files have a column of
# that type. Ray itself reads them, whereas pandas and pyarrow take the type of the first file for all and end with "Unsupported cast from
# string to null". Where the one row is in the first block, all is well. With "" in place of None all files have one type. So a column must
# never be None in all rows of a block.
#
# Fails if that changes. Needs Python 3.11 as python3.11, with pip.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'ray[data]==2.60.0' pyarrow==22.0.0 pandas==2.3.3 numpy==2.4.6
cat > write.py <<'PYTHON'
import collections
import logging
import pathlib

import pandas
import pyarrow.parquet
import ray

ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
ray.data.DataContext.get_current().enable_progress_bars = False
logging.getLogger("ray.data").setLevel(logging.ERROR)
# Blocks, and so the names of files, are in the order of the rows.
ray.data.DataContext.get_current().execution_options.preserve_order = True


def seen(nothing, at):
    folder = f"{nothing!r} {at}"
    rows = ray.data.range(100, override_num_blocks=10)
    rows = rows.map(lambda row: {"id": row["id"], "error": "bad" if row["id"] == at else nothing}).materialize()
    of_rows = dict(zip(rows.schema().names, map(str, rows.schema().types)))["error"]
    rows.write_parquet(folder)
    files = sorted(pathlib.Path(folder).glob("*.parquet"))
    types = collections.Counter(str(pyarrow.parquet.read_schema(file).field("error").type) for file in files)
    try:
        by_pandas = (pandas.read_parquet(folder)["error"] == "bad").sum()
    except pyarrow.ArrowNotImplementedError as error:
        by_pandas = error
    by_ray = sum(row["error"] == "bad" for row in ray.data.read_parquet(folder).iter_rows())
    print(f"{nothing!r}, the row {at}: {of_rows}, files {dict(sorted(types.items()))}, Ray reads {by_ray}, pandas {by_pandas}")


seen(None, 95)
seen(None, 0)
seen("", 95)
PYTHON
RAY_USAGE_STATS_ENABLED=0 PYTHONWARNINGS=ignore venv/bin/python write.py 2>log.txt | tee seen.txt
cat > expected.txt <<'TEXT'
None, the row 95: null, files {'null': 9, 'string': 1}, Ray reads 1, pandas Unsupported cast from string to null using function cast_null
None, the row 0: string, files {'null': 9, 'string': 1}, Ray reads 1, pandas 1
'', the row 95: string, files {'string': 10}, Ray reads 1, pandas 1
TEXT
diff -u expected.txt seen.txt
