"""What cannot be done, and the package that does the rest."""


class Refused(Exception):
    """Something that cannot be done. Its text says why, and what to do, in sentences for the user."""


def engine():
    """Returns the Python package `skinscope`. Raises `Refused` where Blender has none."""
    try:
        import skinscope
    except ImportError as error:
        raise Refused(
            f"The Python package skinscope does not load ({error}). Install the zip that was made for this system."
        ) from error
    return skinscope
