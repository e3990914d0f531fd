#!/usr/bin/env bash
# three.js 0.187.0 and @gltf-transform/functions 4.5.1 (npm): two characters that share the geometry of a face, each with a
# weight of its own for its morph target, after GLTFExporter or after dedup(), which `optimize` of its command line runs too.
#
# Guess: both share accessors as far as they are equal. Default weights and names of targets are no part of these, so that each
# keeps its own mesh, or its own weights at the node, which glTF has for this.
# Seen: both tell meshes apart by geometry and material alone, and the first one in the scene wins. Of a face with its mouth
# open and one with it shut, both are open; with the shut one first, both are shut. The names of the second's targets go with
# its mesh, so that its "smile" is called "jawOpen". GLTFExporter keeps both where each has a material of its own, if only a
# clone, dedup() where it is told to keep names. Weights that stand at the nodes outlive dedup(), though the names of targets do
# not, and GLTFLoader reads them; its own exporter does not write any.
#
# Fails if that changes. Needs node and npm.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund three@0.187.0 @gltf-transform/core@4.5.1 @gltf-transform/functions@4.5.1 >/dev/null
cat > faces.mjs <<'JS'
import * as THREE from 'three';
import { GLTFExporter } from 'three/addons/exporters/GLTFExporter.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { Document, NodeIO } from '@gltf-transform/core';
import { dedup } from '@gltf-transform/functions';
globalThis.self = globalThis;
globalThis.ProgressEvent ??= Event;
// What a browser has and the exporter asks for.
globalThis.FileReader = class {
  readAsArrayBuffer(blob) {
    blob.arrayBuffer().then((buffer) => { this.result = buffer; this.onloadend(); });
  }
};
const PLACES = [0, 0, 0, 1, 0, 0, 0, 1, 0], LOWERED = [0, 0, 0, 0, 0, 0, 0, -0.2, 0];
const FACES = [['open', 1, 'jawOpen'], ['shut', 0, 'smile']];
async function show(title, glb) {
  const { scene } = await new GLTFLoader().parseAsync(glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.byteLength), '');
  const seen = [];
  scene.traverse((one) => {
    const [name] = Object.keys(one.morphTargetDictionary ?? {});
    if (name) seen.push(`${one.name} has ${name} ${one.morphTargetInfluences}`);
  });
  console.log(`${title}: ${seen.join(', ')}`);
}
async function exported(faces, own) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(PLACES, 3));
  geometry.morphAttributes.position = [new THREE.Float32BufferAttribute(LOWERED, 3)];
  geometry.morphTargetsRelative = true;
  const skin = new THREE.MeshStandardMaterial();
  const scene = new THREE.Scene();
  for (const [name, weight, target] of faces) {
    const mesh = new THREE.Mesh(geometry, own ? skin.clone() : skin);
    Object.assign(mesh, { name, morphTargetInfluences: [weight], morphTargetDictionary: { [target]: 0 } });
    scene.add(mesh);
  }
  return new Uint8Array(await new GLTFExporter().parseAsync(scene, { binary: true }));
}
function stored(faces, atNodes) {
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (numbers) => document.createAccessor().setType('VEC3').setArray(new Float32Array(numbers)).setBuffer(buffer);
  const [places, lowered] = [accessor(PLACES), accessor(LOWERED)];
  const scene = document.createScene();
  for (const [name, weight, target] of faces) {
    const jaw = document.createPrimitiveTarget(target).setAttribute('POSITION', lowered);
    const primitive = document.createPrimitive().setAttribute('POSITION', places).addTarget(jaw);
    const mesh = document.createMesh(name).addPrimitive(primitive);
    const node = document.createNode(name).setMesh(mesh);
    (atNodes ? node : mesh).setWeights([weight]);
    scene.addChild(node);
  }
  return document;
}
const written = async (document, ...steps) => new NodeIO().writeBinary(await document.transform(...steps));
await show('GLTFExporter', await exported(FACES));
await show('GLTFExporter, shut first', await exported(FACES.toReversed()));
await show('GLTFExporter, a material for each', await exported(FACES, true));
await show('a file', await written(stored(FACES)));
await show('dedup()', await written(stored(FACES), dedup()));
await show('dedup(), shut first', await written(stored(FACES.toReversed()), dedup()));
await show('dedup() that keeps names', await written(stored(FACES), dedup({ keepUniqueNames: true })));
await show('dedup(), weights at the nodes', await written(stored(FACES, true), dedup()));
JS
node faces.mjs | tee seen.txt
cat > expected.txt <<'TEXT'
GLTFExporter: open has jawOpen 1, shut has jawOpen 1
GLTFExporter, shut first: shut has smile 0, open has smile 0
GLTFExporter, a material for each: open has jawOpen 1, shut has smile 0
a file: open has jawOpen 1, shut has smile 0
dedup(): open has jawOpen 1, shut has jawOpen 1
dedup(), shut first: shut has smile 0, open has smile 0
dedup() that keeps names: open has jawOpen 1, shut has smile 0
dedup(), weights at the nodes: open has jawOpen 1, shut has jawOpen 0
TEXT
diff -u expected.txt seen.txt
