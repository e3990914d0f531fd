//! Locked joints keep their weights in every layout, and how many vertices stay for them is said.

use serde_json::json;

use crate::compare::{Expected, all, compare};
use crate::made::{JOINTS, Layout};
use crate::reference::{cut, dense, vertices};
use crate::{folder, report};

const LOCKED: [&str; 5] = ["hips", "spine", "hand.L", "leg.L", "tail"];

fn is_locked(joint: usize) -> bool {
    LOCKED.contains(&JOINTS[joint])
}

#[test]
fn vertices_that_locked_joints_hold_altogether_stay_and_are_counted() {
    let joint = |name: &str| JOINTS.iter().position(|known| *known == name).unwrap();
    let (arm, head) = (joint("arm.L"), joint("head"));
    let mut arguments = vec!["--paste", "arm.L=0.5,head=0.25"];
    LOCKED.iter().for_each(|name| arguments.extend(["--lock", name]));
    let (mut cases, mut any) = (0, 0);
    all(&mut |case, before, layout, doc| {
        if case.contains("true") {
            return;
        }
        let own: Vec<Vec<f64>> = vertices(before).iter().map(dense).collect();
        let locked = |own: &Vec<f64>| (0..own.len()).filter(|j| is_locked(*j)).map(|j| own[j]).sum::<f64>();
        let meant = |own: &Vec<f64>| {
            let left = 1.0 - locked(own);
            let used = (0..own.len()).filter(|j| is_locked(*j) && own[*j] > 0.0).count();
            if left < 1e-6 || used == before.slots {
                return own.clone();
            }
            let mut given = vec![0.0; own.len()];
            (given[arm], given[head]) = (2.0 / 3.0, 1.0 / 3.0);
            let given = cut(given, before.slots - used);
            (0..own.len()).map(|j| if is_locked(j) { own[j] } else { left * given[j] }).collect()
        };
        let expected = Expected::Near(own.iter().map(|own| Some(meant(own))).collect(), 3e-7);
        compare(&format!("locked/{case}"), doc, before, layout, &arguments, &expected);
        // Two primitives with accessors of their own count on their own, although these describe the same bytes.
        let lists = if layout == Layout::Twice { 2 } else { 1 };
        let kept = lists * own.iter().filter(|own| locked(own) > 1.0 - 1e-6).count();
        let folder = folder(&format!("locked/{case}"));
        std::fs::write(folder.join("a.glb"), doc.glb()).unwrap();
        let told = report(&folder, &[&["a.glb", "-o", "out.glb"], &arguments[..]].concat());
        assert_eq!(told["operations"][0]["kept"], if kept == 0 { json!(null) } else { json!(kept) }, "{case}: {told}");
        any += kept;
        cases += 1;
    });
    assert!(cases == 60 && any > 60, "{cases}, {any}");
}
