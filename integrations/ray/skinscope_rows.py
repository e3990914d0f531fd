"""Checks the skins of glTF models row by row, for frameworks that hand files to functions, such as Ray Data and Spark.

:func:`check` makes a row of a file. It needs the Python package ``skinscope``, or with ``command`` the program alone.
"""

import json
import re
import subprocess

COLUMNS = {
    "path": str,
    "exit": str,
    "errors": int,
    "warnings": int,
    "infos": int,
    "findings": str,
    "error": str,
    "line": str,
}
"""The columns of a row and their types, which are the same for every file: nothing is ever ``None``.

``exit`` is how a check of this file alone would end: ``ok``, ``findings`` (something reaches ``fail_on`` or exceeds ``fail_over``) or ``error``
(it does not load). ``errors``, ``warnings`` and ``infos`` are how many findings have these severities. ``findings`` is a JSON array of them, as
``skinscope check --json`` has it. ``error`` says why a file does not load; empty where it does. ``line`` is what ``skinscope check --json-lines`` prints for
the file, without the line break: ``skinscope report merge`` joins such lines.
"""

EMPTY = b'{"asset":{"version":"2.0"}}'
STDIN = "standard input"
OF_OPENING = {"allow_external": bool, "max_memory": int}
NOT_READ = ("cannot be read (", "expected a file, found ", "its length in bytes ")


def check(row, command=None, **options):
    """Checks one file, and returns its row of :data:`COLUMNS`. A file that is bad, or cannot be read, is such a row too.

    ``row`` has the file's name as ``path``, and its bytes as ``bytes``, as ``ray.data.read_binary_files(..., include_paths=True)`` gives both. Without
    ``bytes`` the file is read here, with the buffers that it names beside it; a path with ``://`` is read by ``pyarrow.fs``, and alone. ``options`` are
    those of ``skinscope check`` with ``_`` for ``-``, as in ``rules=["weights-zero"]``. ``command``, a list such as ``["skinscope"]``, runs this program for
    each file instead of the package.

    Raises an error where an option is wrong, or neither package nor program is there: every file would have it.
    """
    return columns(line(row["path"], row.get("bytes"), command, options))


def line(path, data, command, options):
    """Returns the line that ``skinscope check --json-lines`` prints for a file by this path with these bytes, without the line break. Where ``data`` is ``None``
    the file is read."""
    if options.get("baseline") is not None:
        raise ValueError("baseline: every worker would read it for each file; `skinscope report merge --baseline` takes it once for all lines")
    try:
        if data is None and "://" in path:
            data = fetched(path)
    except (OSError, ValueError, NotImplementedError) as error:
        said = f"{path}: cannot be read ({error}); check that the file is there and that you may read it"
        return refused(path, said, options)
    if command is None:
        return of_package(path, data, options)
    return of_program(path, data, command, options)


def fetched(uri):
    """Returns the bytes of a file of a remote file system."""
    from pyarrow import fs

    system, path = fs.FileSystem.from_uri(uri)
    with system.open_input_file(path) as file:
        return file.read()


def of_package(path, data, options):
    """Checks a file within this process."""
    import skinscope

    try:
        return named(checked(path if data is None else data, options), path, data)
    except skinscope.Error as error:
        # What is wrong with the options is raised here.
        checked(EMPTY, options)
        return refused(path, reason(str(error), path if data is None else STDIN), options)


def checked(source, options):
    """Returns the line of a path or of bytes by the package, or raises its error."""
    import skinscope

    opening = {name: of(options[name]) for name, of in OF_OPENING.items() if name in options}
    checking = {name: value for name, value in options.items() if name not in OF_OPENING}
    name = None if isinstance(source, str) else STDIN
    return skinscope.open(source, name=name, **opening).check(**checking).json_line()


def reason(said, name):
    """Returns what an error says without the name of the file, which the package puts before most of them; a line has it where the file cannot be read."""
    # Letters that a terminal would obey are replaced there.
    shown = re.sub("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", "\ufffd", name)
    rest = said.removeprefix(f"{shown}: ")
    return said if rest.startswith(NOT_READ) else rest


def named(line, path, data):
    """Returns the line of bytes, which are read as standard input is, as that of this file."""
    # Quotes within texts are escaped, so that this is the member and nothing else.
    return line if data is None else line.replace(f'"file":"{STDIN}"', f'"file":{as_json(path)}', 1)


def of_program(path, data, command, options):
    """Checks a file by a process of its own."""
    arguments = [*command, "check", "--json-lines", *flags(options), "--", path if data is None else "-"]
    out = subprocess.run(arguments, input=b"" if data is None else data, capture_output=True)
    if out.returncode == 2:
        raise ValueError(out.stderr.decode(errors="replace").strip())
    lines = out.stdout.decode().splitlines()
    if len(lines) != 1:
        said = f"its check ended with {out.returncode} and {len(lines)} lines in place of one; an archive is not one model"
        return refused(path, said, options)
    return named(lines[0], path, data)


def flags(options):
    """Returns options of the command line: a flag is ``True``, a list gives the option several times, a dict likewise as ``NAME=VALUE``."""
    out = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            out.append(option)
            continue
        if isinstance(value, dict):
            value = [f"{key}={of_key}" for key, of_key in value.items()]
        values = value if isinstance(value, (list, tuple)) else [value]
        out += [f"{option}={one}" for one in values]
    return out


def refused(path, error, options):
    """Returns the line of a file that does not load, for this reason."""
    said = {"error": error, "exit": "error", "fail_on": options.get("fail_on", "error"), "file": path}
    if options.get("rules") is not None:
        rules = options["rules"]
        said["rules"] = rules.split(",") if isinstance(rules, str) else list(rules)
    return as_json(said)


def columns(text):
    """Takes a line apart into the columns of a row."""
    said = json.loads(text)
    summary = said.get("summary", {})
    counts = {name + "s": summary.get(name, 0) for name in ("error", "warning", "info")}
    findings = as_json(said.get("findings", []))
    return {"path": said["file"], "exit": said["exit"], **counts, "findings": findings, "error": said.get("error", ""), "line": text}


def as_json(value):
    """Writes JSON as the program does."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def verify(command, options):
    """Raises the error that every file would have, before any file is read."""
    line("options", EMPTY, command, options)
