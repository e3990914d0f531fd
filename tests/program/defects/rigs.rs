//! The clean rigs: procedural ones, the built-in character, and those of the corpus.

use std::path::Path;
use std::sync::OnceLock;

use glam::{DMat4, DQuat, DVec3};
use serde_json::{Value, json};
use skinscope::model::test_shapes::{Tube, tube};

use super::biped::{Biped, biped};
use super::document::Document;
use super::file::{Column, F32, U8, U16};
use super::rig::Rig;

/// All of them; those of the corpus only where it is.
pub fn all(corpus: Option<&Path>) -> Vec<Rig> {
    let mut out = Vec::new();
    for (name, file) in made() {
        out.extend(Rig::read(name, file));
    }
    let character = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    out.extend(open("character", &character));
    for name in
        ["CesiumMan.glb", "Fox.glb", "RiggedFigure.glb", "RobotExpressive.glb", "KayKit_Knight.glb", "WebXR_hand.glb"]
    {
        out.extend(corpus.and_then(|c| open(name, &c.join("models").join(name))));
    }
    out
}

/// Those that need no corpus, made once; the last is the built-in character.
pub fn own() -> &'static [Rig] {
    static RIGS: OnceLock<Vec<Rig>> = OnceLock::new();
    RIGS.get_or_init(|| all(None))
}

/// Those that are made from numbers, which are small.
pub fn small() -> &'static [Rig] {
    own().split_last().map_or(&[], |(_, small)| small)
}

/// A file without what no rule of these looks at: clips, pictures, morph targets. They cost time only.
fn open(name: &str, path: &Path) -> Option<Rig> {
    let mut file = Document::parse(&std::fs::read(path).unwrap(), path.parent())?;
    strip(&mut file.root);
    Rig::read(name.strip_suffix(".glb").unwrap_or(name), file)
}

fn strip(root: &mut Value) {
    let object = root.as_object_mut().unwrap();
    for key in ["animations", "images", "textures", "samplers", "materials"] {
        object.remove(key);
    }
    for mesh in root["meshes"].as_array_mut().into_iter().flatten() {
        mesh.as_object_mut().unwrap().remove("weights");
        for primitive in mesh["primitives"].as_array_mut().into_iter().flatten() {
            let primitive = primitive.as_object_mut().unwrap();
            primitive.remove("targets");
            primitive.remove("material");
        }
    }
}

/// Rigs made from numbers.
fn made() -> Vec<(&'static str, Document)> {
    let plain = Biped::default();
    let turned = DMat4::from_scale_rotation_translation(
        DVec3::splat(0.01),
        DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2),
        DVec3::new(0.0, 0.2, 0.0),
    );
    let narrow = Tube { joints: 6, rings: 31, sides: 12, influences: 2, ..Tube::default() };
    let wide = Tube { joints: 12, rings: 61, sides: 10, length: 6.0, influences: 4, ..Tube::default() };
    vec![
        ("biped", biped(&plain)),
        (
            "biped, u8, centimetres",
            biped(&Biped { component: U8, armature: turned, mesh_space: turned.inverse(), ..plain }),
        ),
        ("biped, u16, shared transform", biped(&Biped { component: U16, armature: turned, ..plain })),
        ("tube", tube_file(narrow)),
        ("long tube", tube_file(wide)),
    ]
}

/// What `test_shapes::tube` holds, written as a file.
fn tube_file(shape: Tube) -> Document {
    let model = tube(shape);
    let primitive = &model.meshes[0].primitives[0];
    let influences = primitive.stored_influences.as_ref().unwrap();
    let mut file = Document { root: json!({ "asset": { "version": "2.0" } }), bin: Vec::new() };
    file.root["meshes"] = json!([{ "primitives": [{ "attributes": {} }] }]);
    let numbers = |list: &[glam::Vec3]| list.iter().flat_map(|p| p.to_array().map(f64::from)).collect();
    file.set_attribute((0, 0), "POSITION", &Column::new(F32, 3, numbers(&primitive.positions)));
    file.set_attribute((0, 0), "NORMAL", &Column::new(F32, 3, numbers(&primitive.normals)));
    let joints = influences.joints.iter().map(|j| f64::from(*j)).collect();
    file.set_attribute((0, 0), "JOINTS_0", &Column::new(U16, 4, joints));
    let weights = influences.weights.iter().map(|w| f64::from(*w)).collect();
    file.set_attribute((0, 0), "WEIGHTS_0", &Column::new(F32, 4, weights));
    let triangles: Vec<[u32; 3]> = primitive.indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    file.set_triangles((0, 0), &triangles);
    let skin = &model.skins[0];
    let matrices = skin.inverse_bind.iter().flat_map(|m| glam::Mat4::from(*m).to_cols_array().map(f64::from)).collect();
    let binds = file.add(&Column::new(F32, 16, matrices), false);
    let node = |n: usize| {
        let at = model.skeleton.rest.transforms[n].translation;
        let mut node = json!({ "name": model.skeleton.names[n], "translation": at.to_array() });
        if n + 1 < model.skeleton.len() {
            node["children"] = json!([n + 1]);
        }
        node
    };
    let mut nodes: Vec<Value> = (0..model.skeleton.len()).map(node).collect();
    nodes.push(json!({ "name": "skin", "mesh": 0, "skin": 0 }));
    file.root["nodes"] = json!(nodes);
    let joints: Vec<usize> = skin.joints.iter().map(|j| j.index()).collect();
    file.root["skins"] = json!([{ "joints": joints, "inverseBindMatrices": binds }]);
    file.root["scenes"] = json!([{ "nodes": [0, nodes.len() - 1] }]);
    file.root["scene"] = json!(0);
    file
}
