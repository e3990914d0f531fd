#!/usr/bin/env bash
# Loading a large model, as ratios in one run: whole processes in turn, against the bytes of the file read and its picture
# decoded (the floor under any import) and against another importer.
#
#   benches/load.sh [YARDSTICKS] [ROUNDS]
#
# YARDSTICKS is a folder with measure.py and load/ (gen_big.py, gltf_import/); without it only our own figures are printed,
# for the model named by MODEL. Everything made on the way lies in $SCRATCH (default /tmp/skinscope-load), outside the
# repository.
set -euo pipefail
cd "$(dirname "$0")/.."
yardsticks="${1:-}"
rounds="${2:-9}"
scratch="${SCRATCH:-/tmp/skinscope-load}"
mkdir -p "$scratch"

cargo build --release --quiet
ours="${CARGO_TARGET_DIR:-target}/release/skinscope"

if [ -z "$yardsticks" ]; then
  model="${MODEL:?name a model in MODEL, or give the folder of yardsticks}"
  for _ in $(seq "$rounds"); do "$ours" info "$model" --load --json; done
  exit 0
fi

model="${MODEL:-$scratch/big.glb}"
if [ ! -e "$model" ]; then
  [ -d "$scratch/venv" ] || python3 -m venv "$scratch/venv"
  "$scratch/venv/bin/pip" install --quiet numpy Pillow
  "$scratch/venv/bin/python" "$yardsticks/load/gen_big.py" "$model"
fi
cargo build --release --quiet --manifest-path "$yardsticks/load/gltf_import/Cargo.toml" --target-dir "$scratch/target"
other="$scratch/target/release/gltf_import"

# Ratios are to the first; the second run puts another first.
python3 "$yardsticks/measure.py" -n "$rounds" \
  "floor=$other floor $model" "import=$other import $model" "ours=$ours info $model --load --json"
python3 "$yardsticks/measure.py" -n "$rounds" \
  "import=$other import $model" "ours=$ours info $model --load --json"
