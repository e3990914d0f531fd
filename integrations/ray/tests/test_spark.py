"""The function for Spark's `mapInPandas` gives the same rows, without a cluster and, where Java is, on a local Spark."""

import functools
import os
import pathlib
import shutil
import subprocess
import sys

import conftest
import models
import pandas
import pytest
import skinscope_rows
import skinscope_spark


def test_frames_of_files_become_frames_of_rows_in_their_order(way, paths, expected):
    some = paths[:200]
    frames = [
        pandas.DataFrame({"path": some[at : at + 16], "length": 1, "content": [pathlib.Path(p).read_bytes() for p in some[at : at + 16]]})
        for at in range(0, 200, 16)
    ]
    frames.insert(3, frames[0][:0])
    out = list(skinscope_spark.check_frames(iter(frames), **way))
    assert [len(frame) for frame in out] == [len(frame) for frame in frames]
    assert len({str(frame.dtypes) for frame in out}) == 1
    rows = pandas.concat(out)
    (by_path,) = skinscope_spark.check_frames(iter([pandas.DataFrame({"path": some[:20]})]), **way)
    assert list(by_path["line"]) == list(rows["line"])[:20]
    assert list(rows["path"]) == some and list(rows.columns) == list(skinscope_rows.COLUMNS)
    assert set(rows["line"]) <= set(expected)
    with pytest.raises(Exception, match="no-such-rule"):
        next(skinscope_spark.check_frames(iter(frames), rules="no-such-rule", **way))


@pytest.fixture(scope="session")
def spark():
    if not shutil.which("java"):
        pytest.skip("there is no Java here")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    sql = pytest.importorskip("pyspark.sql")
    spark = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    yield spark
    spark.stop()


def test_a_local_spark_finds_what_one_process_finds(spark, fast_way, paths, expected):
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", skinscope_spark.FILES_OF_A_FRAME)
    check = functools.partial(skinscope_spark.check_frames, **fast_way)
    rows = skinscope_spark.models_in(spark, os.path.commonpath(paths)).mapInPandas(check, skinscope_spark.SCHEMA).collect()
    lines = sorted(row.line.replace('"file":"file:/', '"file":"/') for row in rows)
    # Spark does not give files without bytes.
    empty = [line for line in expected if "found an empty file" in line]
    assert empty and sorted(lines + empty) == expected
    named = spark.createDataFrame([[path] for path in paths[:200]], "path string").repartition(4)
    rows = named.mapInPandas(check, skinscope_spark.SCHEMA).collect()
    assert len(rows) == 200 and {row.line for row in rows} <= set(expected)


def test_the_example_writes_lines_that_are_merged(spark, program, tmp_path):
    conftest.needs_package()
    models.write_models(tmp_path / "models", 30)
    out = subprocess.run(
        [sys.executable, skinscope_spark.__file__, "models", "findings.lines"], cwd=tmp_path, capture_output=True, text=True
    )
    assert out.returncode == 0, out.stderr
    parts = sorted(str(path) for path in (tmp_path / "findings.lines").glob("part-*"))
    # Spark does not give files without bytes.
    with_bytes = [path for path in (tmp_path / "models").rglob("*") if path.is_file() and path.stat().st_size > 0]
    assert len(conftest.printed([program, "report", "merge", *parts, "--json-lines"])) == len(with_bytes) > 25
