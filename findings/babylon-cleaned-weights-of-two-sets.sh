#!/usr/bin/env bash
# @babylonjs/core and @babylonjs/loaders 9.28.0 (npm): what Mesh.cleanMatrixWeights(), which makes weights sum to 1, does to a
# mesh of a valid glTF file whose vertices have six weights that do so already, in two sets.
#
# Guess: nothing, as with four weights in one set.
# Seen: the second set is written over the first one, and stays in its own place too. Weights of 0.3 0.2 0.2 0.1 and 0.1 0.1
# become 0.1 0.1 0 0 and 0.1 0.1, so that joints 2 and 3 let go of the vertex and six tenths are gone. validateSkinning() calls
# all weights valid before and none of those after. A vertex with four weights in the same mesh loses all of them, and is not
# a number. Where no vertex has more than four, in one set, all is right, so that usual models do not show it.
#
# Fails if that changes. Needs node and npm.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @babylonjs/core@9.28.0 @babylonjs/loaders@9.28.0 @gltf-transform/core@4.5.1 \
  gltf-validator@2.0.0-dev.3.10 >/dev/null
cat > clean.mjs <<'JS'
import * as BABYLON from '@babylonjs/core/index.js';
import '@babylonjs/loaders/glTF/index.js';
import { Document, NodeIO } from '@gltf-transform/core';
import validator from 'gltf-validator';
BABYLON.Logger.LogLevels = BABYLON.Logger.NoneLogLevel;
globalThis.XMLHttpRequest ??= class {};
const SIX = [0.3, 0.2, 0.2, 0.1, 0.1, 0.1, 0, 0], FOUR = [0.4, 0.3, 0.2, 0.1, 0, 0, 0, 0];
// A triangle on six joints at the origin, with a row of weights for each vertex.
function model(rows, sets) {
  const document = new Document();
  const buffer = document.createBuffer();
  const scene = document.createScene();
  document.getRoot().setDefaultScene(scene);
  const accessor = (type, array) => document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
  const primitive = document.createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0])));
  for (let set = 0; set < sets; set++) {
    const weights = rows.map((row) => row.slice(4 * set, 4 * set + 4));
    const joints = weights.flatMap((part) => part.map((weight, i) => (weight > 0 ? 4 * set + i : 0)));
    primitive.setAttribute(`WEIGHTS_${set}`, accessor('VEC4', new Float32Array(weights.flat())));
    primitive.setAttribute(`JOINTS_${set}`, accessor('VEC4', new Uint8Array(joints)));
  }
  const skin = document.createSkin();
  const root = document.createNode('root');
  scene.addChild(root);
  for (let i = 0; i < 6; i++) {
    const joint = document.createNode(`joint ${i}`);
    root.addChild(joint);
    skin.addJoint(joint);
  }
  const inverses = Float32Array.from({ length: 96 }, (_, i) => Number((i % 16) % 5 === 0));
  skin.setInverseBindMatrices(accessor('MAT4', inverses));
  scene.addChild(document.createNode('body').setMesh(document.createMesh().addPrimitive(primitive)).setSkin(skin));
  return document;
}
async function show(title, rows, sets) {
  const glb = await new NodeIO().writeBinary(model(rows, sets));
  const { issues } = await validator.validateBytes(glb);
  console.log(`${title}: ${issues.numErrors + issues.numWarnings} faults of the validator`);
  const scene = new BABYLON.Scene(new BABYLON.NullEngine());
  scene.useRightHandedSystem = true;
  new BABYLON.FreeCamera('camera', BABYLON.Vector3.Zero(), scene);
  const address = `data:base64,${Buffer.from(glb).toString('base64')}`;
  await BABYLON.SceneLoader.ImportMeshAsync('', '', address, scene, undefined, '.glb');
  const mesh = scene.meshes.find((one) => one.skeleton);
  scene.getTransformNodeByName('joint 0').position.x = 10;
  const look = (when) => {
    scene.render();
    mesh.skeleton.prepare(true);
    const moved = mesh.getPositionData(true, true)[0];
    const words = ['matricesWeights', 'matricesWeightsExtra'].filter((kind) => mesh.isVerticesDataPresent(kind))
      .map((kind) => Array.from(mesh.getVerticesData(kind).slice(0, 4), (weight) => weight.toFixed(1)).join(' '));
    const { valid, report } = mesh.validateSkinning();
    const missing = report.match(/Missing Weights = (\d+)/)[1], odd = report.match(/Not Normalized = (\d+)/)[1];
    console.log(`  ${when}: weights ${words.join(' and ')}, joint 0 takes the vertex ${moved.toFixed(1)} of 10,`,
      `${valid ? 'valid' : 'not valid'}, ${missing} without weights, ${odd} not normalised`);
  };
  look('loaded');
  mesh.cleanMatrixWeights();
  look('cleaned');
}
await show('six weights', [SIX, SIX, SIX], 2);
await show('four weights in a mesh with one set', [FOUR, FOUR, FOUR], 1);
await show('four weights beside six', [FOUR, SIX, SIX], 2);
JS
node clean.mjs | tee seen.txt
cat > expected.txt <<'TEXT'
six weights: 0 faults of the validator
  loaded: weights 0.3 0.2 0.2 0.1 and 0.1 0.1 0.0 0.0, joint 0 takes the vertex 3.0 of 10, valid, 0 without weights, 0 not normalised
  cleaned: weights 0.1 0.1 0.0 0.0 and 0.1 0.1 0.0 0.0, joint 0 takes the vertex 2.5 of 10, not valid, 0 without weights, 3 not normalised
four weights in a mesh with one set: 0 faults of the validator
  loaded: weights 0.4 0.3 0.2 0.1, joint 0 takes the vertex 4.0 of 10, valid, 0 without weights, 0 not normalised
  cleaned: weights 0.4 0.3 0.2 0.1, joint 0 takes the vertex 4.0 of 10, valid, 0 without weights, 0 not normalised
four weights beside six: 0 faults of the validator
  loaded: weights 0.4 0.3 0.2 0.1 and 0.0 0.0 0.0 0.0, joint 0 takes the vertex 4.0 of 10, valid, 0 without weights, 0 not normalised
  cleaned: weights 0.0 0.0 0.0 0.0 and 0.0 0.0 0.0 0.0, joint 0 takes the vertex NaN of 10, not valid, 1 without weights, 2 not normalised
TEXT
diff -u expected.txt seen.txt
