#!/usr/bin/env bash
# three.js 0.187.0 (npm): what its exporters for STL, OBJ, PLY and USDZ write of a character in a pose with an expression, as for
# printing it: a square that its bone moves aside by 10 and a morph target lifts by 2.
#
# Guess: all four write what is shown, since none of these files can have bones here; or all write the mesh at rest.
# Seen: the one for STL lets the bones move the vertices, but no morph target: a face stands in the pose without its expression.
# Those for OBJ, PLY and USDZ write the mesh as it was modelled, with neither, so that the same scene is in another pose in each
# kind of file. None warns. SkinnedMesh.getVertexPosition gives what is shown.
#
# Fails if that changes. Needs node and npm.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund three@0.187.0 >/dev/null
cat > exporters.mjs <<'JS'
import * as THREE from 'three';
import { OBJExporter } from 'three/addons/exporters/OBJExporter.js';
import { PLYExporter } from 'three/addons/exporters/PLYExporter.js';
import { STLExporter } from 'three/addons/exporters/STLExporter.js';
import { USDZExporter } from 'three/addons/exporters/USDZExporter.js';
import { strFromU8, unzipSync } from 'three/addons/libs/fflate.module.js';
// What a browser has and an exporter asks for.
globalThis.requestAnimationFrame = (then) => then();
let said = 0;
for (const way of ['warn', 'error']) console[way] = () => { said += 1; };
const geometry = new THREE.PlaneGeometry(1, 1);
const weights = Float32Array.from({ length: 16 }, (_, i) => (i % 4 === 0 ? 1 : 0));
geometry.setAttribute('skinIndex', new THREE.BufferAttribute(new Uint16Array(16), 4));
geometry.setAttribute('skinWeight', new THREE.BufferAttribute(weights, 4));
geometry.morphAttributes.position = [new THREE.Float32BufferAttribute([0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2], 3)];
geometry.morphTargetsRelative = true;
const mesh = new THREE.SkinnedMesh(geometry, new THREE.MeshStandardMaterial());
const bone = new THREE.Bone();
const scene = new THREE.Scene();
scene.add(mesh.add(bone));
scene.updateMatrixWorld(true);
mesh.bind(new THREE.Skeleton([bone]));
bone.position.x = 10;
mesh.morphTargetInfluences[0] = 1;
scene.updateMatrixWorld(true);
const box = (points) => {
  const { min, max } = new THREE.Box3().setFromPoints(points);
  return `X ${min.x} to ${max.x}, Z ${min.z} to ${max.z}`;
};
const points = (text, pattern) =>
  [...text.matchAll(pattern)].map((row) => new THREE.Vector3(...row.slice(1, 4).map(Number)));
const THREE_NUMBERS = '(-?[\\d.e-]+),? (-?[\\d.e-]+),? (-?[\\d.e-]+)';
const show = (title, found) => console.log(`${title}: ${found.length} points, ${box(found)}, ${said} warnings`);
show('shown', [0, 1, 2, 3].map((i) => mesh.getVertexPosition(i, new THREE.Vector3())));
show('STL', points(new STLExporter().parse(scene), new RegExp(`vertex ${THREE_NUMBERS}`, 'g')));
show('OBJ', points(new OBJExporter().parse(scene), new RegExp(`^v ${THREE_NUMBERS}`, 'gm')));
const ply = await new Promise((done) => new PLYExporter().parse(scene, done, {}));
show('PLY', points(ply.split('end_header')[1].split('\n').slice(1, 5).join('\n'), new RegExp(`^${THREE_NUMBERS}`, 'gm')));
const files = unzipSync(await new USDZExporter().parseAsync(scene));
const usd = Object.values(files).map(strFromU8).map((text) => text.match(/point3f\[\] points = \[(.*)\]/)?.[1] ?? '').join('');
show('USDZ', points(usd, new RegExp(`\\(${THREE_NUMBERS}\\)`, 'g')));
JS
node exporters.mjs | tee seen.txt
cat > expected.txt <<'TEXT'
shown: 4 points, X 9.5 to 10.5, Z 2 to 2, 0 warnings
STL: 6 points, X 9.5 to 10.5, Z 0 to 0, 0 warnings
OBJ: 4 points, X -0.5 to 0.5, Z 0 to 0, 0 warnings
PLY: 4 points, X -0.5 to 0.5, Z 0 to 0, 0 warnings
USDZ: 4 points, X -0.5 to 0.5, Z 0 to 0, 0 warnings
TEXT
diff -u expected.txt seen.txt
