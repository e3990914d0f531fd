#!/usr/bin/env python3
"""How near a picture is to its base colours: ours beside that of three.js.

  measure.py PROGRAM OUT [FIGURES] < CAMERAS     each line as three.mjs prints it

Draws every model with PROGRAM from the same camera, shaded and unlit, and prints a table. `washed`: of the pixels whose base
colour has a saturation (HSV of sRGB) of 0.3 or more, how many show less than 60 % of it, in per cent. `mid`: median of
(shown - base) in CIE L* where the base has an L* of 25 to 80. `off`: mean distance to the base colour in CIE L*a*b*. FIGURES
is written with the cameras and the figures of three.js, which tests/render/picture.rs compares with.
"""
import json
import math
import os
import subprocess
import sys

import numpy
from PIL import Image

import models


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


def figures(shown_path, base_path):
    (shown, a), (base, b) = load(shown_path), load(base_path)
    inside = a & b
    shown, base = shown[inside], base[inside]
    strong = saturation(base) >= 0.3
    washed = saturation(shown)[strong] < 0.6 * saturation(base)[strong]
    shown, base = lab(shown), lab(base)
    middle = (base[:, 0] >= 25) & (base[:, 0] <= 80)
    return {
        "washed": 100 * washed.mean() if strong.any() else float("nan"),
        "mid": numpy.median((shown - base)[middle, 0]) if middle.any() else float("nan"),
        "off": numpy.linalg.norm(shown - base, axis=-1).mean(),
    }


def draw(program, file, target, camera, size):
    place = lambda p: ",".join(f"{v:.7f}" for v in p)
    look = [f"--eye={place(camera['eye'])}", f"--target={place(camera['target'])}", f"--fov={camera['fov']}"]
    command = [program, "render", file, "-o", target, "--background", "transparent", "--size", f"{size}x{size}", *look]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


def main():
    program, out = sys.argv[1:3]
    rows = []
    print(f"{'':24}  washed: ours three more |  mid: ours three |  off: ours three")
    for line in sys.stdin:
        camera = json.loads(line)
        name, file = camera["name"], camera["file"]
        path = lambda kind: os.path.join(out, f"{name}.{kind}.png")
        size = Image.open(path("three")).width
        draw(program, file, path("ours"), camera, size)
        plain = os.path.join(out, f"{name}.unlit.glb")
        if not os.path.exists(path("ours.base")):
            models.unlit(file, plain)
            draw(program, plain, path("ours.base"), camera, size)
            os.remove(plain)
        a, b = figures(path("ours"), path("ours.base")), figures(path("three"), path("three.base"))
        row = f"{name:24}  {a['washed']:12.1f} {b['washed']:5.1f} {a['washed'] - b['washed']:4.1f} "
        row += f"| {a['mid']:10.1f} {b['mid']:5.1f} | {a['off']:10.1f} {b['off']:5.1f}"
        print(row, flush=True)
        known = {key: None if math.isnan(value) else round(float(value), 2) for key, value in b.items()}
        rows.append({"file": os.path.basename(file), **{k: camera[k] for k in ("eye", "target", "fov")}, **known})
    if sys.argv[3:]:
        what = f"three.js r{camera['version']}, RoomEnvironment, NeutralToneMapping; {size} pixels a side"
        with open(sys.argv[3], "w") as figures_file:
            lines = ",\n".join("    " + json.dumps(row) for row in rows)
            figures_file.write(f'{{\n  "measured": {json.dumps(what)},\n  "rows": [\n{lines}\n  ]\n}}\n')


if __name__ == "__main__":
    main()
