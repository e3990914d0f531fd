#!/usr/bin/env bash
# three.js 0.187.0 (npm): what Skeleton.pose() does to a character whose bones hang on a node that is turned and scaled, as many
# exporters leave one (an armature in centimetres, lying on its back).
#
# Guess: the bones go back to the pose that the inverse bind matrices mean, so that the mesh looks as it does when it is loaded.
# Seen: the transform of the node counts twice. pose() looks for the local transform of a bone below its parent only where the
# parent is a bone too; a root bone gets its transform in the world as its local one. The top of the head, loaded at a height of
# 1600 mm, is on the floor and 16 mm behind the feet: the mesh lies down, 100 times too small. Where the node has no transform,
# pose() is right. Loading a glTF file does not call it; a button that resets the pose does.
#
# Fails if that changes. Needs node and npm.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund three@0.187.0 >/dev/null
cat > pose.mjs <<'JS'
import { Matrix4, Vector3 } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
globalThis.self = globalThis;
globalThis.ProgressEvent ??= Event;
// A triangle from the feet to the head, 1.6 m high, on two bones: the hips at 1 m and the head at 1.6 m.
function character(node) {
  const above = new Matrix4().fromArray(node);
  const down = above.clone().invert();
  const bones = [new Vector3(0, 1, 0), new Vector3(0, 1.6, 0)];
  const worlds = bones.map((at) => new Matrix4().setPosition(at).multiply(new Matrix4().extractRotation(above)));
  worlds.forEach((world) => world.scale(new Vector3().setScalar(above.getMaxScaleOnAxis())));
  const hips = down.clone().multiply(worlds[0]);
  const head = worlds[0].clone().invert().multiply(worlds[1]);
  const floats = [0, 0, 0, 0.3, 1, 0, 0, 1.6, 0, ...[1, 0, 0, 0], ...[1, 0, 0, 0], ...[1, 0, 0, 0]];
  floats.push(...worlds.flatMap((world) => world.clone().invert().toArray()));
  const joints = [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0];
  const bytes = Buffer.concat([Buffer.from(Float32Array.from(floats).buffer), Buffer.from(joints)]);
  const view = (byteOffset, byteLength) => ({ buffer: 0, byteOffset, byteLength });
  const accessor = (bufferView, componentType, count, type, more) => ({ bufferView, componentType, count, type, ...more });
  return JSON.stringify({
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0, 3] }],
    nodes: [
      { name: 'Armature', matrix: node, children: [1] },
      { name: 'Hips', matrix: hips.toArray(), children: [2] },
      { name: 'Head', matrix: head.toArray() },
      { name: 'Body', mesh: 0, skin: 0 },
    ],
    skins: [{ joints: [1, 2], inverseBindMatrices: 3 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, WEIGHTS_0: 1, JOINTS_0: 2 } }] }],
    accessors: [
      accessor(0, 5126, 3, 'VEC3', { min: [0, 0, 0], max: [0.30000001192092896, 1.600000023841858, 0] }),
      accessor(1, 5126, 3, 'VEC4'),
      accessor(3, 5121, 3, 'VEC4'),
      accessor(2, 5126, 2, 'MAT4'),
    ],
    bufferViews: [view(0, 36), view(36, 48), view(84, 128), view(212, 12)],
    buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}` }],
  });
}
const quarter = new Matrix4().makeRotationX(-Math.PI / 2).scale(new Vector3(0.01, 0.01, 0.01)).toArray();
for (const [name, node] of [['plain node', new Matrix4().toArray()], ['turned, scaled node', quarter]]) {
  const { scene } = await new GLTFLoader().parseAsync(character(node), '');
  const body = scene.getObjectByName('Body');
  const show = (when) => {
    scene.updateMatrixWorld(true);
    const at = body.getVertexPosition(2, new Vector3()).applyMatrix4(body.matrixWorld).toArray();
    const millimetres = at.map((x) => Math.round(1000 * x) + 0).join(' ');
    console.log(`${name}, ${when}: top of the head at ${millimetres} mm`);
  };
  show('loaded');
  body.skeleton.pose();
  show('after pose()');
}
JS
node pose.mjs | tee seen.txt
cat > expected.txt <<'TEXT'
plain node, loaded: top of the head at 0 1600 0 mm
plain node, after pose(): top of the head at 0 1600 0 mm
turned, scaled node, loaded: top of the head at 0 1600 0 mm
turned, scaled node, after pose(): top of the head at 0 0 -16 mm
TEXT
diff -u expected.txt seen.txt
