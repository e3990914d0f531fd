"""The files that the program has open, and how those go that nobody needs any longer.

Beside each file `NAME.glb` there is a note `.NAME.glb.sent`: a digest of what Blender sent last, and the processes that have it open.
`sweep` removes a file with its note and the copy that the program keeps of it, `NAME.glb.bak`, where all of this holds: it is as Blender
sent it, none of the processes runs any longer, and nobody has written any of the three for `DAYS`. What the program has saved stays, also
where Blender has taken the weights: it may have layers, shapes and clips besides. Of a file that is gone the note and the copy go once they
are as old. Files without a note are never touched; so copies stay that Blender keeps of what the program has saved, `NAME_saved.glb`.
"""

import hashlib
import json
import os
import platform
import tempfile
import time

DAYS = 30
"""How long a file stays that nobody writes."""

PART = ".skinscope_"
"""What begins the name of a file that is not whole yet."""


def digest_of(data):
    """Returns a digest of bytes."""
    return hashlib.blake2b(data, digest_size=16).digest()


def stamp_of(path):
    """Returns time and size of a file; `None` where there is none."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size


def free_path(folder, name):
    """Returns a path for a `.glb` in a folder that no file has."""
    plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in name) or "character"
    number, path = 1, os.path.join(folder, f"{plain}.glb")
    while os.path.exists(path):
        number += 1
        path = os.path.join(folder, f"{plain}_{number}.glb")
    return path


def write(path, data):
    """Writes a file that appears whole or not at all."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    number, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=PART)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def note_of(path):
    """Returns the path of the note about a file."""
    return os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.sent")


def note(path, digest, processes):
    """Notes what Blender has sent into a file, and that this Blender and other processes, given by number, have it open."""
    said = {"digest": digest.hex(), "host": platform.node(), "processes": [os.getpid(), *processes]}
    write(note_of(path), json.dumps(said).encode())


def sweep(folder, now=None):
    """Removes files of a folder that nobody needs any longer; `now` is the time, in seconds since 1970. What cannot be removed stays."""
    before = (time.time() if now is None else now) - DAYS * 24 * 60 * 60
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name)
        if name.startswith(".") and name.endswith(".glb.sent"):
            file = os.path.join(folder, name[1 : -len(".sent")])
            if _is_done(file, path, before):
                _remove(file, f"{file}.bak", path)
        elif name.startswith(PART) and _is_older(path, before):
            _remove(path)


def _is_older(path, before):
    stamp = stamp_of(path)
    return stamp is not None and stamp[0] < before * 1e9


def _is_done(path, said, before):
    """Whether nobody needs a file any longer, or it has long been gone; `said` is the path of its note."""
    parts = [part for part in (path, f"{path}.bak", said) if os.path.exists(part)]
    if not all(_is_older(part, before) for part in parts):
        return False
    if path not in parts:
        return True
    try:
        with open(said, "rb") as file:
            known = json.loads(file.read())
        with open(path, "rb") as file:
            digest = digest_of(file.read()).hex()
        return digest == known["digest"] and known["host"] == platform.node() and not any(map(_runs, known["processes"]))
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return False


def _remove(*paths):
    """Removes files in this order, up to one that stays."""
    try:
        for path in paths:
            if os.path.exists(path):
                os.unlink(path)
    except OSError:
        pass


def _runs(process):
    """Whether there is a process of this number."""
    if os.name == "nt":
        return _runs_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _runs_on_windows(process):
    """As `_runs`: there signal 0 of `os.kill` is no question."""
    import ctypes

    kernel = ctypes.windll.kernel32
    handle = kernel.OpenProcess(0x00100000, False, process)
    if not handle:
        return kernel.GetLastError() != 87
    ended = kernel.WaitForSingleObject(handle, 0) == 0
    kernel.CloseHandle(handle)
    return not ended
