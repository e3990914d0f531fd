//! Seeded mutations of a file that has a bit of everything: import may refuse them, it may not panic or hang.

use serde_json::json;

use super::*;

/// Numbers that look random and are the same in every run (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit.max(1)
    }
}

/// A skinned, morphed, textured, normal-mapped, animated square.
pub(super) fn whole() -> Doc {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &SQUARE);
    let normal = doc.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(4));
    let uv = doc.floats("VEC2", 2, &[0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let joints = doc.accessor(&[0, 1, 0, 0].repeat(4), U8, "VEC4", 4);
    let weights = doc.accessor(&[128, 127, 0, 0].repeat(4), U8, "VEC4", 4);
    doc.root["accessors"][weights]["normalized"] = json!(true);
    let indices = doc.shorts("SCALAR", 1, &[0, 1, 2, 1, 3, 2]);
    let bind = doc.floats("MAT4", 16, &glam::Mat4::IDENTITY.to_cols_array().repeat(2));
    let times = doc.floats("SCALAR", 1, &[0.0, 1.0]);
    let turns = doc.floats("VEC4", 4, &[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    let smiles = doc.floats("SCALAR", 1, &[0.0, 1.0]);
    let (at, by) = (doc.view(&[0, 3]), doc.view(bytemuck::cast_slice(&[1.0_f32; 6])));
    let sparse = json!({
        "count": 2, "indices": { "bufferView": at, "componentType": U8 }, "values": { "bufferView": by },
    });
    let morph = json!({ "componentType": F32, "type": "VEC3", "count": 4, "sparse": sparse });
    let morph = doc.push("accessors", morph);
    let picture = doc.view(&materials::png(4, 4));
    let mut doc = doc.with_primitive(json!({
        "attributes": {
            "POSITION": position, "NORMAL": normal, "TEXCOORD_0": uv, "JOINTS_0": joints, "WEIGHTS_0": weights,
        },
        "indices": indices, "material": 0, "targets": [{ "POSITION": morph }],
    }));
    doc.root["images"] = json!([{ "bufferView": picture, "mimeType": "image/png" }]);
    doc.root["textures"] = json!([{ "source": 0 }]);
    doc.root["materials"] = json!([{
        "normalTexture": { "index": 0 }, "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } },
    }]);
    doc.root["nodes"] = json!([
        { "mesh": 0, "skin": 0 }, { "children": [2], "rotation": [0.0, 0.0, 0.0, 1.0] },
        { "matrix": glam::Mat4::IDENTITY.to_cols_array() },
    ]);
    doc.root["scenes"] = json!([{ "nodes": [0, 1] }]);
    doc.root["scene"] = json!(0);
    doc.root["skins"] = json!([{ "joints": [1, 2], "inverseBindMatrices": bind }]);
    doc.root["animations"] = json!([{
        "samplers": [{ "input": times, "output": turns }, { "input": times, "output": smiles }],
        "channels": [
            { "sampler": 0, "target": { "node": 1, "path": "rotation" } },
            { "sampler": 1, "target": { "node": 0, "path": "weights" } },
        ],
    }]);
    doc
}

fn mutated(glb: &[u8], json_end: usize, random: &mut Random) -> Vec<u8> {
    let mut bytes = glb.to_vec();
    let digits: Vec<usize> = (20..json_end).filter(|i| glb[*i].is_ascii_digit()).collect();
    match random.below(4) {
        0 => bytes.truncate(random.below(glb.len())),
        1 => {
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
        }
        2 => {
            // Numbers of the document: indices, counts, offsets, component types.
            for _ in 0..=random.below(3) {
                bytes[digits[random.below(digits.len())]] = b'0' + random.below(10) as u8;
            }
        }
        _ => {
            // Binary data: special floats among vertices, matrices and keys.
            let values = [f32::NAN, f32::INFINITY, f32::MAX, -f32::MAX, f32::MIN_POSITIVE, -0.0, 1e20, 1e-30];
            for _ in 0..=random.below(6) {
                let at = json_end + 8 + 4 * random.below((glb.len() - json_end - 12) / 4);
                bytes[at..at + 4].copy_from_slice(&values[random.below(values.len())].to_le_bytes());
            }
        }
    }
    bytes
}

#[test]
fn mutated_files_never_panic() {
    let doc = whole();
    assert!(doc.warnings().is_empty(), "{:?}", doc.warnings());
    let glb = doc.glb();
    let json_end = 20 + u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let mut random = Random(0x5EED_0001);
    let (mut opened, mut refused) = (0, 0);
    for _ in 0..2500 {
        let bytes = mutated(&glb, json_end, &mut random);
        match import_bytes(&bytes, "mutated", &Options::default(), &Progress::silent()) {
            Ok(import) => {
                opened += 1;
                assert!(import.warnings.iter().all(|w| !w.to_string().contains('\n')));
                let parts = &import.model;
                assert!(
                    parts.meshes.iter().flat_map(|m| &m.primitives).all(|p| p.tangents.iter().all(|t| t.is_finite()))
                );
            }
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().contains('\n'), "{error}");
            }
        }
    }
    // Both ends are reached, or the mutations test nothing.
    assert!(opened > 200 && refused > 200, "{opened} opened, {refused} refused");
}
