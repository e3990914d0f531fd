#!/usr/bin/env bash
# Everything that the project says of its speed, against what people would use instead, as Markdown tables of ratios. Each
# ratio is the median of same-round ratios: the programs run in turn.
#
#   benches/compare.sh YARDSTICKS MODELS [PART...]
#
# YARDSTICKS is a folder of programs to measure against (measure.py, viewers/, load/, rust_anim/, lavapipe_floor/,
# bevy_foxes/), MODELS one with CesiumMan.glb, Fox.glb and RobotExpressive.glb. A PART is pose, deform, vertices, start, large,
# shared (twenty primitives that name the same million vertices, against one), parts, playing, crowd, rest or build; without any all are measured but build, which takes an empty target folder and minutes.
#
#   HISTORY=FILE     a table that every ratio is appended to, with date and commit; benches/history.md is that of the project
#   ROUNDS=7         rounds that count, and one before them
#   SCRATCH=DIR      where everything made on the way lies (default /tmp/skinscope-compare): a virtual environment for Python,
#                    the large model, the built programs. Bevy alone builds for many minutes.
#
# Needs python3, Xvfb where there is no DISPLAY, and a machine that does nothing else. Times of the processor are those to
# trust.
set -euo pipefail
cd "$(dirname "$0")/.."
yardsticks="$(cd "${1:?the folder of yardsticks}" && pwd)"
models="$(cd "${2:?the folder of models}" && pwd)"
shift 2
parts=("$@")
[ "${#parts[@]}" -gt 0 ] || parts=(pose deform vertices start large shared parts playing crowd rest)
rounds="${ROUNDS:-7}"
scratch="${SCRATCH:-/tmp/skinscope-compare}"
mkdir -p "$scratch"
: "${XDG_RUNTIME_DIR:=$scratch}"
export XDG_RUNTIME_DIR
# The window as it is the first time.
export XDG_CONFIG_HOME="$scratch/config"

has() { local part; for part in "${parts[@]}"; do [ "$part" != "$1" ] || return 0; done; return 1; }
pairs() { python3 benches/pairs.py -n "$rounds" --title "$title" ${HISTORY:+--history "$HISTORY"} "$@"; }
table() {
  title="$*"
  printf '\n### %s\n\n| | ours | theirs | ratio | wanted | kept |\n|---|---|---|---|---|---|\n' "$title"
}
# A program of the yardsticks, built once; prints its path.
yardstick() {
  cargo build --release --quiet --manifest-path "$yardsticks/$1/Cargo.toml" --target-dir "$scratch/target" >&2
  echo "$scratch/target/release/$(basename "$1")"
}
# A bench of ours; prints its path.
bench() {
  cargo bench -p skinscope_benches --quiet --no-run --bench "$1" "${@:2}" --message-format=json |
    python3 -c 'import json, sys
for line in sys.stdin:
    made = json.loads(line)
    if made.get("executable") and "bench" in made["target"]["kind"]: print(made["executable"])'
}
python() {
  if ! python3 -c 'import f3d, numpy, PIL' 2>/dev/null; then
    [ -d "$scratch/venv" ] || python3 -m venv "$scratch/venv" >&2
    "$scratch/venv/bin/pip" install --quiet f3d numpy Pillow >&2
    echo "$scratch/venv/bin/python"
  else
    echo python3
  fi
}
f3d() { echo "env BACKEND=egl $(python) $yardsticks/viewers/f3d_shot.py"; }
display() {
  [ -z "${DISPLAY:-}" ] || return 0
  exec {ready}<> <(:)
  Xvfb -displayfd "$ready" -noreset -screen 0 1440x900x24 2>"$scratch/xvfb.log" &
  server=$!
  trap 'kill "$server"' EXIT
  read -r -u "$ready" number
  export DISPLAY=":$number"
}

cargo build --release --quiet
ours="$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')/release/skinscope"
printf 'Machine: %s, %s cores, %s. Load before: %s\n' \
  "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$(uname -sm)" "$(cut -d' ' -f1 /proc/loadavg)"

if has pose; then
  other="$(yardstick rust_anim)"
  mine="$(bench versus_pose --no-default-features)"
  rows=()
  theirs='case=binary search, glam slerp'
  for limit in 'R:19:0.40' 'R:70:0.35' 'R:250:0.34' 'TRS:19:0.32' 'TRS:70:0.285' 'TRS:250:0.275'; do
    IFS=: read -r keys joints most <<<"$limit"
    which="keys=$keys;joints=$joints"
    rows+=(--row "$keys keys, $joints joints, ns a joint|ours:case=playback;$which:all_ns_joint|theirs:$theirs;$which:all_ns_joint|$most")
    rows+=(--row "$keys keys, $joints joints, seeking against playing|ours:case=random seek;$which:all_ns_joint|ours:case=playback;$which:all_ns_joint|1.5")
  done
  table 'Pose: sampling, kinematics and palette'
  pairs --run "ours=$mine" --run "theirs=$other" "${rows[@]}"
fi

if has deform; then
  mine="$(bench versus_deform --no-default-features)"
  table 'Deformation on the processor: four influences, positions and normals'
  rows=()
  for vertices in 10000 100000 1000000; do
    which="vertices=$vertices"
    linear="case=linear 4: positions, normals;$which"
    rows+=(--row "$vertices vertices, ns a vertex, against a plain copy|ours:$linear:cpu_ns_per_vertex|ours:case=copy;$which:cpu_ns_per_vertex|2")
    rows+=(--row "$vertices vertices, joint after joint against vertex after vertex|ours:case=linear 4, bone by bone: positions, normals;$which:cpu_ns_per_vertex|ours:$linear:cpu_ns_per_vertex|")
    rows+=(--row "$vertices vertices, times as fast on two threads (wall; at least 1.8)|ours:case=linear 4, two threads: positions, normals;$which:faster||")
  done
  pairs --run "ours=$mine" "${rows[@]}"
fi

if has vertices; then
  other="$(yardstick lavapipe_floor)"
  mine="$(bench versus_vertices)"
  table 'Deformation on the device: 1M vertices, 256 joints; times what the same mesh costs rigid'
  skinned='case=skinned'
  pairs --run "ours=$mine 1000 5" --run "theirs=$other 1000 5 $scratch/floor.ppm" \
    --row "outside the frustum, processor|ours:view=outside the frustum;$skinned:cpu_ratio|theirs:view=outside the frustum (vertex work only);case=skin uniform 3x4 rows:cpu_ratio|1.05" \
    --row "outside the frustum, processor, 8-bit influences|ours:view=outside the frustum;$skinned:cpu_ratio|theirs:view=outside the frustum (vertex work only);case=skin uniform 3x4 rows, u8 joints unorm8 weights:cpu_ratio|1.05" \
    --row "seen, processor (at most 1.4)|ours:view=seen;$skinned:cpu_ratio||"
fi

if has start; then
  shot="$(f3d)"
  display
  for model in CesiumMan Fox RobotExpressive; do
    table "Start: process to picture, $model"
    pairs \
      --run "ours=$ours render $models/$model.glb -o $scratch/ours.png --size 1024x768 --clip 0 --time 0.5" \
      --run "theirs=$shot $models/$model.glb $scratch/theirs.png 0.5" \
      --run "window=$ours view $models/$model.glb --benchmark 1 --size 1024x768 --json" \
      --row 'wall, ms|ours::wall_ms|theirs::wall_ms|0.40' \
      --row 'processor, ms|ours::cpu_ms|theirs::cpu_ms|0.40' \
      --row 'memory, MiB|ours::rss_mib|theirs::rss_mib|0.47' \
      --row 'window with panels: memory, MiB|window::rss_mib|theirs::rss_mib|0.60' \
      --row 'window with panels: wall, ms|window::wall_ms|theirs::wall_ms|'
  done
fi

if has large; then
  model="$scratch/big.glb"
  [ -e "$model" ] || "$(python)" "$yardsticks/load/gen_big.py" "$model" >&2
  other="$(yardstick load/gltf_import)"
  shot="$(f3d)"
  table 'Large model: 1M vertices, 256 joints, 60 s at 30 Hz, a 4096² PNG'
  pairs \
    --run "ours=$ours info $model --load --json" --run "theirs=$other import $model" \
    --row 'import, wall, ms|ours:schema=1:import_ms|theirs:mode=import:ms|1.0' \
    --row 'import, processor, ms|ours:schema=1:import_cpu_ms|theirs:mode=import:cpu_ms|1.0' \
    --row 'import, and vertices ready for a device, against import, wall, ms|ours::wall_ms|theirs::wall_ms|' \
    --row 'the same, processor, ms|ours::cpu_ms|theirs::cpu_ms|' \
    --row 'whole import, memory, MiB|ours::rss_mib|theirs::rss_mib|1.1'
  picture="$ours render $model -o $scratch/ours.png --size 1024x768 --clip 0 --time 0.5"
  # Theirs has one sample a pixel.
  pairs \
    --run "ours=$picture --msaa off" --run "smooth=$picture" --run "theirs=$shot $model $scratch/theirs.png 0.5" \
    --row 'first picture, one sample, wall, ms|ours::wall_ms|theirs::wall_ms|0.35' \
    --row 'first picture, one sample, processor, ms|ours::cpu_ms|theirs::cpu_ms|0.35' \
    --row 'first picture, one sample, memory, MiB|ours::rss_mib|theirs::rss_mib|0.6' \
    --row 'four samples, wall, ms|smooth::wall_ms|theirs::wall_ms|0.45' \
    --row 'four samples, processor, ms|smooth::cpu_ms|theirs::cpu_ms|0.45' \
    --row 'four samples, memory, MiB|smooth::rss_mib|theirs::rss_mib|0.8'
fi

if has shared; then
  for kind in v1m v1m20; do
    [ -e "$scratch/$kind.glb" ] || "$(python)" benches/large/models.py "$kind" "$scratch/$kind.glb" >&2
  done
  table 'Twenty primitives that share a million vertices, against one'
  load="$ours info $scratch/v1m"
  picture="$ours render $scratch/v1m"
  frames="--clip 0 --time 0.5 --size 1024x768 -o $scratch/ours.png"
  pairs \
    --run "ours=${load}20.glb --load --json" --run "theirs=$load.glb --load --json" \
    --run "drawn=${picture}20.glb $frames" --run "whole=$picture.glb $frames" \
    --row 'load, wall, ms|ours::wall_ms|theirs::wall_ms|1.15' \
    --row 'load, processor, ms|ours::cpu_ms|theirs::cpu_ms|1.15' \
    --row 'load, memory, MiB|ours::rss_mib|theirs::rss_mib|1.15' \
    --row 'picture, processor, ms|drawn::cpu_ms|whole::cpu_ms|1.15' \
    --row 'picture, memory, MiB|drawn::rss_mib|whole::rss_mib|1.15'
fi

if has parts; then
  shot="$(f3d)"
  for case in '33:30:48' '500:30:24' '2000:100:12'; do
    IFS=: read -r many kinds sides <<<"$case"
    model="$scratch/parts_$many.glb"
    [ -e "$model" ] || python3 benches/parts.py "$model" "$many" "$kinds" "$sides"
    table "Start: process to picture, $many parts of $kinds materials"
    pairs \
      --run "ours=$ours render $model -o $scratch/ours.png --size 1024x768" \
      --run "theirs=$shot $model $scratch/theirs.png 0.5" \
      --row 'wall, ms|ours::wall_ms|theirs::wall_ms|' \
      --row 'processor, ms|ours::cpu_ms|theirs::cpu_ms|0.5' \
      --row 'memory, MiB|ours::rss_mib|theirs::rss_mib|'
  done
fi

if has playing; then
  shot="$(f3d)"
  display
  for model in CesiumMan Fox RobotExpressive; do
    table "Playing at 1024×768, our panels included, $model"
    pairs \
      --run "ours=$ours view $models/$model.glb --benchmark 120 --size 1024x768 --json" \
      --run "theirs=$shot $models/$model.glb $scratch/theirs.png 0.5 120" \
      --row 'processor a frame, ms|ours:schema=1:cpu_ms_per_frame|theirs:tool=f3d:cpu_ms_per_frame|0.15' \
      --row 'frame, ms (median)|ours:schema=1:frame_ms_median|theirs:tool=f3d:median_frame_ms|'
  done
fi

if has crowd; then
  bevy="$(yardstick bevy_foxes)"
  display
  for count in 100 500; do
    table "$count foxes at 1024×768, each at its own phase"
    foxes="$models/Fox.glb --crowd $count --benchmark 60 --size 1024x768 --json"
    pairs \
      --run "ours=$ours view $foxes --msaa off" --run "theirs=env NO_MSAA=1 ASSETS=$models $bevy Fox.glb $count 60 30" \
      --run "smooth=$ours view $foxes --msaa 4" --run "theirs_smooth=env ASSETS=$models $bevy Fox.glb $count 60 30" \
      --row 'one sample: processor a frame, ms|ours:schema=1:cpu_ms_per_frame|theirs:tool=bevy:cpu_ms_per_frame|0.6' \
      --row 'one sample: frame, ms (median)|ours:schema=1:frame_ms_median|theirs:tool=bevy:median_frame_ms|' \
      --row 'four: processor a frame, ms|smooth:schema=1:cpu_ms_per_frame|theirs_smooth:tool=bevy:cpu_ms_per_frame|0.6' \
      --row 'four: frame, ms (median)|smooth:schema=1:frame_ms_median|theirs_smooth:tool=bevy:median_frame_ms|'
  done
fi

# Processor time of all threads of a window that nobody touches, milliseconds in eight seconds; $1: what it is told to do first.
resting() {
  "$ours" view "$2" >/dev/null 2>&1 &
  local child=$!
  sleep 6
  if [ "$1" = paused ]; then
    # A key that is sent to a window by name is not one that was pressed.
    xdotool search --onlyvisible --name Skinscope windowfocus
    sleep 1
    xdotool key space
    sleep 4
  fi
  python3 - "$child" <<'END'
import glob, sys, time
def ran():
    return sum(int(open(f).read().split()[0]) for f in glob.glob(f"/proc/{sys.argv[1]}/task/*/schedstat"))
before = ran()
time.sleep(8)
print(f"{(ran() - before) / 1e6:.2f}")
END
  kill "$child"
  wait "$child" 2>/dev/null || true
}

if has rest; then
  display
  table 'Rest: processor time of a window that nobody touches, ms in 8 s'
  "$ours" bake -o "$scratch/still.glb"
  for case in "paused|$models/CesiumMan.glb" "no clip|$scratch/still.glb"; do
    ms="$(resting "${case%%|*}" "${case##*|}")"
    echo "| ${case%%|*} | $ms | | | < 5 | $(python3 -c "print('yes' if $ms < 5 else '**no**')") |"
  done
fi

if has build; then
  target="$scratch/clean"
  rm -rf "$target"
  table 'Build, from an empty target folder'
  start=$SECONDS
  CARGO_TARGET_DIR="$target" cargo build --release --quiet
  echo "| release build, s | $((SECONDS - start)) | | | | |"
  echo "| size of the program, MB | $(($(stat -c %s "$target/release/skinscope") / 1000000)) | | | | |"
  echo "| packages in it, for this system | $(cargo tree --edges normal,build --prefix none --no-dedupe | sort -u | wc -l) | | | | |"
  rm -rf "$target"
  start=$SECONDS
  CARGO_TARGET_DIR="$target" cargo test --quiet --no-run
  echo "| \`cargo test\`: build, s | $((SECONDS - start)) | | | | |"
  CARGO_TARGET_DIR="$target" cargo test --quiet
  seconds=$((SECONDS - start))
  echo "| \`cargo test\`: build and run, s | $seconds | | | < 600 | $([ "$seconds" -lt 600 ] && echo yes || echo '**no**') |"
  rm -rf "$target"
fi
