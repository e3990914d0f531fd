#!/usr/bin/env bash
# How near pictures are to the base colours of their materials and to the pictures of three.js, with RoomEnvironment and
# neutral tone mapping, from the same cameras. Prints a table of views and their summary (columns: measure.py).
#
#   benches/picture/compare.sh PROGRAM MODELS [FIGURES]
#
# PROGRAM is skinscope; MODELS a folder of .glb and .gltf files of different names, also in folders of their own, with at least
# RobotExpressive.glb, KayKit_Knight.glb, CesiumMan.glb and Fox.glb. With FIGURES, what three.js shows of the views that tests
# know is written there: `tests/fixtures/picture/three.json` holds it.
#
#   CHROMIUM=PATH    the browser (default: chromium); it draws by software
#   SCRATCH=DIR      where all that is made on the way lies (default /tmp/skinscope-picture)
#   EXTRA=DIR        another folder of models, such as samples of Khronos
#   RENDER_ARGS=...  more arguments for `skinscope render`, such as "--look environment"
#
# Needs node, npm, python3 and chromium. Generated models: tests/fixtures/picture, and one for each layer of materials. What
# three.js has drawn stays in SCRATCH, so that other arguments can be measured at once:
#
#   cd SCRATCH && RENDER_ARGS=... venv/bin/python .../measure.py PROGRAM out <cameras.json
set -euo pipefail
program="$(realpath "${1:?the program}")"
models="$(realpath "${2:?the folder of models}")"
figures="${3:+$(realpath "$3")}"
extra="${EXTRA:+$(realpath "$EXTRA")}"
cd "$(dirname "$0")"
here="$PWD"
root="$(cd ../.. && pwd)"
made="$root/tests/fixtures/picture"
scratch="${SCRATCH:-/tmp/skinscope-picture}"
mkdir -p "$scratch/out" "$scratch/layers"
cp three.mjs package.json "$scratch/"
(cd "$scratch" && [ -d node_modules ] || npm install --silent --no-audit --no-fund >&2)
[ -d "$scratch/venv" ] || { python3 -m venv "$scratch/venv" && "$scratch/venv/bin/pip" install --quiet numpy Pillow; } >&2
python3 models.py fixtures "$made"
python3 models.py layers "$scratch/layers"

# The views that tests know.
known=()
for name in balls columns columns@60 figure leather leather@200 metals; do
  known+=("$made/${name%@*}.glb${name#"${name%@*}"}")
done
known+=("$root/assets/character.glb" "$root/assets/character.glb@210")
for name in RobotExpressive RobotExpressive@200 KayKit_Knight KayKit_Knight@120 CesiumMan Fox Fox@250; do
  known+=("$models/${name%@*}.glb${name#"${name%@*}"}")
done

# FOLDER PLACE... lists each model of the folder from each place.
views() {
  local file place
  find "$1" -name '*.gl[bt]*' | sort | while read -r file; do
    for place in "${@:2}"; do echo "$file$place"; done
  done
}
mapfile -t shown < <({
  printf '%s\n' "${known[@]}"
  for folder in "$root/assets" "$made" "$models" ${extra:+"$extra"}; do views "$folder" "" @150,25 @300,-10; done
  views "$scratch/layers" "" @340,20
} | awk '!seen[$0]++')

cd "$scratch"
rm -f out/*.png
node three.mjs "$(command -v "${CHROMIUM:-chromium}")" out 384 "${shown[@]}" >cameras.json
PYTHONPATH="$here" venv/bin/python "$here/measure.py" "$program" out ${figures:+"$figures" "${known[@]##*/}"} <cameras.json
