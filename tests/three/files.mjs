// What the programs of this folder share: GLB files as they are, and as the real three.js plays them in node.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The JSON of a GLB, and what comes after it. */
export const pieces = (bytes) => {
  const length = bytes.readUInt32LE(12);
  return { root: JSON.parse(bytes.subarray(20, 20 + length)), rest: bytes.subarray(20 + length) };
};

/** A GLB of a JSON and of what comes after it. */
export const joined = (root, rest) => {
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

/** The file without what node cannot read; positions and weights need none of it. */
export const bare = (bytes) => {
  const { root, rest } = pieces(bytes);
  for (const list of ['images', 'textures', 'materials', 'samplers']) delete root[list];
  for (const list of ['extensionsUsed', 'extensionsRequired']) {
    root[list] = (root[list] ?? []).filter((name) => !/^KHR_(materials|texture)|^EXT_texture/.test(name));
  }
  root.meshes.forEach((mesh) => mesh.primitives.forEach((primitive) => delete primitive.material));
  return joined(root, rest);
};

/** three.js from its folder: itself, what loads the bytes of a GLB, and what poses a scene at a time of a clip. */
export const open = async (three) => {
  globalThis.self = globalThis;
  const THREE = await import(pathToFileURL(join(three, 'build/three.module.js')));
  const { GLTFLoader } = await import(pathToFileURL(join(three, 'examples/jsm/loaders/GLTFLoader.js')));
  const normalise = THREE.SkinnedMesh.prototype.normalizeSkinWeights;
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
  return { THREE, load, posed };
};
