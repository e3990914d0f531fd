#!/usr/bin/env python3
"""How near a picture is to its base colours, ours beside that of three.js, and how near the two are to each other.

  measure.py PROGRAM OUT [FIGURES VIEW...] < CAMERAS     each line as three.mjs prints it

Draws every model with PROGRAM from the same camera, once as the program draws by default (with the arguments of RENDER_ARGS,
if there are any) and once in base colours without light. Prints a table and a summary. Its columns, ours and that of three.js,
are of pixels that are wholly covered:

  washed    of those whose base colour has a saturation (HSV of sRGB) of 0.3 or more, per cent that show less than 60 % of it
  crushed   of those whose base colour has an L* of 25 or more, per cent that show one below 5
  mid       median of (shown - base) in CIE L* where the base has an L* of 25 to 80
  off       mean distance to the base colour in CIE L*a*b* (CIE76)
  form      standard deviation of (shown - base) in L*, at least two pixels away from what is not covered
  apart     median distance between our picture and that of three.js (CIEDE2000), where both are covered

FIGURES is written with the cameras and the figures of three.js of each VIEW (MODEL.glb[@PLACE]), which tests/render/picture.rs
compares with.
"""
import json
import math
import os
import shlex
import subprocess
import sys

import numpy
from PIL import Image

MEASURES = ("washed", "crushed", "mid", "off", "form")


def load(path):
    picture = numpy.asarray(Image.open(path).convert("RGBA"), dtype=float)
    return picture[..., :3] / 255, picture[..., 3] == 255


def saturation(rgb):
    most = rgb.max(-1)
    return numpy.where(most > 0, (most - rgb.min(-1)) / numpy.maximum(most, 1e-9), 0)


def lab(rgb):
    linear = numpy.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = linear @ numpy.array([[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192], [0.1805, 0.0722, 0.9505]])
    t = xyz / numpy.array([0.9505, 1.0, 1.089])
    f = numpy.where(t > 216 / 24389, numpy.cbrt(t), (24389 / 27 * t + 16) / 116)
    return numpy.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], -1)


def ciede2000(a, b):
    """The distance of colours in L*a*b*, as in Sharma, Wu and Dalal 2005."""
    (l1, a1, b1), (l2, a2, b2) = numpy.moveaxis(a, -1, 0), numpy.moveaxis(b, -1, 0)
    seventh = lambda c: numpy.sqrt(c**7 / (c**7 + 25.0**7))
    stretch = 1.5 - 0.5 * seventh((numpy.hypot(a1, b1) + numpy.hypot(a2, b2)) / 2)
    c1, c2 = numpy.hypot(a1 * stretch, b1), numpy.hypot(a2 * stretch, b2)
    h1, h2 = (numpy.degrees(numpy.arctan2(b, a * stretch)) % 360 for a, b in ((a1, b1), (a2, b2)))
    grey = c1 * c2 == 0
    turn = numpy.where(grey, 0, (h2 - h1 + 180) % 360 - 180)
    middle = numpy.where(grey, h1 + h2, (h1 + turn / 2) % 360)
    dl, dc, dh = l2 - l1, c2 - c1, 2 * numpy.sqrt(c1 * c2) * numpy.sin(numpy.radians(turn / 2))
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    wave = lambda times, shift: numpy.cos(numpy.radians(times * middle + shift))
    t = 1 - 0.17 * wave(1, -30) + 0.24 * wave(2, 0) + 0.32 * wave(3, 6) - 0.20 * wave(4, -63)
    sl = 1 + 0.015 * (light - 50) ** 2 / numpy.sqrt(20 + (light - 50) ** 2)
    sc, sh = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    bend = -2 * seventh(chroma) * numpy.sin(numpy.radians(60 * numpy.exp(-(((middle - 275) / 25) ** 2))))
    dl, dc, dh = dl / sl, dc / sc, dh / sh
    return numpy.sqrt(dl**2 + dc**2 + dh**2 + bend * dc * dh)


def eroded(mask, pixels):
    """What of the mask is farther than so many pixels, upright or sideways, from what is not in it."""
    for _ in range(pixels):
        wide = numpy.pad(mask, 1)
        mask = mask & wide[:-2, 1:-1] & wide[2:, 1:-1] & wide[1:-1, :-2] & wide[1:-1, 2:]
    return mask


def share(of, among):
    """Per cent."""
    return 100 * of[among].mean() if among.any() else math.nan


def figures(shown_path, base_path):
    """Each of MEASURES for a picture."""
    (shown, a), (base, b) = load(shown_path), load(base_path)
    inside = a & b
    core = eroded(inside, 2)[inside]
    shown, base = shown[inside], base[inside]
    strong = saturation(base) >= 0.3
    washed = saturation(shown) < 0.6 * saturation(base)
    shown, base = lab(shown), lab(base)
    lighter = (shown - base)[:, 0]
    middle = (base[:, 0] >= 25) & (base[:, 0] <= 80)
    return {
        "washed": share(washed, strong),
        "crushed": share(shown[:, 0] < 5, base[:, 0] >= 25),
        "mid": numpy.median(lighter[middle]) if middle.any() else math.nan,
        "off": numpy.linalg.norm(shown - base, axis=-1).mean(),
        "form": lighter[core].std() if core.any() else math.nan,
    }


def apart(one_path, other_path):
    (one, a), (other, b) = load(one_path), load(other_path)
    return numpy.median(ciede2000(lab(one[a & b]), lab(other[a & b])))


def draw(program, target, camera, size, *more):
    place = lambda p: ",".join(f"{v:.7f}" for v in p)
    look = [f"--eye={place(camera['eye'])}", f"--target={place(camera['target'])}", f"--fov={camera['fov']}"]
    command = [program, "render", camera["file"], "-o", target, "--background", "transparent", "--size", f"{size}x{size}"]
    subprocess.run([*command, *look, *more], check=True, stderr=subprocess.DEVNULL)


def compare(program, out, camera):
    """Draws our pictures of a view. Our figures, those of three.js, and how far apart the pictures are; None of nothing."""
    path = lambda kind: os.path.join(out, f"{camera['name']}.{kind}.png")
    size = Image.open(path("three")).width
    draw(program, path("ours"), camera, size, *shlex.split(os.environ.get("RENDER_ARGS", "")))
    draw(program, path("ours.base"), camera, size, "--look", "base-color")
    if not (load(path("ours"))[1] & load(path("three"))[1]).any():
        return None
    ours, three = figures(path("ours"), path("ours.base")), figures(path("three"), path("three.base"))
    return ours, three, apart(path("ours"), path("three"))


def table_row(name, ours, three, distance):
    cells = (f"{ours[key]:7.2f} {three[key]:7.2f}" for key in MEASURES)
    return f"{name:26} | {' | '.join(cells)} | {distance:6.2f}"


def summary(rows):
    """The medians over the views, and how often we are ahead or behind."""
    medians = [{key: numpy.nanmedian([row[side][key] for row in rows]) for key in MEASURES} for side in (0, 1)]
    form = sum(ours["form"] > three["form"] for ours, three, _ in rows)
    more = [ours["washed"] - three["washed"] for ours, three, _ in rows]
    more = [points for points in more if points > 0.05]
    print(table_row("median", *medians, numpy.median([distance for *_, distance in rows])))
    print(f"{len(rows)} views. Ours has more form in {form}; it is more washed in {len(more)}, by {sum(more):.1f} points in all")


def write_figures(path, size, views):
    """`views`: the camera and the figures of three.js of each."""
    rows = []
    for camera, three in views:
        known = {key: None if math.isnan(three[key]) else round(float(three[key]), 2) for key in ("washed", "mid", "off")}
        rows.append({"file": os.path.basename(camera["file"]), **{k: camera[k] for k in ("eye", "target", "fov")}, **known})
    what = f"three.js r{views[0][0]['version']}, RoomEnvironment, NeutralToneMapping; {size} pixels a side"
    lines = ",\n".join("    " + json.dumps(row) for row in rows)
    with open(path, "w") as out:
        out.write(f'{{\n  "measured": {json.dumps(what)},\n  "rows": [\n{lines}\n  ]\n}}\n')


def main():
    program, out = sys.argv[1:3]
    cameras = [json.loads(line) for line in sys.stdin]
    print(f"{'':26} | {' | '.join(f'{key:>7}   three' for key in MEASURES)} |  apart")
    rows = {}
    for camera in cameras:
        if row := compare(program, out, camera):
            rows[camera["name"]] = row
            print(table_row(camera["name"], *row), flush=True)
        else:
            print(f"{camera['name']} is left out: both see no side of it", file=sys.stderr)
    summary([*rows.values()])
    if sys.argv[3:]:
        seen = {camera["name"]: (camera, rows[camera["name"]][1]) for camera in cameras if camera["name"] in rows}
        wanted = [view.replace(".glb", "", 1) for view in sys.argv[4:]]
        size = Image.open(os.path.join(out, f"{wanted[0]}.three.png")).width
        write_figures(sys.argv[3], size, [seen[name] for name in wanted])


if __name__ == "__main__":
    main()
