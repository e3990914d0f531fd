//! `skinscope sculpt --vertex`: corrective shapes of single vertices that are put somewhere.

use skinscope::edit::Sheet;
use skinscope::pose::{PoseFile, resolve};
use skinscope::solve::{Posed, shown_by};
use skinscope::weights::{Table, share_of};

use crate::common;
use crate::sculpt::{NEAR, apart, folder, json, ok, refused};

#[test]
fn vertices_that_are_put_somewhere_make_a_shape_that_meets_them() {
    let folder = folder("vertices");
    ok(&folder, &["pose", "a.glb", "-o", "Bent.pose.json", "--rotate", "LowerArm.L=0,-95,0"]);
    let model = common::open(&folder, "a.glb");
    let mut pose = model.skeleton.rest.clone();
    resolve(&model, &PoseFile::read(&folder.join("Bent.pose.json")).unwrap()).apply(&mut pose);
    let sheet = Sheet::of(&model);
    let lower = model.skeleton.names.iter().position(|name| name == "LowerArm.L").unwrap() as u32;
    let mut shares = Vec::new();
    let mut elbow_of = |table: &Table| {
        (0..table.vertices()).find(|row| {
            table.shares(*row, &mut shares);
            (0.2..0.8).contains(&share_of(&shares, lower))
        })
    };
    let (table, row) = sheet.tables.iter().find_map(|table| Some((table, elbow_of(table)?))).unwrap();
    let at = table.primitives[0];
    let motion = Posed::new(&model, &pose).motion(shown_by(&model, at).unwrap(), at.primitive).unwrap();
    let [x, y, z] = motion.blended(table, row).to_array();
    let file = folder.join("Bent.pose.json");
    let held = |mesh: u32| format!("--vertex={mesh},{},{row}={x},{y},{}@{}", at.primitive, z + 0.03, file.display());
    let vertex = held(model.file_mesh(at.mesh).0);
    let all = ["sculpt", "a.glb", &vertex, "--radius", "0.08", "-o", "out.glb", "--json"];
    let told = json(&folder, &all);
    let shape = &told["shapes"][0];
    assert!(shape["name"] == "Bent" && shape["joints"] == serde_json::json!(["LowerArm.L"]), "{shape}");
    let figure = |key: &str| shape[key].as_f64().unwrap();
    assert!((figure("largest_before") - 0.03).abs() < NEAR && figure("largest_after") < NEAR, "{shape}");
    assert!(figure("vertices") > 3.0, "{shape}");
    ok(&folder, &["bake", "out.glb", "--pose", "Bent.pose.json", "--morph", "Bent=1", "-o", "met.ply"]);
    ok(&folder, &["bake", "a.glb", "--pose", "Bent.pose.json", "-o", "plain.ply"]);
    let by = apart(&folder, "met.ply", "plain.ply");
    assert!((by - 0.03).abs() < 2.0 * NEAR, "{by}");
    let none = refused(&folder, &["sculpt", "a.glb", "-o", "none.glb", &held(9)]);
    assert!(none.contains("no primitive 9,"), "{none}");
    let twice = refused(&folder, &["sculpt", "a.glb", "-o", "none.glb", &vertex, &vertex]);
    assert!(twice.contains("is at the place of"), "{twice}");
}
