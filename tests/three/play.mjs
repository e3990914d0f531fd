// Plays files with the real three.js, and compares where it has the vertices with what `skinscope bake` writes for the same moments.
//
//     npm install three@0.187.0            (in any folder)
//     node tests/three/play.mjs path/to/skinscope path/to/three FILE.glb …
//
// Without files it makes some of the built-in character: with corrective shapes by `sculpt`, with bone links by `links`, with weights by
// `solve` and by `bake-weights`. Prints a row of a Markdown table for each file, and ends with 1 where any vertex at any moment of any clip is
// farther away than 1e-5 of the size of what is shown. Morph targets, skins and rigid parts count; three.js divides weights by their sum,
// and so is told to the program.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bare, open } from './files.mjs';

const [program, three, ...files] = process.argv.slice(2);
const { THREE, load, posed } = await open(three);
const folder = mkdtempSync(join(tmpdir(), 'three-play-'));
const run = (...words) => execFileSync(program, words, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });

/** Of the length of a clip; the last ones lie between keys, or at the end. */
const MOMENTS = [0, 0.13, 0.37, 0.5, 0.8123, 1];
const NEAR = 1e-5;

/** The places of the vertices of a binary PLY. */
const places = (file) => {
  const bytes = readFileSync(join(folder, file));
  const end = bytes.indexOf('end_header\n') + 'end_header\n'.length;
  const head = bytes.subarray(0, end).toString();
  const [vertices] = head.split('element face');
  const width = 4 * vertices.split('property float').slice(1).length;
  const count = Number(/element vertex (\d+)/.exec(head)[1]);
  return Array.from({ length: count }, (_, v) => [0, 4, 8].map((at) => bytes.readFloatLE(end + v * width + at)));
};

/** Where three.js has the vertices of a scene, in its order. */
const shown = (gltf) => {
  const out = [];
  gltf.scene.traverse((node) => {
    if (!node.isMesh) return;
    // A node without a skin may show a mesh with weights.
    const { getVertexPosition } = node.isSkinnedMesh && !node.skeleton ? THREE.Mesh.prototype : node;
    for (let v = 0; v < node.geometry.attributes.position.count; v++) {
      const place = getVertexPosition.call(node, v, new THREE.Vector3());
      out.push(place.applyMatrix4(node.matrixWorld).toArray());
    }
  });
  return out;
};

/** Makes the files that are compared where none is named. */
const make = async () => {
  const character = join(dirname(fileURLToPath(import.meta.url)), '../../assets/character.glb');
  copyFileSync(character, join(folder, 'a.glb'));
  run('pose', 'a.glb', '-o', 'bent.pose.json', '--rotate', 'LowerArm.L=0,-95,0');
  run('bake', 'a.glb', '--pose', 'bent.pose.json', '--method', 'dual-quaternion', '-o', 'bent.ply');
  run('sculpt', 'a.glb', '--sculpt', 'bent.pose.json=bent.ply', '--mirror', '--from', 'Walk@0.3=dual-quaternion', '-o', 'sculpt.glb');
  run('sculpt', 'sculpt.glb', '--from', 'Bend@2=linear+mush', '-o', 'sculpt twice.glb');
  run('links', 'a.glb', '--joint', 'LowerArm.L', '--angle', '150', '-o', 'links.glb');
  run('links', 'a.glb', '--joint', 'Hand.L', '--twist', '--angle', '150', '-o', 'links, twist.glb');
  run('sculpt', 'links.glb', '--from', 'Walk@0.3=dual-quaternion', '-o', 'links and sculpt.glb');
  run('fix', 'a.glb', '--limit', '1', '-o', 'one.glb');
  await mkdir(join(folder, 'poses'));
  for (const [name, turn] of [['arm', 'LowerArm.L=0,-95,0'], ['leg', 'UpperLeg.R=-80,0,20']]) {
    run('pose', 'a.glb', '-o', `poses/${name}.pose.json`, '--rotate', turn);
    run('bake', 'a.glb', '--pose', `poses/${name}.pose.json`, '-o', `poses/${name}.ply`);
  }
  run('solve', 'one.glb', '--poses', 'poses', '-o', 'solve.glb');
  run('bake-weights', 'a.glb', '--from', 'dual', '-o', 'bake-weights.glb');
  const made = ['a', 'sculpt', 'sculpt twice', 'links', 'links, twist', 'links and sculpt', 'solve', 'bake-weights'];
  return made.map((name) => join(folder, `${name}.glb`));
};

let failed = false;
console.log('| file | clips | moments | largest distance | of the size |\n|---|---|---|---|---|');
for (const file of files.length > 0 ? files : await make()) {
  const bytes = readFileSync(file);
  // Names are kept from each other, and the program reads the file as it is.
  writeFileSync(join(folder, 'played.glb'), bytes);
  const clips = (await load(bare(bytes), true)).animations;
  let [worst, size, moments, where] = [0, 0, 0, ''];
  for (const index of [...clips.keys(), ...(clips.length > 0 ? [] : [-1])]) {
    const gltf = await load(bare(bytes), true);
    const clip = gltf.animations[index];
    for (const moment of clip ? MOMENTS : [0]) {
      const time = clip ? moment * clip.duration : 0;
      if (clip) posed(gltf, clip, time);
      else gltf.scene.updateMatrixWorld(true);
      const options = clip ? ['--clip', `#${index}`, '--time', String(time)] : [];
      run('bake', 'played.glb', ...options, '--normalise-weights', '-o', 'played.ply');
      const [ours, theirs] = [places('played.ply'), shown(gltf)];
      if (ours.length !== theirs.length) throw new Error(`${file}: ${ours.length} vertices, and ${theirs.length} in three.js`);
      const [least, most] = [Math.min, Math.max].map((of) => [0, 1, 2].map((axis) => ours.reduce((far, at) => of(far, at[axis]), ours[0][axis])));
      size = Math.max(size, Math.hypot(...most.map((far, axis) => far - least[axis])));
      moments += 1;
      ours.forEach((place, v) => {
        const distance = Math.hypot(...place.map((number, axis) => number - theirs[v][axis]));
        if (!(distance <= worst)) [worst, where] = [distance, `vertex ${v} at ${time} s of ${clip?.name}`];
      });
    }
  }
  console.log(`| ${basename(file)} | ${clips.length} | ${moments} | ${(1e3 * worst).toFixed(5)} mm | ${(worst / size).toExponential(1)} |`);
  if (!(worst <= NEAR * size)) {
    console.log(`${basename(file)}: ${where}`);
    failed = true;
  }
}
process.exit(failed ? 1 : 0);
