#!/usr/bin/env bash
# three.js 0.187.0 (npm): what SkinnedMesh.normalizeSkinWeights leaves of skin weights that are stored as normalised integers.
#
# Guess: the weights of a vertex sum to exactly 1 afterwards, as the name of the function says, so that 127 127 0 0 becomes
# 128 127 0 0.
# Seen: each weight is divided by the sum and rounded for itself when it is written back to the array of integers, and nothing
# evens the sum out afterwards. So 127 127 0 0 (254 of 255) becomes 128 128 0 0 (256), 100 100 54 0 stays at 254, and 16 bits
# do the same in steps of 1/65535. A joint 100 m away then moves such a vertex 0.39 m too far or too short. Floats sum to 1.
#
# Fails if that changes. Needs node and npm.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund three@0.187.0 >/dev/null
cat > sums.mjs <<'JS'
import { BufferAttribute, BufferGeometry, SkinnedMesh } from 'three';
const rows = [[127, 127, 0, 0], [128, 128, 0, 0], [100, 100, 54, 0], [85, 85, 85, 0], [64, 64, 64, 62], [3, 3, 1, 0]];
function sums(Kind, one, rows) {
  const geometry = new BufferGeometry();
  const count = rows.length;
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * count), 3));
  geometry.setAttribute('skinIndex', new BufferAttribute(new Uint8Array(4 * count), 4));
  const weights = new BufferAttribute(Kind.from(rows.flat()), 4, one !== 1);
  geometry.setAttribute('skinWeight', weights);
  new SkinnedMesh(geometry).normalizeSkinWeights();
  return rows.map((_, i) => Array.from(weights.array.slice(4 * i, 4 * i + 4)));
}
const show = (name, out) => out.forEach((row) => console.log(name, row.join(' '), '=', row.reduce((a, b) => a + b, 0)));
show('u8', sums(Uint8Array, 255, rows));
show('u16', sums(Uint16Array, 65535, [[32767, 32767, 0, 0], [1, 1, 1, 0]]));
const floats = sums(Float32Array, 1, [[0.3, 0.3, 0.3, 0]]).flat().reduce((a, b) => a + b, 0);
console.log('f32', Math.abs(floats - 1) < 1e-6 ? 'sums to 1' : `sums to ${floats}`);
JS
node sums.mjs | tee seen.txt
cat > expected.txt <<'TEXT'
u8 128 128 0 0 = 256
u8 128 128 0 0 = 256
u8 100 100 54 0 = 254
u8 85 85 85 0 = 255
u8 64 64 64 62 = 254
u8 109 109 36 0 = 254
u16 32768 32768 0 0 = 65536
u16 21845 21845 21845 0 = 65535
f32 sums to 1
TEXT
diff -u expected.txt seen.txt
