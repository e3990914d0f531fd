// Measures how far the real three.js carries vertices from where the weights as stored have them, and compares that with what
// `skinscope check --runtime three` predicts.
//
//     npm install three@0.187.0            (in any folder)
//     node tests/three/measure.mjs path/to/skinscope path/to/three FILE.glb …
//
// FILE may be followed by `*0.6`: a copy is measured whose weights are that many times as large, so that they do not sum to one.
// Without files it makes one for each storage of weights, with 200 vertices of random weights whose sums are off, and compares the mean
// distance too. Prints a row of a Markdown table for each file, and ends with 1 where a prediction is off by more than 0.001 mm, 0.1 % and
// 1e-6 of the size of the model.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { bare, joined, open, pieces } from './files.mjs';

const [program, three, ...files] = process.argv.slice(2);
const { THREE, load, posed } = await open(three);
const folder = mkdtempSync(join(tmpdir(), 'three-'));

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

/** The weights of one vertex as a format stores them: rounded so that their sum is off by some steps, or any sum for floats. */
const stored = (random, count, one) => {
  const weights = Array.from({ length: count }, () => random() ** 3);
  const total = weights.reduce((a, b) => a + b, 0) / (one ? 1 : 0.5 + random());
  return weights.map((weight) => (one ? Math.max(0, Math.floor((weight / total) * one)) : weight / total));
};

/** A GLB with a chain of eight joints that a clip bends, and 200 vertices whose weights are stored so. */
const made = ({ bits, sets, interleaved, sparse }, seed) => {
  let state = seed;
  // A generator of Lehmer: the same numbers on every machine.
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const one = { 8: 255, 16: 65535, 32: 0 }[bits];
  const [bytes, componentType, kind] = { 8: [1, 5121, 'UInt8'], 16: [2, 5123, 'UInt16LE'], 32: [4, 5126, 'FloatLE'] }[bits];
  const [vertices, joints] = [200, 8];
  const parts = [];
  const root = { asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 1] }], bufferViews: [], accessors: [] };
  const view = (buffer, stride) => {
    const byteOffset = parts.reduce((sum, part) => sum + part.length, 0);
    parts.push(buffer, Buffer.alloc((4 - (buffer.length % 4)) % 4));
    const item = { buffer: 0, byteOffset, byteLength: buffer.length };
    root.bufferViews.push(stride ? { ...item, byteStride: stride } : item);
    return root.bufferViews.length - 1;
  };
  const accessor = (item) => root.accessors.push(item) - 1;
  const floats = (values, type, width, more = {}) => {
    const item = { bufferView: view(Buffer.from(Float32Array.from(values).buffer)), componentType: 5126, type, count: values.length / width };
    return accessor({ ...item, ...more });
  };
  const attributes = {};
  const places = Array.from({ length: 3 * vertices }, () => 2 * random() - 1);
  attributes.POSITION = floats(places, 'VEC3', 3, { min: [-1, -1, -1], max: [1, 1, 1] });
  const rows = Array.from({ length: vertices }, () => stored(random, 4 * sets, one));
  for (let set = 0; set < sets; set++) {
    const indices = Buffer.from(Array.from({ length: 4 * vertices }, () => Math.floor(random() * joints)));
    attributes[`JOINTS_${set}`] = accessor({ bufferView: view(indices), componentType: 5121, type: 'VEC4', count: vertices });
    const stride = 4 * bytes + (interleaved ? 4 : 0);
    const data = Buffer.alloc(stride * vertices);
    rows.forEach((row, v) => row.slice(4 * set, 4 * set + 4).forEach((w, i) => data[`write${kind}`](w, v * stride + i * bytes)));
    const item = { bufferView: view(data, interleaved && stride), componentType, type: 'VEC4', count: vertices };
    if (one) item.normalized = true;
    if (sparse && set === 0) {
      const values = Buffer.alloc(4 * bytes);
      stored(random, 4, one).forEach((w, i) => values[`write${kind}`](w, i * bytes));
      const at = Buffer.alloc(4);
      at.writeUInt16LE(7);
      item.sparse = { count: 1, indices: { bufferView: view(at), componentType: 5123 }, values: { bufferView: view(values) } };
    }
    attributes[`WEIGHTS_${set}`] = accessor(item);
  }
  // three.js skins triangles alone.
  const corners = Uint16Array.from({ length: 201 }, (_, i) => i % vertices);
  const indices = accessor({ bufferView: view(Buffer.from(corners.buffer)), componentType: 5123, type: 'SCALAR', count: corners.length });
  root.meshes = [{ primitives: [{ attributes, indices }] }];
  root.nodes = [{ mesh: 0, skin: 0 }];
  for (let j = 0; j < joints; j++) root.nodes.push({ translation: [0, 0.3, 0], ...(j + 1 < joints ? { children: [j + 2] } : {}) });
  root.skins = [{ joints: Array.from({ length: joints }, (_, j) => j + 1) }];
  const input = floats([0, 1], 'SCALAR', 1, { min: [0], max: [1] });
  const half = Math.SQRT1_2;
  const output = floats([0, 0, 0, 1, half, 0, 0, half], 'VEC4', 4);
  const target = (j) => ({ sampler: 0, target: { node: j + 1, path: 'rotation' } });
  root.animations = [{ samplers: [{ input, output }], channels: Array.from({ length: joints }, (_, j) => target(j)) }];
  const data = Buffer.concat(parts);
  root.buffers = [{ byteLength: data.length }];
  const head = Buffer.alloc(8);
  head.writeUInt32LE(data.length);
  head.write('BIN\0', 4);
  const out = joined(root, Buffer.concat([head, data]));
  return out;
};

if (files.length === 0) {
  let seed = 1;
  for (const bits of [8, 16, 32]) {
    for (const sets of [1, 2]) {
      for (const form of ['', 'interleaved', 'sparse']) {
        const name = [`${bits} bits`, `${sets} ${sets > 1 ? 'sets' : 'set'}`, ...(form ? [form] : [])].join(', ');
        const path = join(folder, `${name}.glb`);
        writeFileSync(path, made({ bits, sets, interleaved: form === 'interleaved', sparse: form === 'sparse' }, seed++));
        files.push(path);
      }
    }
  }
}

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
  let [worst, size, sum, count] = [0, 0, 0, 0];
  const [meshes, others] = [skinned(real), skinned(raw)];
  for (const [i, mesh] of meshes.entries()) {
    const { position, joints_1: joints, weights_1: weights, skinIndex, skinWeight } = others[i].geometry.attributes;
    const sets = [[skinIndex, skinWeight], ...(joints ? [[joints, weights]] : [])];
    for (let v = 0; v < position.count; v++) {
      const at = new THREE.Vector3().fromBufferAttribute(mesh.geometry.attributes.position, v);
      size = Math.max(size, at.length());
      const own = mesh.applyBoneTransform(v, at).applyMatrix4(mesh.matrixWorld);
      const distance = own.distanceTo(placed(others[i], v, sets));
      worst = Math.max(worst, distance);
      sum += distance;
      count += 1;
    }
  }
  const [predicted, measured] = [told.worst_mm ?? 0, 1e3 * worst];
  console.log(`| ${basename(file)} | ${predicted.toFixed(4)} mm | ${measured.toFixed(4)} mm |`);
  // Floats of 32 bits hold a place to 1e-7 of its distance from the origin.
  const is_off = (predicted, measured) => Math.abs(predicted - measured) > 1e-3 + 1e-3 * measured + 1e3 * 1e-6 * size;
  // Of a file that was made here all vertices are skinned, and each counts once.
  failed ||= is_off(predicted, measured) || (path.startsWith(folder) && is_off(told.mean_mm ?? 0, (1e3 * sum) / count));
}
process.exit(failed ? 1 : 0);
