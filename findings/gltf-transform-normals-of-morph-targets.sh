#!/usr/bin/env bash
# @gltf-transform/functions 4.5.1 (npm): what quantize() makes of the normals of a morph target that turns the surface far, as a
# corrective shape of an elbow, an eyelid or a fist does. A target stores the difference of two normals, up to 2 long.
#
# Guess: differences are scaled, or left as floats where they do not fit, as positions of targets and texture coordinates are.
# Seen: each number of a difference is cut off at -1 and 1, by default, with 16 bits too, and without a warning. A normal along
# an axis comes out right up to 90°; beyond that it stays at 90° and gets shorter: half as long where the target turns it by
# 150°, and nothing at all is left of one that the target turns around. The validator finds no fault in the file, which is right
# in form. With quantize({ patternTargets: /^POSITION$/ }) the targets keep the floats of their normals, and all are right.
#
# Fails if that changes. Needs node and npm.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @gltf-transform/core@4.5.1 @gltf-transform/extensions@4.5.1 \
  @gltf-transform/functions@4.5.1 gltf-validator@2.0.0-dev.3.10 >/dev/null
cat > normals.mjs <<'JS'
import { Document, NodeIO } from '@gltf-transform/core';
import { KHRMeshQuantization } from '@gltf-transform/extensions';
import { quantize } from '@gltf-transform/functions';
import validator from 'gltf-validator';
const degrees = [0, 60, 90, 120, 150, 180];
// A row of triangles, one for each angle by which the target turns its normal.
function model() {
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (rows) =>
    document.createAccessor().setType('VEC3').setArray(Float32Array.from(rows.flat())).setBuffer(buffer);
  const corners = (row) =>
    degrees.flatMap((angle, place) => [0, 1, 2].map((corner) => row((angle * Math.PI) / 180, place, corner)));
  const turned = document.createPrimitiveTarget()
    .setAttribute('POSITION', accessor(corners((_, place, corner) => [0.1 * corner, 0, 0.7 * place])))
    .setAttribute('NORMAL', accessor(corners((angle) => [Math.sin(angle), 0, Math.cos(angle) - 1])));
  const primitive = document.createPrimitive().addTarget(turned)
    .setAttribute('POSITION', accessor(corners((_, place, corner) => [place + 0.5 * (corner & 1), 0.5 * (corner >> 1), 0])))
    .setAttribute('NORMAL', accessor(corners(() => [0, 0, 1])));
  const mesh = document.createMesh().addPrimitive(primitive).setWeights([1]);
  document.createScene().addChild(document.createNode().setMesh(mesh));
  return document;
}
function show(title, document) {
  const [primitive] = document.getRoot().listMeshes()[0].listPrimitives();
  const [base, target] = [primitive, primitive.listTargets()[0]].map((one) => one.getAttribute('NORMAL'));
  const seen = degrees.map((_, place) => {
    const difference = target.getElement(3 * place, []);
    const [x, y, z] = base.getElement(3 * place, []).map((number, i) => number + difference[i]);
    const length = Math.hypot(x, y, z);
    return length < 0.01 ? 'none' : `${Math.round((Math.atan2(x, z) * 180) / Math.PI)}° of length ${length.toFixed(1)}`;
  });
  console.log(`${title}: ${seen.join(', ')}`);
}
const said = [];
const logger = { debug() {}, info() {}, warn: (text) => said.push(text), error: (text) => said.push(text) };
const ways = [['as it was'], ['quantised', {}], ['with 16 bits', { quantizeNormal: 16 }],
  ['but not these', { patternTargets: /^POSITION$/ }]];
for (const [title, options] of ways) {
  const document = model().setLogger(logger);
  if (options) await document.transform(quantize(options));
  show(title, document);
  const glb = await new NodeIO().registerExtensions([KHRMeshQuantization]).writeBinary(document);
  const { issues } = await validator.validateBytes(glb);
  console.log(`  ${said.length} warnings, and ${issues.numErrors + issues.numWarnings} of the validator`);
}
JS
node normals.mjs | tee seen.txt
cat > expected.txt <<'TEXT'
as it was: 0° of length 1.0, 60° of length 1.0, 90° of length 1.0, 120° of length 1.0, 150° of length 1.0, 180° of length 1.0
  0 warnings, and 0 of the validator
quantised: 0° of length 1.0, 60° of length 1.0, 90° of length 1.0, 90° of length 0.9, 90° of length 0.5, none
  0 warnings, and 0 of the validator
with 16 bits: 0° of length 1.0, 60° of length 1.0, 90° of length 1.0, 90° of length 0.9, 90° of length 0.5, none
  0 warnings, and 0 of the validator
but not these: 0° of length 1.0, 60° of length 1.0, 90° of length 1.0, 120° of length 1.0, 150° of length 1.0, 180° of length 1.0
  0 warnings, and 0 of the validator
TEXT
diff -u expected.txt seen.txt
