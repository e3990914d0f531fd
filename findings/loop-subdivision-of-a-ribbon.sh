#!/usr/bin/env bash
# trimesh 5.2.0, libigl 2.6.3 and pymeshlab 2025.7.post1 (pip): one step of Loop subdivision of a ribbon, as hair cards, belts
# and straps are: one strip of triangles, so that each vertex lies on the border.
#
# Guess: all say the same, since the border is a curve of its own in each: 3/4 of the vertex, 1/8 of both neighbours on it.
# Seen: trimesh takes all neighbours that lie on the border as such, also those that an edge through the ribbon leads to. With
# four of them the shares sum to 5/4. So a flat ribbon at a height of 1.6 m has each old vertex between its ends at 2 m, and
# each new one beside them at 1.6 m: rows of spikes that grow with the distance from the origin. At a height of 0 the same
# ribbon stays flat. libigl and pymeshlab agree on both. Where a vertex is inside, trimesh and pymeshlab have the rule of Loop;
# libigl has another one that its name does not tell, 5/8 of the vertex for any count of neighbours but three: the tip of a
# pyramid of 4 sides is at 0.625, not 0.516. With 3 and with 6 neighbours all three agree.
#
# Fails if that changes. Needs Python 3.11 as python3.11, with pip.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3.11 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check \
  trimesh==5.2.0 libigl==2.6.3 pymeshlab==2025.7.post1 numpy==2.4.6 scipy==1.17.1
cat > ribbon.py <<'PYTHON'
import igl
import numpy as np
import pymeshlab
import trimesh

def by_pymeshlab(points, faces):
    meshes = pymeshlab.MeshSet()
    meshes.add_mesh(pymeshlab.Mesh(points, faces))
    every_edge = pymeshlab.PercentageValue(0)
    meshes.meshing_surface_subdivision_loop(loopweight="Loop", iterations=1, threshold=every_edge)
    return meshes.current_mesh().vertex_matrix()

PEERS = {
    "trimesh": lambda points, faces: trimesh.Trimesh(points, faces, process=False).subdivide_loop(1).vertices,
    "libigl": lambda points, faces: igl.loop(points, faces, 1)[0],
    "pymeshlab": by_pymeshlab,
}

def ribbon(height):
    """Four squares in a row, each cut along a diagonal."""
    points = [(0.1 * side, 0.1 * row, height) for row in range(5) for side in (0, 1)]
    faces = [face for a in range(0, 8, 2) for face in ((a, a + 1, a + 3), (a, a + 3, a + 2))]
    return np.array(points), np.array(faces)

def pyramid(sides):
    turns = np.arange(sides) * 2 * np.pi / sides
    ground = np.column_stack([np.cos(turns), np.sin(turns), 0 * turns])
    return np.vstack([[0, 0, 1], ground]), np.array([(0, 1 + i, 1 + (i + 1) % sides) for i in range(sides)])

def numbers(values):
    return " ".join(f"{value + 0.0:.3g}" for value in values)

for height in (0.0, 1.6):
    points, faces = ribbon(height)
    for name, subdivide in PEERS.items():
        heights = subdivide(points, faces)[:, 2].round(6)
        old, new = heights[: len(points)], heights[len(points) :]
        print(f"ribbon at {height:g} m, {name}: old vertices {numbers(old)}, {len(new)} new ones {numbers(np.unique(new))}")
for name, subdivide in PEERS.items():
    tips = [subdivide(*pyramid(sides))[0, 2] for sides in (3, 4, 5, 6, 8)]
    print(f"tips of pyramids of 3, 4, 5, 6 and 8 sides, {name}: {numbers(tips)}")
PYTHON
venv/bin/python ribbon.py | tee seen.txt
cat > expected.txt <<'TEXT'
ribbon at 0 m, trimesh: old vertices 0 0 0 0 0 0 0 0 0 0, 17 new ones 0
ribbon at 0 m, libigl: old vertices 0 0 0 0 0 0 0 0 0 0, 17 new ones 0
ribbon at 0 m, pymeshlab: old vertices 0 0 0 0 0 0 0 0 0 0, 17 new ones 0
ribbon at 1.6 m, trimesh: old vertices 1.8 1.6 2 2 2 2 2 2 1.6 1.8, 17 new ones 1.6
ribbon at 1.6 m, libigl: old vertices 1.6 1.6 1.6 1.6 1.6 1.6 1.6 1.6 1.6 1.6, 17 new ones 1.6
ribbon at 1.6 m, pymeshlab: old vertices 1.6 1.6 1.6 1.6 1.6 1.6 1.6 1.6 1.6 1.6, 17 new ones 1.6
tips of pyramids of 3, 4, 5, 6 and 8 sides, trimesh: 0.438 0.516 0.58 0.625 0.679
tips of pyramids of 3, 4, 5, 6 and 8 sides, libigl: 0.438 0.625 0.625 0.625 0.625
tips of pyramids of 3, 4, 5, 6 and 8 sides, pymeshlab: 0.438 0.516 0.58 0.625 0.679
TEXT
diff -u expected.txt seen.txt
