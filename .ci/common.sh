# What both checks need: packages, the validator, where compiled dependencies are kept. Sourced by `run` and `full`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI=true
export SKINSCOPE_CORPUS="${SKINSCOPE_CORPUS:-$PWD/../shared/corpus}"

# The system's graphics libraries complain where there is none.
if [ -z "${XDG_RUNTIME_DIR:-}" ]; then
  XDG_RUNTIME_DIR="$(mktemp -d)"
  export XDG_RUNTIME_DIR
fi

started=$SECONDS
step() { printf '\n== %s (after %s s)\n' "$*" "$((SECONDS - started))"; }

step "software Vulkan and OpenGL, a virtual display, real mouse and key events"
if command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  packages=(g++ mesa-vulkan-drivers libvulkan1 libegl1 libgl1-mesa-dri xvfb xdotool imagemagick libxkbcommon-x11-0 libx11-xcb1 libxcursor1 libxi6 libxrandr2 nodejs python3 python3-venv ca-certificates)
  # Some packages of nodejs bring npm, Debian's does not.
  command -v npm >/dev/null || packages+=(npm)
  packages+=("${more_packages[@]+"${more_packages[@]}"}")
  missing=()
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  if [ "${#missing[@]}" -gt 0 ]; then
    sudo=""
    [ "$(id -u)" = 0 ] || sudo="sudo"
    $sudo apt-get update -qq
    $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
fi

# Compiled dependencies outlive the clone where there is a folder for them. What was compiled of this workspace does not: it belongs to
# the folder that it was compiled in.
if [ -z "${CARGO_TARGET_DIR:-}" ] && mkdir -p "${SKINSCOPE_CI_TARGET:=$HOME/.cache/skinscope-ci/target}" 2>/dev/null; then
  export CARGO_TARGET_DIR="$SKINSCOPE_CI_TARGET"
  find "$CARGO_TARGET_DIR" -mindepth 1 -depth -name '*skinscope*' -exec rm -rf {} + 2>/dev/null || true
  find "$CARGO_TARGET_DIR" -type d -name incremental -prune -exec rm -rf {} + 2>/dev/null || true
fi
# The clone is thrown away: nothing is compiled a second time with changes.
export CARGO_INCREMENTAL=0

step "the Khronos validator, which reads again what fix has written"
if [ -z "${VALIDATOR:-}" ]; then
  VALIDATOR="$PWD/target/validator/package"
  export VALIDATOR
  if [ ! -d "$VALIDATOR" ]; then
    mkdir -p target/validator
    archive=gltf-validator-2.0.0-dev.3.10.tgz
    npm pack --loglevel=error --fetch-retries=5 --pack-destination target/validator gltf-validator@2.0.0-dev.3.10 >/dev/null
    (cd target/validator && sha512sum -c --quiet) <<<"a1d278934b519065e20c69fbf320c183e7c16c022f0675f187747002d6b47a64b11adc9a80513c078c442c1d6861edd2e510fc0a2dee640b1969ab1c1f62c011  $archive"
    tar -xzf "target/validator/$archive" -C target/validator
  fi
fi

# Runs tests and shows what they print; fails where the run does not say how many tests were skipped.
log="$(mktemp)"
venv="$(mktemp -d)"
trap 'rm -rf "$log" "$venv"' EXIT
nothing_was_skipped() {
  if grep -n 'SKIPPED: ' "$log"; then
    echo "a test was skipped; on this machine none may be"
    exit 1
  fi
  grep -q '^No test was skipped' "$log" || { echo "the run did not say how many tests were skipped"; exit 1; }
}

# Builds the Python package into a new environment and runs its tests, which compare it with the program that is built already. The wheel is
# compiled as quickly as the tests are.
python_package() {
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 5 'maturin>=1.9.4,<2'
  PATH="$venv/bin:$PATH" "$venv/bin/maturin" build --quiet --profile dev --out "$venv/wheels"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 5 "$(echo "$venv"/wheels/skinscope-*.whl)[test]"
  "$venv/bin/python" -m pytest --quiet -rs "$@" 2>&1 | tee "$log"
  grep -q '^No test was skipped' "$log" || { echo "a test of the Python package was skipped; on this machine none may be"; exit 1; }
}
