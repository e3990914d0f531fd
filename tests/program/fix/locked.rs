//! Locked joints keep their weights in every layout, and how many vertices stay for them is said.

use serde_json::json;

use crate::fix::compare::{Documents, Expected, compare};
use crate::fix::made::{JOINTS, Layout};
use crate::fix::reference::{cut, dense, vertices};
use crate::fix::report;

const LOCKED: [&str; 5] = ["hips", "spine", "hand.L", "leg.L", "tail"];

fn is_locked(joint: usize) -> bool {
    LOCKED.contains(&JOINTS[joint])
}

#[test]
fn vertices_that_locked_joints_hold_altogether_stay_and_are_counted() {
    lock(Documents::Few);
}

#[test]
#[ignore = "full: 60 documents in three containers are written, and once more"]
fn vertices_that_locked_joints_hold_altogether_stay_in_every_document() {
    lock(Documents::All);
}

fn lock(documents: Documents) {
    let joint = |name: &str| JOINTS.iter().position(|known| *known == name).unwrap();
    let (arm, head) = (joint("arm.L"), joint("head"));
    let mut arguments = vec!["--paste", "arm.L=0.5,head=0.25"];
    LOCKED.iter().for_each(|name| arguments.extend(["--lock", name]));
    let (mut cases, mut any) = (0, 0);
    for case in documents.clean() {
        let (name, slots) = (&case.name, case.before.slots);
        let own: Vec<Vec<f64>> = vertices(&case.before).iter().map(dense).collect();
        let locked = |own: &Vec<f64>| (0..own.len()).filter(|j| is_locked(*j)).map(|j| own[j]).sum::<f64>();
        let meant = |own: &Vec<f64>| {
            let left = 1.0 - locked(own);
            let used = (0..own.len()).filter(|j| is_locked(*j) && own[*j] > 0.0).count();
            if left < 1e-6 || used == slots {
                return own.clone();
            }
            let mut given = vec![0.0; own.len()];
            (given[arm], given[head]) = (2.0 / 3.0, 1.0 / 3.0);
            let given = cut(given, slots - used);
            (0..own.len()).map(|j| if is_locked(j) { own[j] } else { left * given[j] }).collect()
        };
        let expected = Expected::Near(own.iter().map(|own| Some(meant(own))).collect(), 3e-7);
        compare("locked", &case, &arguments, &expected);
        // Two primitives with accessors of their own count on their own, although these describe the same bytes.
        let lists = if case.layout == Layout::Twice { 2 } else { 1 };
        let kept = lists * own.iter().filter(|own| locked(own) > 1.0 - 1e-6).count();
        let folder = case.folder("locked count");
        std::fs::write(folder.join("a.glb"), case.doc.glb()).unwrap();
        let told = report(&folder, &[&["a.glb", "-o", "out.glb"], &arguments[..]].concat());
        assert_eq!(told["operations"][0]["kept"], if kept == 0 { json!(null) } else { json!(kept) }, "{name}: {told}");
        any += kept;
        cases += 1;
    }
    assert!(any > cases, "{cases}, {any}");
}
