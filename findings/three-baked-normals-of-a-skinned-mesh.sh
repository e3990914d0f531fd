#!/usr/bin/env bash
# three.js 0.187.0 (npm): the normals that BufferGeometryUtils.computeMorphedAttributes returns for a SkinnedMesh in a pose.
#
# Guess: the bones turn the normals as they turn the surface, and what moves without turning keeps its normals.
# Seen: a normal is sent through the bones as if it were a point, so that it takes their translation with it. A square whose
# bone moves aside by 10 keeps its shape, but its normal of 0 0 1 becomes 10 0 1, which leans by 84° and is ten times too long.
# A square 2 above the origin that its bone turns by 90° about its own middle gets 0 2 -1 in place of 0 0 1, and so faces away.
# The positions beside them are right. Only where a bone turns about the origin of the mesh are the normals too.
#
# Fails if that changes. Needs node and npm.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund three@0.187.0 >/dev/null
cat > normals.mjs <<'JS'
import * as THREE from 'three';
import { computeMorphedAttributes } from 'three/addons/utils/BufferGeometryUtils.js';
function posed(normal, height, move) {
  const geometry = new THREE.PlaneGeometry(1, 1);
  if (normal[1] === 1) geometry.rotateX(-Math.PI / 2);
  geometry.translate(0, height, 0);
  const weights = Float32Array.from({ length: 16 }, (_, i) => (i % 4 === 0 ? 1 : 0));
  geometry.setAttribute('skinIndex', new THREE.BufferAttribute(new Uint16Array(16), 4));
  geometry.setAttribute('skinWeight', new THREE.BufferAttribute(weights, 4));
  const mesh = new THREE.SkinnedMesh(geometry, new THREE.MeshBasicMaterial());
  const bone = new THREE.Bone();
  bone.position.y = height;
  mesh.add(bone);
  mesh.updateMatrixWorld(true);
  mesh.bind(new THREE.Skeleton([bone]));
  move(bone);
  mesh.updateMatrixWorld(true);
  const { morphedPositionAttribute: positions, morphedNormalAttribute: normals } = computeMorphedAttributes(mesh);
  const at = (attribute, i) => new THREE.Vector3().fromBufferAttribute(attribute, i);
  const faced = new THREE.Triangle(at(positions, 0), at(positions, 2), at(positions, 1)).getNormal(new THREE.Vector3());
  const row = (vector) => vector.toArray().map((x) => Math.round(100 * x) / 100 + 0).join(' ');
  const degrees = Math.round((at(normals, 0).angleTo(faced) * 180) / Math.PI);
  return `normal ${row(at(normals, 0))}, triangle ${row(faced)}, ${degrees} degrees apart`;
}
console.log('rest:', posed([0, 0, 1], 0, () => {}));
console.log('moved by 10:', posed([0, 0, 1], 0, (bone) => { bone.position.x = 10; }));
console.log('turned 2 above the origin:', posed([0, 1, 0], 2, (bone) => { bone.rotation.x = Math.PI / 2; }));
console.log('turned at the origin:', posed([0, 1, 0], 0, (bone) => { bone.rotation.x = Math.PI / 2; }));
JS
node normals.mjs | tee seen.txt
cat > expected.txt <<'TEXT'
rest: normal 0 0 1, triangle 0 0 1, 0 degrees apart
moved by 10: normal 10 0 1, triangle 0 0 1, 84 degrees apart
turned 2 above the origin: normal 0 2 -1, triangle 0 0 1, 117 degrees apart
turned at the origin: normal 0 0 1, triangle 0 0 1, 0 degrees apart
TEXT
diff -u expected.txt seen.txt
