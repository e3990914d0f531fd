#!/usr/bin/env bash
# How near pictures are to the base colours of their materials, beside three.js with RoomEnvironment and neutral tone mapping
# from the same camera. Prints a table (its columns: measure.py).
#
#   benches/picture/compare.sh PROGRAM MODELS [FIGURES]
#
# PROGRAM is skinscope; MODELS a folder with RobotExpressive.glb, KayKit_Knight.glb, CesiumMan.glb and Fox.glb. With FIGURES,
# what three.js shows is written there: `tests/fixtures/picture/three.json` holds it for the tests.
#
#   CHROMIUM=PATH    the browser (default: chromium); it draws by software
#   SCRATCH=DIR      where all that is made on the way lies (default /tmp/skinscope-picture)
#
# Needs node, npm, python3 and chromium. The generated models are those of tests/fixtures/picture.
set -euo pipefail
program="$(realpath "${1:?the program}")"
models="$(realpath "${2:?the folder of models}")"
figures="${3:+$(realpath "$3")}"
cd "$(dirname "$0")"
here="$PWD"
root="$(cd ../.. && pwd)"
scratch="${SCRATCH:-/tmp/skinscope-picture}"
mkdir -p "$scratch/out"
cp three.mjs package.json "$scratch/"
(cd "$scratch" && [ -d node_modules ] || npm install --silent --no-audit --no-fund >&2)
[ -d "$scratch/venv" ] || { python3 -m venv "$scratch/venv" && "$scratch/venv/bin/pip" install --quiet numpy Pillow; } >&2
python3 models.py make "$root/tests/fixtures/picture"
made="$root/tests/fixtures/picture"
shown=()
for name in balls columns columns@60 figure leather leather@200 metals; do
  file="${name%@*}"
  shown+=("$made/$file.glb${name#"$file"}")
done
shown+=("$root/assets/character.glb" "$root/assets/character.glb@210")
for name in RobotExpressive RobotExpressive@200 KayKit_Knight KayKit_Knight@120 CesiumMan Fox Fox@250; do
  file="${name%@*}"
  shown+=("$models/$file.glb${name#"$file"}")
done
cd "$scratch"
rm -f out/*.png
node three.mjs "$(command -v "${CHROMIUM:-chromium}")" out 384 "${shown[@]}" >cameras.json
PYTHONPATH="$here" venv/bin/python "$here/measure.py" "$program" out ${figures:+"$figures"} <cameras.json
