#!/usr/bin/env bash
# three.js 0.187.0 (npm): what GLTFExporter writes of a skinned mesh, loaded from a valid glTF file, when only the mesh is handed
# to it, as a button "export the selection" does, or when a bone is hidden.
#
# Guess: a skin needs its joints, so that they are written with the mesh; or the mesh is written without a skin, or with a
# warning. Hiding a bone hides what hangs on it, and is not about the skin.
# Seen: joints that are not among the nodes written stand in the skin as null: "joints": [null, null] for the mesh alone, since
# GLTFLoader puts bones beside a mesh and not below it; "joints": [0, null] where the second bone is hidden, since by default
# the exporter leaves out what is hidden, with all that hangs on it. Nothing warns, and the file is not valid. With
# { onlyVisible: false } hidden bones are written; a mesh alone has to be exported in an array with its uppermost bone.
#
# Fails if that changes. Needs node and npm.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund three@0.187.0 gltf-validator@2.0.0-dev.3.10 >/dev/null
cat > joints.mjs <<'JS'
import { GLTFExporter } from 'three/addons/exporters/GLTFExporter.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import validator from 'gltf-validator';
globalThis.self = globalThis;
globalThis.ProgressEvent ??= Event;
// What a browser has and the exporter asks for.
globalThis.FileReader = class {
  readAsDataURL(blob) {
    blob.arrayBuffer().then((buffer) => {
      this.result = `data:application/octet-stream;base64,${Buffer.from(buffer).toString('base64')}`;
      this.onloadend();
    });
  }
};
let said = 0;
for (const way of ['warn', 'error']) console[way] = () => { said += 1; };
// A triangle on two joints, the second one a child of the first.
function model() {
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const floats = new Float32Array([0, 0, 0, 1, 0, 0, 0, 2, 0, ...[1, 0, 0, 0], ...[1, 0, 0, 0], ...[1, 0, 0, 0],
    ...identity, ...identity.with(13, -1)]);
  const bytes = Buffer.concat([Buffer.from(floats.buffer), Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0])]);
  const view = (byteOffset, byteLength, more) => ({ buffer: 0, byteOffset, byteLength, ...more });
  const vertices = { target: 34962 };
  return JSON.stringify({
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0, 2] }],
    nodes: [{ name: 'hips', children: [1] }, { name: 'head', translation: [0, 1, 0] }, { name: 'body', mesh: 0, skin: 0 }],
    skins: [{ joints: [0, 1], inverseBindMatrices: 3 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, WEIGHTS_0: 1, JOINTS_0: 2 } }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 2, 0] },
      { bufferView: 1, componentType: 5126, count: 3, type: 'VEC4' },
      { bufferView: 3, componentType: 5121, count: 3, type: 'VEC4' },
      { bufferView: 2, componentType: 5126, count: 2, type: 'MAT4' },
    ],
    bufferViews: [view(0, 36, vertices), view(36, 48, vertices), view(84, 128), view(212, 12, vertices)],
    buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}` }],
  });
}
const errors = async (text) => (await validator.validateString(text)).issues.numErrors;
async function show(title, choose, options) {
  const { scene } = await new GLTFLoader().parseAsync(model(), '');
  const written = await new GLTFExporter().parseAsync(choose(scene), options);
  const names = JSON.stringify(written.skins[0].joints.map((joint) => written.nodes[joint]?.name ?? joint));
  console.log(`${title}: joints ${names}, ${said} warnings, ${await errors(JSON.stringify(written))} errors of the validator`);
}
const part = (scene, name) => scene.getObjectByName(name);
function hidden(scene, name) {
  part(scene, name).visible = false;
  return scene;
}
console.log(`the file: ${await errors(model())} errors of the validator`);
await show('the scene', (scene) => scene);
await show('the mesh alone', (scene) => part(scene, 'body'));
await show('the mesh and the upper bone', (scene) => [part(scene, 'body'), part(scene, 'hips')]);
await show('head hidden', (scene) => hidden(scene, 'head'));
await show('hips hidden', (scene) => hidden(scene, 'hips'));
await show('head hidden, onlyVisible off', (scene) => hidden(scene, 'head'), { onlyVisible: false });
JS
node joints.mjs | tee seen.txt
cat > expected.txt <<'TEXT'
the file: 0 errors of the validator
the scene: joints ["hips","head"], 0 warnings, 0 errors of the validator
the mesh alone: joints [null,null], 0 warnings, 3 errors of the validator
the mesh and the upper bone: joints ["hips","head"], 0 warnings, 0 errors of the validator
head hidden: joints ["hips",null], 0 warnings, 1 errors of the validator
hips hidden: joints [null,null], 0 warnings, 3 errors of the validator
head hidden, onlyVisible off: joints ["hips","head"], 0 warnings, 0 errors of the validator
TEXT
diff -u expected.txt seen.txt
