// Draws models in three.js (headless Chromium, software WebGL) as three-gltf-viewer lights them: RoomEnvironment alone and the
// neutral tone curve. Of each model two pictures with straight alpha, `NAME.three.png` and `NAME.three.base.png` (base colours
// without light), and one line of JSON with the camera, which the same picture of Skinscope is drawn from. NAME is that of the
// file, with what follows it in the argument.
//
//   node three.mjs CHROMIUM OUT SIZE MODEL[@DEGREES[,PITCH]]...
//
// MODEL is a .glb or .gltf file, seen from DEGREES to the side (30) and PITCH above (10). What three.js cannot draw is left out.
import { createServer } from "node:http";
import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

const [chromium, out, size, ...models] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const folder = here + "/node_modules/three/";
const page = `<!doctype html><script type="importmap">
{"imports": {"three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/"}}</script>
<script type="module">
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { DRACOLoader } from "three/addons/loaders/DRACOLoader.js";
import { MeshoptDecoder } from "three/addons/libs/meshopt_decoder.module.js";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";

const renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true, premultipliedAlpha: false });
renderer.setSize(${size}, ${size});
renderer.setClearColor(0, 0);
renderer.toneMapping = THREE.NeutralToneMapping;
document.body.append(renderer.domElement);
const generator = new THREE.PMREMGenerator(renderer);
const environment = generator.fromScene(new RoomEnvironment(), 0.04).texture;

const draco = new DRACOLoader().setDecoderPath("/three/examples/jsm/libs/draco/gltf/");
const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).setDRACOLoader(draco);

function plain(m) {
  return new THREE.MeshBasicMaterial({
    map: m.map, color: m.color, vertexColors: m.vertexColors, side: m.side, alphaTest: m.alphaTest,
    transparent: m.transparent, opacity: m.opacity, toneMapped: false,
  });
}

window.draw = async (url, turn, rise) => {
  const { scene: model } = await loader.loadAsync(url);
  const scene = new THREE.Scene();
  scene.add(model);
  scene.environment = environment;
  model.updateMatrixWorld(true);
  model.traverse((o) => { if (o.isSkinnedMesh) { o.skeleton.update(); o.frustumCulled = false; } });
  const box = new THREE.Box3();
  model.traverse((o) => { if (o.isMesh) box.union(new THREE.Box3().setFromObject(o, true)); });
  const [middle, sides] = [box.getCenter(new THREE.Vector3()), box.getSize(new THREE.Vector3())];
  const [fov, reach] = [30, sides.length()];
  const yaw = turn * Math.PI / 180, pitch = rise * Math.PI / 180, far = reach * 0.55 / Math.tan(fov * Math.PI / 360);
  const eye = new THREE.Vector3(Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch))
    .multiplyScalar(far).add(middle);
  const camera = new THREE.PerspectiveCamera(fov, 1, far / 100, far * 10);
  camera.position.copy(eye);
  camera.lookAt(middle);
  const shot = () => { renderer.render(scene, camera); return renderer.domElement.toDataURL("image/png"); };
  const lit = shot();
  model.traverse((o) => { if (o.isMesh) o.material = Array.isArray(o.material) ? o.material.map(plain) : plain(o.material); });
  const base = shot();
  return { lit, base, eye: eye.toArray(), target: middle.toArray(), fov, version: THREE.REVISION };
};
window.ready = true;
</script>`;
const kinds = { ".js": "text/javascript", ".html": "text/html", ".glb": "model/gltf-binary", ".wasm": "application/wasm" };
const server = createServer(async (request, response) => {
  const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
  try {
    const file = path.startsWith("/three/") ? folder + path.slice(7) : path.slice(6);
    const body = path === "/" ? page : await readFile(file);
    response.writeHead(200, { "content-type": path === "/" ? "text/html" : kinds[extname(path)] ?? "application/octet-stream" });
    response.end(body);
  } catch { response.writeHead(404).end(); }
}).listen(0);
const address = `http://localhost:${server.address().port}/`;
const browser = await puppeteer.launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const tab = await browser.newPage();
tab.on("console", (m) => console.error(m.text()));
tab.on("pageerror", (e) => console.error(String(e)));
await tab.goto(address);
await tab.waitForFunction("window.ready", { timeout: 120000 });
for (const given of models) {
  const [file, place] = given.split("@");
  const name = basename(file, extname(file)) + (place ? "@" + place : "");
  const [turn = 30, pitch = 10] = (place ?? "").split(",").filter(Boolean).map(Number);
  const url = "/file/" + encodeURI(resolve(file));
  let drawn;
  try {
    drawn = await tab.evaluate((...view) => window.draw(...view), url, turn, pitch);
  } catch (error) {
    console.error(`${name} is left out: three.js says ${error.message}`);
    continue;
  }
  const { lit, base, ...camera } = drawn;
  for (const [kind, picture] of [["three", lit], ["three.base", base]]) {
    await writeFile(join(out, `${name}.${kind}.png`), Buffer.from(picture.split(",")[1], "base64"));
  }
  console.log(JSON.stringify({ name, file: resolve(file), ...camera }));
}
await browser.close();
server.close();
