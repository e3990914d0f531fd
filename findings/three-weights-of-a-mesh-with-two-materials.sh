#!/usr/bin/env bash
# three.js 0.187.0 (npm): which face smiles when a glTF animates the `weights` of one node, the face has two materials (skin and
# lips, so two primitives), and a second node shows the same mesh, or hair with morph targets of its own hangs below it.
#
# Guess: the node that the channel names, and no other, whether its mesh has one primitive or two.
# Seen: so with one primitive. With two, GLTFLoader makes a group of two meshes, and animates these by their names. Two nodes
# that show the same mesh get copies of the same names, and the first in the scene takes what is meant for the second: the keys
# of Twin B move the face of Twin A, and B never smiles. Where both have keys, A shows the mean of the two, and B nothing. What
# hangs below the node is in the group too: the hair takes the keys of the face, two numbers for its three targets, and its
# third is the next number of the mixer's buffer, in every other frame the first weight of the frame before. Nothing is warned
# of.
#
# Fails if that changes. Needs node and npm.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund three@0.187.0 >/dev/null
cat > weights.mjs <<'JS'
import { AnimationMixer } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
globalThis.self = globalThis;
globalThis.ProgressEvent ??= Event;
for (const word of ['warn', 'error']) console[word] = (...said) => console.log(word, ...said);
// A triangle for each material; each morph target raises it. Keys are at 0 s and 1 s.
function file(meshes, nodes, roots, keys) {
  const parts = [], accessors = [], bufferViews = [];
  let length = 0;
  const store = (numbers, type, bounds) => {
    const bytes = Buffer.from(Float32Array.from(numbers).buffer);
    bufferViews.push({ buffer: 0, byteOffset: length, byteLength: bytes.length });
    length += bytes.length;
    parts.push(bytes);
    const count = numbers.length / (type === 'VEC3' ? 3 : 1);
    accessors.push({ bufferView: accessors.length, componentType: 5126, count, type, ...bounds });
    return accessors.length - 1;
  };
  const POSITION = store([0, 0, 0, 1, 0, 0, 0, 1, 0], 'VEC3', { min: [0, 0, 0], max: [1, 1, 0] });
  const raised = store([0, 0, 1, 0, 0, 1, 0, 0, 1], 'VEC3', { min: [0, 0, 1], max: [0, 0, 1] });
  const input = store([0, 1], 'SCALAR', { min: [0], max: [1] });
  const samplers = keys.map(([, values]) => ({ input, output: store(values, 'SCALAR') }));
  const channels = keys.map(([node], sampler) => ({ sampler, target: { node, path: 'weights' } }));
  const mesh = ({ materials, targets }) => ({ primitives: Array.from({ length: materials }, (_, material) =>
    ({ attributes: { POSITION }, material, targets: Array(targets).fill({ POSITION: raised }) })) });
  const uri = `data:application/octet-stream;base64,${Buffer.concat(parts).toString('base64')}`;
  return JSON.stringify({ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: roots }], nodes, meshes: meshes.map(mesh),
    materials: [{ name: 'skin' }, { name: 'lips' }], animations: [{ samplers, channels }], accessors, bufferViews,
    buffers: [{ byteLength: length, uri }] });
}
async function show(title, json, times) {
  const { scene, animations } = await new GLTFLoader().parseAsync(json, '');
  const mixer = new AnimationMixer(scene);
  mixer.clipAction(animations[0]).play();
  let now = 0;
  for (const time of times) {
    mixer.update(time - now);
    now = time;
    const seen = [];
    scene.traverse((one) => {
      const name = one.userData.name ?? one.name;
      const first = one.morphTargetInfluences ? one : one.children.find((child) => /^mesh/.test(child.name));
      if (!/^(Twin|Face|Hair)/.test(name)) return;
      seen.push(`${name} ${first.morphTargetInfluences.map((weight) => +weight.toFixed(3)).join(' ')}`);
    });
    console.log(`${title}, ${time} s: ${seen.join(', ')}`);
  }
}
const twins = [{ name: 'TwinA', mesh: 0 }, { name: 'TwinB', mesh: 0 }];
const below = [{ name: 'Face', mesh: 0, children: [1] }, { name: 'Hair', mesh: 1 }];
for (const materials of [1, 2]) {
  const [face, hair] = [{ materials, targets: 1 }, { materials: 1, targets: 3 }];
  const words = materials === 1 ? 'one material' : 'two materials';
  await show(`${words}, keys of B`, file([face], twins, [0, 1], [[1, [0, 1]]]), [0.5]);
  await show(`${words}, keys of both`, file([face], twins, [0, 1], [[0, [0, 0]], [1, [0, 1]]]), [0.5]);
  const haired = file([{ ...face, targets: 2 }, hair], below, [0], [[0, [0, 0, 1, 0.4]]]);
  await show(`${words}, hair below`, haired, [0.25, 0.5, 0.75, 0.875]);
}
JS
node weights.mjs | tee seen.txt
cat > expected.txt <<'TEXT'
one material, keys of B, 0.5 s: TwinA 0, TwinB 0.5
one material, keys of both, 0.5 s: TwinA 0, TwinB 0.5
one material, hair below, 0.25 s: Face 0.25 0.1, Hair 0 0 0
one material, hair below, 0.5 s: Face 0.5 0.2, Hair 0 0 0
one material, hair below, 0.75 s: Face 0.75 0.3, Hair 0 0 0
one material, hair below, 0.875 s: Face 0.875 0.35, Hair 0 0 0
two materials, keys of B, 0.5 s: TwinA 0.5, TwinB 0
two materials, keys of both, 0.5 s: TwinA 0.25, TwinB 0
two materials, hair below, 0.25 s: Face 0.25 0.1, Hair 0.25 0.1 0
two materials, hair below, 0.5 s: Face 0.5 0.2, Hair 0.5 0.2 0.25
two materials, hair below, 0.75 s: Face 0.75 0.3, Hair 0.75 0.3 0
two materials, hair below, 0.875 s: Face 0.875 0.35, Hair 0.875 0.35 0.75
TEXT
diff -u expected.txt seen.txt
