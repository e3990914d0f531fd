// Measures how far the real three.js carries vertices from where the weights as stored have them, and compares that with what
// `skinscope check --runtime three` predicts.
//
//     npm install three@0.187.0            (in any folder)
//     node tests/three/measure.mjs path/to/skinscope path/to/three FILE.glb …
//
// FILE may be followed by `*0.6`: a copy is measured whose weights are that many times as large, so that they do not sum to one.
// Prints a row of a Markdown table for each file, and ends with 1 where a prediction is off by more than 0.001 mm, 0.1 %
// and 1e-6 of the size of the model.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [program, three, ...files] = process.argv.slice(2);
globalThis.self = globalThis;
const THREE = await import(pathToFileURL(join(three, 'build/three.module.js')));
const { GLTFLoader } = await import(pathToFileURL(join(three, 'examples/jsm/loaders/GLTFLoader.js')));
const normalise = THREE.SkinnedMesh.prototype.normalizeSkinWeights;
const folder = mkdtempSync(join(tmpdir(), 'three-'));

const pieces = (bytes) => {
  const length = bytes.readUInt32LE(12);
  return { root: JSON.parse(bytes.subarray(20, 20 + length)), rest: bytes.subarray(20 + length) };
};

const joined = (root, rest) => {
  let text = Buffer.from(JSON.stringify(root));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
  const head = Buffer.alloc(20);
  head.write('glTF');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(20 + text.length + rest.length, 8);
  head.writeUInt32LE(text.length, 12);
  head.write('JSON', 16);
  return Buffer.concat([head, text, rest]);
};

/** The file with its weights multiplied. */
const scaled = (bytes, factor) => {
  const out = Buffer.from(bytes);
  const { root, rest } = pieces(out);
  const done = new Set();
  for (const primitive of root.meshes.flatMap((mesh) => mesh.primitives)) {
    for (const name of ['WEIGHTS_0', 'WEIGHTS_1']) {
      const index = primitive.attributes[name];
      if (index === undefined || done.has(index)) continue;
      done.add(index);
      const accessor = root.accessors[index];
      const [size, kind] = { 5121: [1, 'UInt8'], 5123: [2, 'UInt16LE'], 5126: [4, 'FloatLE'] }[accessor.componentType];
      const view = root.bufferViews[accessor.bufferView];
      const start = 8 + (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
      for (let v = 0; v < accessor.count; v++) {
        for (let i = 0; i < 4; i++) {
          const at = start + v * (view.byteStride ?? 4 * size) + size * i;
          const weight = rest[`read${kind}`](at) * factor;
          rest[`write${kind}`](size < 4 ? Math.round(weight) : weight, at);
        }
      }
    }
  }
  return out;
};

/** The file without what node cannot read; positions and weights need none of it. */
const bare = (bytes) => {
  const { root, rest } = pieces(bytes);
  for (const list of ['images', 'textures', 'materials', 'samplers']) delete root[list];
  for (const list of ['extensionsUsed', 'extensionsRequired']) {
    root[list] = (root[list] ?? []).filter((name) => !/^KHR_(materials|texture)|^EXT_texture/.test(name));
  }
  root.meshes.forEach((mesh) => mesh.primitives.forEach((primitive) => delete primitive.material));
  return joined(root, rest);
};

const load = (bytes, normalises) => {
  THREE.SkinnedMesh.prototype.normalizeSkinWeights = normalises ? normalise : () => {};
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return new Promise((done, failed) => new GLTFLoader().parse(buffer, '', done, failed));
};

const posed = (gltf, clip, time) => {
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const action = mixer.clipAction(clip);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  mixer.setTime(time);
  gltf.scene.updateMatrixWorld(true);
};

/** The skinned meshes of a scene in the order of the scene. */
const skinned = (gltf) => {
  const out = [];
  gltf.scene.traverse((node) => node.isSkinnedMesh && node.skeleton && out.push(node));
  return out;
};

/** Where the weights of a set put a vertex, in the world; three.js applies the first set alone. */
const placed = (mesh, vertex, sets) => {
  const start = new THREE.Vector3();
  start.fromBufferAttribute(mesh.geometry.attributes.position, vertex);
  const sum = new THREE.Vector3();
  const matrix = new THREE.Matrix4();
  for (const [joints, weights] of sets) {
    for (let i = 0; i < 4; i++) {
      const weight = weights.getComponent(vertex, i);
      if (weight === 0) continue;
      const joint = joints.getComponent(vertex, i);
      matrix.multiplyMatrices(mesh.skeleton.bones[joint].matrixWorld, mesh.skeleton.boneInverses[joint]);
      sum.addScaledVector(start.clone().applyMatrix4(mesh.bindMatrix).applyMatrix4(matrix), weight);
    }
  }
  return sum.applyMatrix4(mesh.bindMatrixInverse).applyMatrix4(mesh.matrixWorld);
};

let failed = false;
console.log('| file | predicted | measured with three.js |\n|---|---|---|');
for (const name of files) {
  const [path, factor] = name.split('*');
  let bytes = readFileSync(path);
  if (factor) bytes = scaled(bytes, Number(factor));
  const file = join(folder, `${basename(path, '.glb')}${factor ? ` × ${factor}` : ''}.glb`);
  writeFileSync(file, bytes);
  const options = ['--runtime', 'three', '--json', '--fail-on', 'never'];
  const report = execFileSync(program, ['check', file, ...options], { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
  const told = JSON.parse(report).files[0].runtime;
  const [real, raw] = [await load(bare(bytes), true), await load(bare(bytes), false)];
  for (const gltf of [real, raw]) {
    const clip = gltf.animations.find((clip) => clip.name === told.clip) ?? gltf.animations[0];
    if (clip) posed(gltf, clip, told.time ?? 0);
    else gltf.scene.updateMatrixWorld(true);
  }
  let [worst, size] = [0, 0];
  const [meshes, others] = [skinned(real), skinned(raw)];
  for (const [i, mesh] of meshes.entries()) {
    const { position, joints_1: joints, weights_1: weights, skinIndex, skinWeight } = others[i].geometry.attributes;
    const sets = [[skinIndex, skinWeight], ...(joints ? [[joints, weights]] : [])];
    for (let v = 0; v < position.count; v++) {
      const at = new THREE.Vector3().fromBufferAttribute(mesh.geometry.attributes.position, v);
      size = Math.max(size, at.length());
      const own = mesh.applyBoneTransform(v, at).applyMatrix4(mesh.matrixWorld);
      worst = Math.max(worst, own.distanceTo(placed(others[i], v, sets)));
    }
  }
  const [predicted, measured] = [told.worst_mm ?? 0, 1e3 * worst];
  console.log(`| ${basename(file)} | ${predicted.toFixed(4)} mm | ${measured.toFixed(4)} mm |`);
  // Floats of 32 bits hold a place to 1e-7 of its distance from the origin.
  failed ||= Math.abs(predicted - measured) > 1e-3 + 1e-3 * measured + 1e3 * 1e-6 * size;
}
process.exit(failed ? 1 : 0);
