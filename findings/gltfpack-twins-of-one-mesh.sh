#!/usr/bin/env bash
# gltfpack 1.3.0 (npm): what it makes of a crowd: nodes that show one mesh, each with a skin of its own, as dedup() of
# glTF-Transform leaves characters that were copied.
#
# Guess: as many characters as before, with one mesh for all, or a copy of it for each.
# Seen: the mesh is copied for each skin but the first, and each copy is drawn twice: for its own node, and for the first node,
# with the skin of the other one. Ten characters become nineteen, the same in the same places, so that it shows only in what it
# costs. With weights of morph targets at the nodes it shows: where the first smiles and its twin does not, the twin has two
# faces, one that smiles and one that does not. gltfpack warns of nothing, and the validator finds no fault in the file before.
#
# Fails if that changes. Needs node and npm.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @gltf-transform/core@4.5.1 @gltf-transform/extensions@4.5.1 gltfpack@1.3.0 \
  gltf-validator@2.0.0-dev.3.10 >/dev/null
cat > twins.mjs <<'JS'
import { spawnSync } from 'node:child_process';
import { Document, NodeIO } from '@gltf-transform/core';
import { KHRMeshQuantization } from '@gltf-transform/extensions';
import validator from 'gltf-validator';
const io = new NodeIO().registerExtensions([KHRMeshQuantization]);
const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
function crowd(count, smiles) {
  const document = new Document();
  const buffer = document.createBuffer();
  const scene = document.createScene();
  document.getRoot().setDefaultScene(scene);
  const accessor = (type, array) => document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
  const primitive = document.createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0])))
    .setAttribute('WEIGHTS_0', accessor('VEC4', new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0])))
    .setAttribute('JOINTS_0', accessor('VEC4', new Uint8Array(12)));
  const mesh = document.createMesh('face').addPrimitive(primitive);
  if (smiles) {
    const raised = accessor('VEC3', new Float32Array([0, 0, 0, 0, 0, 0, 0, 0, 1]));
    primitive.addTarget(document.createPrimitiveTarget('smile').setAttribute('POSITION', raised));
    mesh.setWeights([0]);
  }
  const inverse = accessor('MAT4', new Float32Array(IDENTITY));
  for (let i = 0; i < count; i++) {
    const root = document.createNode(`root ${i}`).setTranslation([3 * i, 0, 0]);
    const skin = document.createSkin().addJoint(root).setInverseBindMatrices(inverse);
    const node = document.createNode(`twin ${i}`).setMesh(mesh).setSkin(skin);
    if (smiles) node.setWeights([smiles[i]]);
    scene.addChild(root).addChild(node);
  }
  return document;
}
function drawn(document) {
  const nodes = document.getRoot().listNodes().filter((node) => node.getMesh());
  const words = nodes.map((node) => {
    const [root] = node.getSkin().listJoints();
    return root.getName() + (node.getWeights().length ? ` with smile ${node.getWeights()}` : '');
  });
  return `${nodes.length} drawn${nodes.length > 5 ? '' : `: ${words.sort().join(', ')}`}`;
}
for (const [count, smiles] of [[1], [2], [10], [2, [1, 0]]]) {
  const title = `${count}${smiles ? ' of which the first smiles' : ''}`;
  const document = crowd(count, smiles);
  await io.write('crowd.glb', document);
  const { issues } = await validator.validateBytes(await io.writeBinary(document));
  console.log(`${title}, before: ${drawn(document)}; ${issues.numErrors + issues.numWarnings} faults`);
  const packed = spawnSync('node_modules/.bin/gltfpack', ['-i', 'crowd.glb', '-o', 'packed.glb', '-kn'], { encoding: 'utf8' });
  if (packed.status !== 0) throw new Error(packed.stderr);
  console.log(`${title}, packed: ${drawn(await io.read('packed.glb'))}; said "${(packed.stdout + packed.stderr).trim()}"`);
}
JS
node twins.mjs | tee seen.txt
cat > expected.txt <<'TEXT'
1, before: 1 drawn: root 0; 0 faults
1, packed: 1 drawn: root 0; said ""
2, before: 2 drawn: root 0, root 1; 0 faults
2, packed: 3 drawn: root 0, root 1, root 1; said ""
10, before: 10 drawn; 0 faults
10, packed: 19 drawn; said ""
2 of which the first smiles, before: 2 drawn: root 0 with smile 1, root 1 with smile 0; 0 faults
2 of which the first smiles, packed: 3 drawn: root 0 with smile 1, root 1 with smile 0, root 1 with smile 1; said ""
TEXT
diff -u expected.txt seen.txt
