#!/usr/bin/env python3
"""Checks the skins of glTF models on a Spark cluster: an example of `mapInPandas`.

  spark-submit --py-files skinscope_rows.py skinscope_spark.py models findings.lines

Writes a folder of lines of JSON, which `skinscope report merge findings.lines/part-*` joins. Each executor needs the Python package skinscope.
"""

import sys

import pandas
import skinscope_rows

SCHEMA = ", ".join(f"{name} {'long' if of is int else 'string'}" for name, of in skinscope_rows.COLUMNS.items())
"""The columns of :data:`skinscope_rows.COLUMNS`, as `mapInPandas` takes them."""
FILES_OF_A_FRAME = 16
"""How many files a worker has in memory at once. Spark's own number is 10 000."""


def check_frames(frames, command=None, **options):
    """Checks files, for `mapInPandas`: takes frames with the columns `path` and `content`, as Spark's format `binaryFile` has them, and yields frames with a row
    of :data:`skinscope_rows.COLUMNS` for each file, in the same order. Without `content` the workers read the files by their paths. `command` and
    `options` are those of :func:`skinscope_rows.check`; `functools.partial` sets them."""
    for frame in frames:
        files = [{"path": path} for path in frame["path"]]
        if "content" in frame:
            files = [{**file, "bytes": bytes(content)} for file, content in zip(files, frame["content"])]
        rows = [skinscope_rows.check(file, command, **options) for file in files]
        yield pandas.DataFrame({name: pandas.Series([row[name] for row in rows], dtype=of) for name, of in skinscope_rows.COLUMNS.items()})


def models_in(spark, folder):
    """Returns the models in a folder and all below it as a frame of Spark's, with the columns `path` and `content` among others.

    Spark passes over files without bytes, and over those whose name begins with a dot or an underscore. Who wants these too names all files:
    `spark.createDataFrame([[path], ...], "path string")`.
    """
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(folder)
    return files.where("lower(path) rlike '[.](glb|gltf|vrm)$'")


def main():
    from pyspark.sql import SparkSession

    if len(sys.argv) != 3:
        sys.exit(__doc__)
    spark = SparkSession.builder.appName("skinscope").getOrCreate()
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", FILES_OF_A_FRAME)
    rows = models_in(spark, sys.argv[1]).mapInPandas(check_frames, SCHEMA)
    rows.select("line").write.text(sys.argv[2])


if __name__ == "__main__":
    main()
