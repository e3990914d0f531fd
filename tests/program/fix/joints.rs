//! Operations on joints, means and weights from elsewhere, over every layout, component type and number of influences, each against
//! its definition.

use std::fs;

use glam::DVec3;

use crate::fix::compare::{Documents, Expected, compare};
use crate::fix::folder;
use crate::fix::made::{COLUMNS, Doc, F32, JOINTS, Layout, ROWS, Random, VERTICES, pairs, position};
use crate::fix::operations::cut;
use crate::fix::reference::{dense, vertices};
use crate::fix::surfaces::put_positions;
use crate::fix::tools::closest;

fn joint(name: &str) -> usize {
    JOINTS.iter().position(|known| *known == name).unwrap()
}

/// The weight of every joint for one vertex.
type Row = Vec<f64>;

/// Runs an operation on the clean ones of some documents, and compares it with what `meant` makes of the weights of all vertices.
fn dense_by(documents: Documents, name: &str, arguments: &[&str], meant: &dyn Fn(&[Row]) -> Vec<Row>) {
    for case in documents.clean() {
        let own: Vec<Vec<f64>> = vertices(&case.before).iter().map(dense).collect();
        let expected = Expected::Dense(cut(meant(&own), case.before.slots));
        compare(name, &case, arguments, &expected);
    }
}

/// The weights of each vertex, from its own.
fn each(of: impl Fn(&[f64]) -> Vec<f64>) -> impl Fn(&[Vec<f64>]) -> Vec<Vec<f64>> {
    move |all| all.iter().map(|own| of(own)).collect()
}

#[test]
#[ignore = "full: 60 documents in three containers are written six times"]
fn what_is_done_with_joints_is_the_same_in_every_document() {
    for operation in [remove, remove_top, replace, average, paste, only] {
        operation(Documents::All);
    }
}

#[test]
fn a_joint_that_is_removed_gives_its_weight_to_the_joint_above_it() {
    remove(Documents::Few);
}

fn remove(documents: Documents) {
    // Every joint hangs on the hips.
    let (arm, hips) = (joint("arm.L"), joint("hips"));
    let meant = each(|own| {
        let mut out = own.to_vec();
        out[hips] += std::mem::take(&mut out[arm]);
        out
    });
    dense_by(documents, "remove", &["--remove-joint", "arm.L"], &meant);
}

#[test]
fn the_joint_above_all_gives_its_weight_to_the_others_and_stays_where_it_is_alone() {
    remove_top(Documents::Few);
}

fn remove_top(documents: Documents) {
    let hips = joint("hips");
    let meant = each(|own| {
        let others = 1.0 - own[hips];
        if others < 1e-9 {
            return own.to_vec();
        }
        own.iter().enumerate().map(|(j, weight)| if j == hips { 0.0 } else { weight / others }).collect()
    });
    dense_by(documents, "remove top", &["--remove-joint", "hips"], &meant);
}

/// How far a vertex is from another along the edges of the sheet.
fn steps() -> Vec<Vec<f64>> {
    let mut far = vec![vec![f64::INFINITY; VERTICES]; VERTICES];
    let apart =
        |a: usize, b: usize| DVec3::from(position(a).map(f64::from)).distance(position(b).map(f64::from).into());
    for (at, row) in far.iter_mut().enumerate() {
        row[at] = 0.0;
    }
    let edges = (0..VERTICES).flat_map(|at| {
        let (column, row) = (at % COLUMNS, at / COLUMNS);
        let right = (column + 1 < COLUMNS).then_some(at + 1);
        let below = (row + 1 < ROWS).then_some(at + COLUMNS);
        // The diagonal of a quad goes from its second corner to its third.
        let across = (column > 0 && row + 1 < ROWS).then_some(at + COLUMNS - 1);
        [right, below, across].into_iter().flatten().map(move |to| (at, to))
    });
    for (at, to) in edges {
        (far[at][to], far[to][at]) = (apart(at, to), apart(at, to));
    }
    for k in 0..VERTICES {
        for i in 0..VERTICES {
            for j in 0..VERTICES {
                far[i][j] = far[i][j].min(far[i][k] + far[k][j]);
            }
        }
    }
    far
}

#[test]
fn a_joint_that_is_spread_goes_to_the_others_and_where_it_was_alone_to_the_weights_nearby() {
    spread(Documents::Few);
}

#[test]
#[ignore = "full: 60 documents in three containers are written"]
fn a_joint_that_is_spread_goes_to_the_others_or_to_the_weights_nearby_in_every_document() {
    spread(Documents::All);
}

fn spread(documents: Documents) {
    let (arm, far) = (joint("arm.L"), steps());
    let mut alone = 0;
    for case in documents.clean() {
        let own: Vec<Vec<f64>> = vertices(&case.before).iter().map(dense).collect();
        let without = |own: &Vec<f64>| {
            let others = own.iter().sum::<f64>() - own[arm];
            let share = |(j, weight): (usize, &f64)| if j == arm { 0.0 } else { weight / others };
            (others > 1e-9).then(|| own.iter().enumerate().map(share).collect::<Vec<f64>>())
        };
        let meant = |v: usize| {
            if let Some(shares) = without(&own[v]) {
                return Some(shares);
            }
            alone += 1;
            let good: Vec<usize> = (0..VERTICES).filter(|g| without(&own[*g]).is_some()).collect();
            let least = good.iter().map(|g| far[v][*g]).fold(f64::INFINITY, f64::min);
            let nearest: Vec<usize> = good.into_iter().filter(|g| far[v][*g] < least + 1e-12).collect();
            // Of several that are equally near any will do.
            if let [one] = nearest[..] { without(&own[one]) } else { None }
        };
        let expected = Expected::Dense((0..VERTICES).map(meant).collect());
        compare("spread", &case, &["--remove-joint", "arm.L:spread"], &expected);
    }
    assert!(alone > 0, "no vertex follows the joint alone");
}

#[test]
fn a_joint_that_is_replaced_gives_all_of_its_weight_to_the_other() {
    replace(Documents::Few);
}

fn replace(documents: Documents) {
    let (arm, tail) = (joint("arm.L"), joint("tail"));
    let meant = each(|own| {
        let mut out = own.to_vec();
        out[tail] += std::mem::take(&mut out[arm]);
        out
    });
    dense_by(documents, "replace", &["--replace-joint", "arm.L=tail"], &meant);
}

#[test]
fn averaged_vertices_have_the_mean_of_all() {
    average(Documents::Few);
}

fn average(documents: Documents) {
    dense_by(documents, "average", &["--average"], &|all| {
        let mean = |j: usize| all.iter().map(|own| own[j] / own.iter().sum::<f64>()).sum::<f64>() / all.len() as f64;
        vec![(0..JOINTS.len()).map(mean).collect(); all.len()]
    });
}

#[test]
fn pasted_weights_are_those_that_were_said_divided_by_their_sum() {
    paste(Documents::Few);
}

fn paste(documents: Documents) {
    let mut given = vec![0.0; JOINTS.len()];
    (given[joint("arm.L")], given[joint("head")]) = (2.0 / 3.0, 1.0 / 3.0);
    dense_by(documents, "paste", &["--paste", "arm.L=0.5,head=0.25"], &|all| vec![given.clone(); all.len()]);
}

#[test]
fn only_what_a_joint_moves_changes_where_that_is_said() {
    only(Documents::Few);
}

fn only(documents: Documents) {
    let (arm, head, tail) = (joint("arm.L"), joint("head"), joint("tail"));
    let meant = each(|own| {
        let mut out = own.to_vec();
        if own[head] > 0.0 {
            out[tail] += std::mem::take(&mut out[arm]);
        }
        out
    });
    dense_by(documents, "only", &["--replace-joint", "arm.L=tail", "--only-joint", "head"], &meant);
}

#[test]
fn transferred_weights_stand_in_every_layout() {
    transfer(Documents::Few);
}

#[test]
#[ignore = "full: 120 documents in three containers are written"]
fn transferred_weights_stand_in_every_document() {
    transfer(Documents::All);
}

fn transfer(documents: Documents) {
    let donors = folder(&format!("{documents:?} donors"));
    let mut random = Random(31);
    let from: Vec<[f32; 3]> =
        (0..VERTICES).map(|v| position(v).map(|c| c + (random.unit() * 0.02 - 0.01) as f32)).collect();
    let given = pairs(F32, 1, false, 32);
    let mut donor = Doc::new(&given, Layout::Plain);
    put_positions(&mut donor, 0, &from);
    let path = donors.join("donor.glb");
    fs::write(&path, donor.glb()).unwrap();
    let weights: Vec<Vec<f64>> = vertices(&given).iter().map(dense).collect();
    let point = |p: [f32; 3]| DVec3::from_array(p.map(f64::from));
    let quads = (0..ROWS - 1).flat_map(|r| (0..COLUMNS - 1).map(move |c| r * COLUMNS + c));
    let triangles: Vec<[usize; 3]> =
        quads.flat_map(|a| [[a, a + 1, a + COLUMNS], [a + 1, a + COLUMNS + 1, a + COLUMNS]]).collect();
    let expected: Vec<Vec<f64>> = (0..VERTICES)
        .map(|v| {
            let tried = triangles.iter().map(|t| (t, closest(point(position(v)), t.map(|v| point(from[v])))));
            let (triangle, (shares, _)) = tried.min_by(|a, b| a.1.1.total_cmp(&b.1.1)).unwrap();
            let mut out = vec![0.0; JOINTS.len()];
            for (vertex, share) in triangle.iter().zip(shares) {
                (0..JOINTS.len()).for_each(|j| out[j] += share * weights[*vertex][j]);
            }
            out
        })
        .collect();
    for case in documents.cases() {
        let expected = Expected::Near(cut(expected.clone(), case.before.slots), 1e-5);
        compare("transfer", &case, &["--transfer", path.to_str().unwrap()], &expected);
    }
}
