//! What must not change the weights: another run, another number of threads, another order, another place, size and direction.

use std::fs;
#[cfg(target_os = "linux")]
use std::process::Command;

use glam::DVec3;
use skinscope::bind::BINDERS;

use super::made::Rig;
use super::{bound, bound_file, difference, folder, rows, with};
#[cfg(target_os = "linux")]
use crate::{
    common,
    fix::{PROGRAM, said},
};

/// The most that a weight may change.
const SAME: f64 = 1e-4;

#[test]
fn the_same_file_gives_the_same_bytes() {
    let mut rig = Rig::tube();
    rig.add_box(glam::Vec3::new(0.55, 1.7, 0.0), 0.04);
    let folder = with("again", &rig);
    for binder in BINDERS {
        bound(&folder, &["--method", binder.id]);
        bound_file(&folder, ["a.glb", "again.glb"], &["--method", binder.id]);
        let [first, again] = ["out.glb", "again.glb"].map(|name| fs::read(folder.join(name)).unwrap());
        assert!(first == again, "{}", binder.id);
        // What was bound once is bound the same once more: the weights before do not count.
        bound_file(&folder, ["out.glb", "twice.glb"], &["--method", binder.id]);
        assert!(fs::read(folder.join("twice.glb")).unwrap() == first, "{}: bound twice", binder.id);
    }
}

/// One of the processors that this process may run on.
#[cfg(target_os = "linux")]
fn one_processor() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let first: String = list.trim().chars().take_while(char::is_ascii_digit).collect();
    (!first.is_empty()).then_some(first)
}

#[cfg(target_os = "linux")]
#[test]
fn one_thread_gives_the_same_bytes() {
    let folder = with("threads", &Rig::chain(9));
    for binder in BINDERS {
        bound(&folder, &["--method", binder.id]);
        let Some(processor) = one_processor() else {
            return common::skipped("no processor is named in /proc/self/status");
        };
        let mut alone = Command::new("taskset");
        alone.args(["-c", &processor, PROGRAM, "bind", "a.glb", "-o", "alone.glb", "--method", binder.id]);
        let Ok(done) = alone.current_dir(&folder).output() else { return common::skipped("no program taskset") };
        assert!(done.status.success(), "{}: {}", binder.id, said(&done));
        let [all, alone] = ["out.glb", "alone.glb"].map(|name| fs::read(folder.join(name)).unwrap());
        assert!(all == alone, "{}", binder.id);
        fs::remove_file(folder.join("alone.glb")).unwrap();
    }
}

#[test]
fn another_order_of_vertices_and_triangles_gives_the_same_weights() {
    let rig = Rig::tube();
    let (other, order) = rig.renumbered();
    let folder = folder("order");
    rig.write(&folder.join("a.glb"));
    other.write(&folder.join("b.glb"));
    for binder in BINDERS {
        bound(&folder, &["--method", binder.id]);
        bound_file(&folder, ["b.glb", "b_out.glb"], &["--method", binder.id]);
        let (first, second) = (rows(&folder, "out.glb"), rows(&folder, "b_out.glb"));
        let first: Vec<_> = order.iter().map(|old| first[*old].clone()).collect();
        let change = difference(&first, &second);
        assert!(change <= SAME, "{}: {change}", binder.id);
    }
}

#[test]
fn a_character_that_is_turned_scaled_or_moved_gets_the_same_weights() {
    let rig = Rig::tube();
    let folder = with("moved", &rig);
    let moves = [
        (DVec3::new(1.0, 2.0, 0.5), 1.1, 1.0, DVec3::ZERO),
        (DVec3::Z, 0.0, 100.0, DVec3::ZERO),
        (DVec3::X, 1.7, 0.01, DVec3::new(0.02, -0.01, 0.03)),
        (DVec3::X, -std::f64::consts::FRAC_PI_2, 1.0, DVec3::new(1.0, 2.0, -1.0)),
    ];
    for binder in BINDERS {
        bound(&folder, &["--method", binder.id]);
        let before = rows(&folder, "out.glb");
        for (axis, angle, scale, way) in moves {
            rig.moved(axis, angle, scale, way).write(&folder.join("b.glb"));
            bound_file(&folder, ["b.glb", "b_out.glb"], &["--method", binder.id]);
            let change = difference(&before, &rows(&folder, "b_out.glb"));
            assert!(change <= SAME, "{}: {change} by {angle} about {axis}, times {scale}", binder.id);
        }
    }
}
