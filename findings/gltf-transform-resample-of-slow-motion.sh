#!/usr/bin/env bash
# @gltf-transform/functions 4.5.1 (npm): what resample(), which `optimize` of its command line runs too, leaves of a slow
# movement, as breathing and idling are: a joint that turns to and fro by some degrees in 6 s, with a key in each frame.
#
# Guess: a movement within 0.0001, which is the tolerance, of what it was; the more keys there are, the better it is kept.
# Seen: each key is compared with the line from the last kept one to the next, and never with the keys left out before. A slow
# turn departs from that line by less than the tolerance in every frame, so that all its keys go, one after the other. At 24
# frames a second breathing of 1° is off by 0.07°, at 60 by 0.2°; at 120 nothing is left of it, and the chest stands still. A
# height in metres that rises and falls by 10 mm is off by 2.7 mm at 60 frames. Fast movements are kept well. With a tolerance of
# 1e-6 the 1° at 120 frames comes out right to 0.001°, with 130 of 721 keys.
#
# Fails if that changes. Needs node and npm.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @gltf-transform/core@4.5.1 @gltf-transform/functions@4.5.1 \
  gltf-validator@2.0.0-dev.3.10 >/dev/null
cat > slow.mjs <<'JS'
import { Document, NodeIO } from '@gltf-transform/core';
import { resample } from '@gltf-transform/functions';
import validator from 'gltf-validator';
const degrees = (angle) => (angle * 180) / Math.PI;
const turned = (angle) => [Math.sin(angle / 2), 0, 0, Math.cos(angle / 2)];
const angleOf = ([x, , , w]) => 2 * Math.atan2(x, w);
// A joint that turns by `angle` radians, or rises by `angle` metres, to both sides of where it is, once in `seconds`.
function clip(path, angle, seconds, frames) {
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (type, array) => document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
  const times = Float32Array.from({ length: Math.round(seconds * frames) + 1 }, (_, i) => i / frames);
  const values = Array.from(times, (time) => angle * Math.sin((2 * Math.PI * time) / seconds));
  const rows = values.map((value) => (path === 'rotation' ? turned(value) : [0, value, 0]));
  const chest = document.createNode('chest');
  document.createScene().addChild(chest);
  const sampler = document.createAnimationSampler().setInterpolation('LINEAR').setInput(accessor('SCALAR', times))
    .setOutput(accessor(path === 'rotation' ? 'VEC4' : 'VEC3', new Float32Array(rows.flat())));
  const channel = document.createAnimationChannel().setTargetNode(chest).setTargetPath(path).setSampler(sampler);
  document.createAnimation('breathing').addSampler(sampler).addChannel(channel);
  return { document, times, values };
}
async function show(title, path, angle, seconds, frames, options) {
  const { document, times, values } = clip(path, angle, seconds, frames);
  const { issues } = await validator.validateBytes(await new NodeIO().writeBinary(document));
  if (issues.numErrors + issues.numWarnings > 0) throw new Error('the file is not valid');
  await document.transform(resample(options));
  const [sampler] = document.getRoot().listAnimations()[0].listSamplers();
  const kept = sampler.getInput().getArray();
  // The turns are about one axis, so that slerp is a line of the angle.
  const at = (key) => {
    const row = sampler.getOutput().getElement(key, []);
    return path === 'rotation' ? angleOf(row) : row[1];
  };
  let worst = 0, most = 0;
  times.forEach((time, i) => {
    let key = 0;
    while (key < kept.length - 2 && kept[key + 1] < time) key += 1;
    const share = (time - kept[key]) / (kept[key + 1] - kept[key]);
    const value = at(key) + (at(key + 1) - at(key)) * share;
    worst = Math.max(worst, Math.abs(value - values[i]));
    most = Math.max(most, Math.abs(value));
  });
  const words = path === 'rotation' ? (value) => `${degrees(value).toFixed(3)}°` : (value) => `${(1000 * value).toFixed(1)} mm`;
  console.log(`${title}: ${times.length} keys, then ${kept.length}, off by ${words(worst)}, moves by ${words(most)}`);
}
const one = Math.PI / 180;
for (const frames of [24, 60, 120]) await show(`1° in 6 s, ${frames} frames a second`, 'rotation', one, 6, frames);
await show('0.5° in 6 s, 60 frames a second', 'rotation', one / 2, 6, 60);
await show('30° in 1 s, 60 frames a second', 'rotation', 30 * one, 1, 60);
await show('10 mm in 6 s, 60 frames a second', 'translation', 0.01, 6, 60);
await show('1° in 6 s, 120 frames, tolerance 1e-6', 'rotation', one, 6, 120, { tolerance: 1e-6 });
JS
node slow.mjs | tee seen.txt
cat > expected.txt <<'TEXT'
1° in 6 s, 24 frames a second: 145 keys, then 8, off by 0.074°, moves by 0.999°
1° in 6 s, 60 frames a second: 361 keys, then 4, off by 0.224°, moves by 1.000°
1° in 6 s, 120 frames a second: 721 keys, then 2, off by 1.000°, moves by 0.000°
0.5° in 6 s, 60 frames a second: 361 keys, then 2, off by 0.500°, moves by 0.000°
30° in 1 s, 60 frames a second: 61 keys, then 60, off by 0.000°, moves by 30.000°
10 mm in 6 s, 60 frames a second: 361 keys, then 4, off by 2.7 mm, moves by 10.0 mm
1° in 6 s, 120 frames, tolerance 1e-6: 721 keys, then 130, off by 0.001°, moves by 1.000°
TEXT
diff -u expected.txt seen.txt
