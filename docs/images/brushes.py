"""Makes the pictures of the brushes in docs/paint.md, each before a stroke, after one, and after several.

    python3 docs/images/brushes.py PROGRAM [FOLDER=docs/images]

PROGRAM is the skinscope to paint and render with. Writes brush-ID.png for every brush, from the built-in character alone.
"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "assets" / "character.glb"
JOINT, OTHER = "Chest", "Spine"
CAMERA = ["--eye", "0,1.12,1.9", "--target", "0,1.08,0", "--fov", "11", "--size", "190x150", "--background", "#ffffff"]
PLACE = [0.0, 1.08, 0.2]
SEVERAL = 5


def stroke(brush, **keys):
    """A stroke of one dab in the middle of the picture."""
    return {"brush": brush, "joint": JOINT, "radius": 0.1, "strength": 0.35, "dabs": [{"position": PLACE}], **keys}


def disc(x, y, value):
    """A stroke that gives a disc one weight, with a hard rim."""
    return stroke("replace", value=value, strength=1, radius=0.035, falloff="constant", dabs=[{"position": [x, y, 0.2]}])


# A part of the belly without the joint, one with the half of it, and both with rough edges.
BARE = stroke("replace", value=0, strength=1, radius=0.35, falloff="constant")
HALF = stroke("replace", value=0.5, strength=1, radius=0.09)
ROUGH = [BARE, disc(-0.035, 1.105, 1), disc(0.03, 1.05, 0.8), disc(0.035, 1.115, 0.5)]

# For each brush what is painted before, and its stroke.
BRUSHES = {
    "add": ([BARE], stroke("add")),
    "subtract": ([BARE, stroke("replace", value=0.9, strength=1, radius=0.2, falloff="constant")], stroke("subtract")),
    "replace": (ROUGH, stroke("replace", value=0.5, strength=0.5)),
    "scale": ([BARE, HALF], stroke("scale", factor=2, strength=0.4)),
    "give": ([BARE, stroke("replace", value=1, strength=1, radius=0.2)], stroke("give", to=OTHER)),
    "smooth": (ROUGH, stroke("smooth", strength=1, radius=0.13, falloff="constant")),
    "sharpen": ([BARE, HALF], stroke("sharpen", strength=0.5, radius=0.13, falloff="constant")),
    "relax": (ROUGH, stroke("relax", strength=1, radius=0.13, falloff="constant")),
    "average": (ROUGH, stroke("average", strength=0.4)),
}


def run(*command):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


def rows(file):
    """The lines of pixels of a PNG of 8 bits, and the number of bytes of a pixel."""
    data = file.read_bytes()
    at, parts = 8, []
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + length]
        at += length + 12
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and colours in (2, 6), f"{file}: an unexpected kind of PNG"
        elif kind == b"IDAT":
            parts.append(body)
    size = {2: 3, 6: 4}[colours]
    raw, stride = zlib.decompress(b"".join(parts)), width * size
    before, out = bytes(stride), []
    for y in range(height):
        start = y * (stride + 1)
        line, by = bytearray(raw[start + 1:start + 1 + stride]), raw[start]
        for x in range(stride):
            left, up, corner = line[x - size] if x >= size else 0, before[x], before[x - size] if x >= size else 0
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda value: abs(guess - value))
            line[x] = (line[x] + [0, left, up, (left + up) // 2, nearest][by]) & 255
        before = bytes(line)
        out.append(before)
    return out, size


def strip(pictures, file):
    """Writes pictures side by side, a little apart, as one PNG."""
    read = [rows(picture) for picture in pictures]
    (_, size), gap = read[0], 4
    joined = [(b"\xff" * size * gap).join(lines) for lines in zip(*(lines for lines, _ in read))]
    width = len(joined[0]) // size

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    # Each line as the difference to the one above.
    above, lines = bytes(width * size), []
    for line in joined:
        lines.append(b"\x02" + bytes((a - b) & 255 for a, b in zip(line, above)))
        above = line
    head = struct.pack(">IIBBBBB", width, len(joined), 8, {3: 2, 4: 6}[size], 0, 0, 0)
    body = zlib.compress(b"".join(lines), 9)
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b""))


def main():
    program, *folder = sys.argv[1:]
    folder = pathlib.Path(folder[0]) if folder else ROOT / "docs" / "images"
    with tempfile.TemporaryDirectory() as temporary:
        temporary = pathlib.Path(temporary)
        for brush, (before, one) in BRUSHES.items():
            pictures = []
            for count in (0, 1, SEVERAL):
                strokes, model = temporary / "strokes.json", temporary / "painted.glb"
                picture = temporary / f"{count}.png"
                strokes.write_text(json.dumps({"schema": 1, "strokes": before + [one] * count}))
                run(program, "paint", MODEL, "--strokes", strokes, "-o", model)
                run(program, "render", model, "-o", picture, "--heatmap", JOINT, *CAMERA)
                pictures.append(picture)
            strip(pictures, folder / f"brush-{brush}.png")


if __name__ == "__main__":
    main()
