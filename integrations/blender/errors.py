"""What cannot be done, how numbers are said, and the package that does the rest."""


class Refused(Exception):
    """Something that cannot be done. Its text says why, and what to do, in sentences for the user."""


def amount(number, one="vertex", many="vertices"):
    """Returns a number with its word, as `1 vertex` or `2 vertices`."""
    return f"{number} {one if number == 1 else many}"


def engine():
    """Returns the Python package `skinscope`. Raises `Refused` where Blender has none."""
    try:
        import skinscope
    except ImportError as error:
        raise Refused(
            f"The Python package skinscope does not load ({error}). Install the zip that was made for this system."
        ) from error
    return skinscope
