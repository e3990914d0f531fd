#!/usr/bin/env bash
# @pixiv/three-vrm 3.5.5 and three.js 0.187.0 (npm): VRMUtils.combineSkeletons, which its examples call after loading, on a valid
# file with a coat and a skirt of 200 bones each, whose numbers of joints are bytes, as they may be up to 256 joints a skin.
#
# Guess: the 400 bones come into one skeleton, and each vertex follows the bone that it followed before.
# Seen: the numbers in the new skeleton are written back into the old type. As bytes they wrap at 256: bone 199 of the skirt,
# number 399 now, becomes 143, so that its triangle follows bone 143 of the coat, and 144 of the 200 triangles of the skirt hang
# on the coat. Nothing warns, and at rest all looks well. With 100 bones each, or with joints of 16 bits, all is right.
#
# Fails if that changes. Needs node and npm.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund three@0.187.0 @pixiv/three-vrm@3.5.5 @gltf-transform/core@4.5.1 \
  gltf-validator@2.0.0-dev.3.10 >/dev/null
cat > skeletons.mjs <<'JS'
import { Document, NodeIO } from '@gltf-transform/core';
import { VRMUtils } from '@pixiv/three-vrm';
import { Vector3 } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import validator from 'gltf-validator';
globalThis.self = globalThis;
globalThis.ProgressEvent ??= Event;
let said = 0;
for (const way of ['warn', 'error']) console[way] = () => { said += 1; };
const GARMENTS = ['coat', 'skirt'];
// Each garment has a triangle for each of its bones, which follows that bone alone.
function model(count, Numbers) {
  const document = new Document();
  const buffer = document.createBuffer();
  const scene = document.createScene();
  document.getRoot().setDefaultScene(scene);
  const body = document.createNode('body');
  scene.addChild(body);
  const accessor = (type, array) => document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
  GARMENTS.forEach((name, row) => {
    const skin = document.createSkin(name);
    const inverses = [], positions = [], joints = [];
    for (let i = 0; i < count; i++) {
      const bone = document.createNode(`${name} ${i}`).setTranslation([i, row, 0]);
      body.addChild(bone);
      skin.addJoint(bone);
      inverses.push(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -i, -row, 0, 1);
      positions.push(i, row, 0, i + 0.5, row, 0, i, row + 0.5, 0);
      for (let corner = 0; corner < 3; corner++) joints.push(i, 0, 0, 0);
    }
    skin.setInverseBindMatrices(accessor('MAT4', new Float32Array(inverses)));
    const weights = Float32Array.from({ length: 12 * count }, (_, i) => (i % 4 === 0 ? 1 : 0));
    const primitive = document.createPrimitive().setAttribute('POSITION', accessor('VEC3', new Float32Array(positions)))
      .setAttribute('WEIGHTS_0', accessor('VEC4', weights)).setAttribute('JOINTS_0', accessor('VEC4', new Numbers(joints)));
    scene.addChild(document.createNode(name).setMesh(document.createMesh().addPrimitive(primitive)).setSkin(skin));
  });
  return document;
}
// How many triangles of each garment follow the own bone, and which bone the last one of the skirt follows.
function followed(scene, count) {
  const own = [0, 0];
  let last = 'none';
  const meshes = GARMENTS.map((name) => scene.getObjectByName(name));
  const bones = GARMENTS.flatMap((name) => Array.from({ length: count }, (_, i) => scene.getObjectByName(`${name}_${i}`)));
  bones.forEach((bone, number) => {
    bone.position.z = 10;
    scene.updateMatrixWorld(true);
    meshes.forEach((mesh, row) => {
      for (let i = 0; i < count; i++) {
        if (mesh.getVertexPosition(3 * i, new Vector3()).z < 5) continue;
        if (number === row * count + i) own[row] += 1;
        if (row === 1 && i === count - 1) last = bone.name;
      }
    });
    bone.position.z = 0;
  });
  return `${own[0]} of the coat and ${own[1]} of the skirt follow their own bone, the last of the skirt ${last}`;
}
for (const [count, Numbers] of [[100, Uint8Array], [200, Uint8Array], [200, Uint16Array]]) {
  const glb = await new NodeIO().writeBinary(model(count, Numbers));
  const { issues } = await validator.validateBytes(glb);
  const { scene } = await new GLTFLoader().parseAsync(glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.byteLength), '');
  const title = `${count} bones each, ${8 * Numbers.BYTES_PER_ELEMENT} bits`;
  console.log(`${title}, loaded (${issues.numErrors + issues.numWarnings} faults): ${followed(scene, count)}`);
  VRMUtils.combineSkeletons(scene);
  console.log(`${title}, combined (${said} warnings): ${followed(scene, count)}`);
}
JS
# three.js prints that it copies interleaved attributes when they are cloned, which is no matter here.
node skeletons.mjs | grep -v interleav | tee seen.txt
cat > expected.txt <<'TEXT'
100 bones each, 8 bits, loaded (0 faults): 100 of the coat and 100 of the skirt follow their own bone, the last of the skirt skirt_99
100 bones each, 8 bits, combined (0 warnings): 100 of the coat and 100 of the skirt follow their own bone, the last of the skirt skirt_99
200 bones each, 8 bits, loaded (0 faults): 200 of the coat and 200 of the skirt follow their own bone, the last of the skirt skirt_199
200 bones each, 8 bits, combined (0 warnings): 200 of the coat and 56 of the skirt follow their own bone, the last of the skirt coat_143
200 bones each, 16 bits, loaded (0 faults): 200 of the coat and 200 of the skirt follow their own bone, the last of the skirt skirt_199
200 bones each, 16 bits, combined (0 warnings): 200 of the coat and 200 of the skirt follow their own bone, the last of the skirt skirt_199
TEXT
diff -u expected.txt seen.txt
