//! The best N joints of a vertex over every layout, component type and number of influences. All joints of the sheet hang on the
//! first, so each has errors of its own and the least squares have a closed form.

use crate::fix::compare::{Case, Documents, Expected, compare};
use crate::fix::made::{JOINTS, Pairs, WAY, head, position};
use crate::fix::reference::{cut, dense, vertices};

/// The moments of a clip that count, its ends included.
const MOMENTS: u32 = 64;

/// The sum of squares of how far a joint carries a vertex from its place, over all poses. A turn by an angle about an axis at the
/// distance `r` moves it by `2 r sin(angle / 2)`, and the squares of its distances from three axes sum to twice that from the joint.
fn motion(joint: usize, vertex: usize) -> f64 {
    // What turns the joint above all carries every vertex alike, whatever its weights.
    if joint == 0 {
        return 0.0;
    }
    let (p, h) = (position(vertex), head(joint));
    let square: f64 = (0..3).map(|i| f64::from(p[i] - h[i]).powi(2)).sum();
    let of = |degrees: f64| (2.0 * (degrees.to_radians() / 2.0).sin()).powi(2);
    let turned = 2.0 * square * 2.0 * (of(45.0) + of(90.0));
    let clip = |moment: u32| (f64::from(WAY) * f64::from(moment) / f64::from(MOMENTS - 1)).powi(2);
    turned + if joint == JOINTS.len() - 1 { (0..MOMENTS).map(clip).sum() } else { 0.0 }
}

/// Weights of some joints that sum to one and are nearest to `own`, with their error; `None` where they are not the only ones.
fn nearest(own: &[f64], of: &[f64], kept: &[usize]) -> (f64, Option<Vec<f64>>) {
    let lost = |j: &usize| !kept.contains(j);
    let mut error: f64 = (0..own.len()).filter(lost).map(|j| of[j] * own[j] * own[j]).sum();
    let missing: f64 = (0..own.len()).filter(lost).map(|j| own[j]).sum();
    let free: Vec<usize> = kept.iter().copied().filter(|j| of[*j] < 1e-9).collect();
    let mut out = vec![0.0; own.len()];
    kept.iter().for_each(|j| out[*j] = own[*j]);
    match free[..] {
        // What is missing is divided so that a further bit would cost the same everywhere.
        [] => {
            let ease: f64 = kept.iter().map(|j| 1.0 / of[*j]).sum();
            kept.iter().for_each(|j| out[*j] += missing / (of[*j] * ease));
            error += missing * missing / ease;
        }
        // A joint that moves nothing takes it for nothing.
        [one] => out[one] += missing,
        _ => return (error, None),
    }
    (error, Some(out))
}

/// The best weights of a vertex by trying every choice; `None` where another choice is nearly as good.
fn best(own: &[f64], vertex: usize, most: usize) -> Option<Vec<f64>> {
    let used: Vec<usize> = (0..own.len()).filter(|j| own[*j] > 0.0).collect();
    if used.len() <= most {
        return Some(own.to_vec());
    }
    let sum: f64 = own.iter().sum();
    let own: Vec<f64> = own.iter().map(|w| w / sum).collect();
    let of: Vec<f64> = (0..own.len()).map(|joint| motion(joint, vertex)).collect();
    let mut tried: Vec<(f64, Option<Vec<f64>>)> = Vec::new();
    for choice in 0..1_u32 << used.len() {
        if choice.count_ones() as usize == most {
            let kept: Vec<usize> = (0..used.len()).filter(|i| choice >> i & 1 == 1).map(|i| used[i]).collect();
            tried.push(nearest(&own, &of, &kept));
        }
    }
    tried.sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_clear = tried.len() < 2 || tried[1].0 > 1.01 * tried[0].0 + 1e-9;
    tried.swap_remove(0).1.filter(|_| is_clear)
}

/// What was limited lies in the first pairs.
fn in_front(what: &str, old: &Pairs, new: &Pairs, most: usize) {
    for (v, vertex) in vertices(old).iter().enumerate() {
        let own = &new.numbers[v * new.slots..(v + 1) * new.slots];
        let is_limited = dense(vertex).iter().filter(|w| **w > 0.0).count() > most;
        assert!(!is_limited || own[most..].iter().all(|n| *n == 0.0), "{what}: vertex {v} has {own:?}");
    }
}

#[test]
fn the_best_joints_are_those_of_the_least_squares() {
    least_squares(Documents::Few);
}

#[test]
#[ignore = "full: 60 documents in three containers are written three times"]
fn the_best_joints_are_those_of_the_least_squares_in_every_document() {
    least_squares(Documents::All);
}

fn least_squares(documents: Documents) {
    let (mut cases, mut clear, mut unlike_plain) = (0, 0, 0);
    for most in [1, 2, 3] {
        for case in documents.clean() {
            let before = &case.before;
            let mut doc = case.doc.clone();
            doc.add_clip();
            let own: Vec<Vec<f64>> = vertices(before).iter().map(dense).collect();
            let expected: Vec<_> = own.iter().enumerate().map(|(v, own)| best(own, v, most)).collect();
            for (own, best) in own.iter().zip(&expected).filter_map(|(own, best)| Some((own, best.as_ref()?))) {
                let used = |w: &&f64| **w > 0.0;
                if own.iter().filter(used).count() > most {
                    let plain = cut(own.clone(), most);
                    clear += 1;
                    unlike_plain += usize::from(plain.iter().zip(best).any(|(a, b)| (a - b).abs() > 0.02));
                }
            }
            let name = format!("best{most}");
            let text = most.to_string();
            let moved = Case { doc, ..case.clone() };
            for new in compare(&name, &moved, &["--limit", &text, "--best"], &Expected::Near(expected, 1e-5)) {
                in_front(&format!("{name}/{}", case.name), before, &new.pairs(0, 0).unwrap(), most);
            }
            cases += 1;
        }
    }
    // The reference decides most vertices, and seldom as the plain limit does.
    assert!(clear > 1_000 * cases / 180 && unlike_plain > clear / 2, "{clear} of {cases} documents, {unlike_plain}");
}
