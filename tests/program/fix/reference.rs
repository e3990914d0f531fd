//! A second implementation of each operation for some pairs, written from its definition: dense, slow, in double
//! precision.

use crate::fix::made::{COLUMNS, F32, JOINTS, Pairs, ROWS, VERTICES, one, position};

/// A vertex: (joint, weight) of each slot, and whether an operation has touched it.
#[derive(Clone, Debug)]
pub struct Vertex {
    pub slots: Vec<(u16, f64)>,
    pub touched: bool,
}

pub fn vertices(pairs: &Pairs) -> Vec<Vertex> {
    let value = |n: &f64| n / pairs.one();
    let slots: Vec<(u16, f64)> = pairs.joints.iter().copied().zip(pairs.numbers.iter().map(value)).collect();
    slots.chunks(pairs.slots).map(|s| Vertex { slots: s.to_vec(), touched: false }).collect()
}

fn clean(w: f64) -> f64 {
    if w.is_finite() && w > 0.0 { w } else { 0.0 }
}

/// Dense: a weight for each joint.
pub fn dense(vertex: &Vertex) -> Vec<f64> {
    let largest = vertex.slots.iter().map(|(joint, _)| usize::from(*joint) + 1).max().unwrap_or(0);
    let mut out = vec![0.0; JOINTS.len().max(largest)];
    vertex.slots.iter().for_each(|(j, w)| out[usize::from(*j)] += clean(*w));
    out
}

fn unit(mut dense: Vec<f64>) -> Vec<f64> {
    let sum: f64 = dense.iter().sum();
    if sum > 0.0 {
        dense.iter_mut().for_each(|w| *w /= sum);
    }
    dense
}

fn divide(vertex: &mut Vertex) {
    let sum: f64 = vertex.slots.iter().map(|(_, w)| clean(*w)).sum();
    for (joint, weight) in &mut vertex.slots {
        if clean(*weight) == 0.0 && *weight != 0.0 {
            *joint = 0;
        }
        *weight = if sum > 0.0 { clean(*weight) / sum } else { 0.0 };
    }
    vertex.touched = true;
}

pub fn normalise(all: &mut [Vertex], component: u32) {
    for vertex in all {
        let sum: f64 = vertex.slots.iter().map(|(_, w)| *w).sum();
        let fine = vertex.slots.iter().all(|(_, w)| *w >= 0.0)
            && (sum - 1.0).abs() < if component == F32 { 6e-8 } else { 1e-9 };
        if !fine {
            divide(vertex);
        }
    }
}

pub fn prune(all: &mut [Vertex], below: f64) {
    for vertex in all {
        let dense = dense(vertex);
        let most = dense.iter().copied().fold(0.0, f64::max);
        let first = vertex.slots.iter().find(|(j, w)| clean(*w) > 0.0 && dense[usize::from(*j)] == most).map(|s| s.0);
        let goes = |j: u16| dense[usize::from(j)] > 0.0 && dense[usize::from(j)] < below && Some(j) != first;
        if vertex.slots.iter().any(|(j, w)| clean(*w) > 0.0 && goes(*j)) {
            vertex.slots.iter_mut().filter(|(j, w)| *w != 0.0 && goes(*j)).for_each(|s| *s = (0, 0.0));
            divide(vertex);
        }
    }
}

pub fn limit(all: &mut [Vertex], most: usize) {
    for vertex in all {
        let weights = dense(vertex);
        let mut joints: Vec<u16> = Vec::new();
        for (joint, weight) in &vertex.slots {
            if clean(*weight) > 0.0 && !joints.contains(joint) {
                joints.push(*joint);
            }
        }
        if joints.len() <= most && vertex.slots[most.min(vertex.slots.len())..].iter().all(|(_, w)| clean(*w) == 0.0) {
            continue;
        }
        while joints.len() > most {
            // The least goes; of equal ones the later.
            let mut least = 0;
            for i in 1..joints.len() {
                if weights[usize::from(joints[i])] <= weights[usize::from(joints[least])] {
                    least = i;
                }
            }
            joints.remove(least);
        }
        vertex.slots.fill((0, 0.0));
        for (slot, joint) in vertex.slots.iter_mut().zip(joints) {
            *slot = (joint, weights[usize::from(joint)]);
        }
        divide(vertex);
    }
}

fn edges() -> Vec<(usize, usize)> {
    let at = |c: usize, r: usize| r * COLUMNS + c;
    let mut out = Vec::new();
    for r in 0..ROWS {
        for c in 0..COLUMNS {
            if c + 1 < COLUMNS {
                out.push((at(c, r), at(c + 1, r)));
            }
            if r + 1 < ROWS {
                out.push((at(c, r), at(c, r + 1)));
            }
            if c + 1 < COLUMNS && r + 1 < ROWS {
                out.push((at(c + 1, r), at(c, r + 1)));
            }
        }
    }
    out
}

fn distance(a: usize, b: usize) -> f64 {
    let (a, b) = (position(a), position(b));
    (0..3).map(|i| f64::from(a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// For each vertex without weights: all vertices whose weights it may take.
pub fn nearest_good(all: &[Vertex]) -> Vec<(usize, Vec<usize>)> {
    let mut far = vec![vec![f64::INFINITY; VERTICES]; VERTICES];
    (0..VERTICES).for_each(|v| far[v][v] = 0.0);
    for (a, b) in edges() {
        far[a][b] = distance(a, b);
        far[b][a] = distance(a, b);
    }
    for k in 0..VERTICES {
        for i in 0..VERTICES {
            for j in 0..VERTICES {
                far[i][j] = far[i][j].min(far[i][k] + far[k][j]);
            }
        }
    }
    let sum = |v: usize| dense(&all[v]).iter().sum::<f64>();
    let bad = (0..VERTICES).filter(|v| sum(*v) == 0.0);
    bad.map(|v| {
        let good: Vec<usize> = (0..VERTICES).filter(|g| sum(*g) > 0.0).collect();
        let least = good.iter().map(|g| far[v][*g]).fold(f64::INFINITY, f64::min);
        (v, good.into_iter().filter(|g| far[v][*g] < least + 1e-12).collect())
    })
    .collect()
}

/// The joints and weights after smoothing, dense; not cut.
pub fn smooth(all: &[Vertex], times: usize) -> Vec<Vec<f64>> {
    let mut now: Vec<Vec<f64>> = all.iter().map(|v| unit(dense(v))).collect();
    let mut near = vec![Vec::new(); VERTICES];
    for (a, b) in edges() {
        near[a].push(b);
        near[b].push(a);
    }
    for _ in 0..times {
        let step = |v: usize| {
            let mean = |j: usize| near[v].iter().map(|n| now[*n][j]).sum::<f64>() / near[v].len() as f64;
            (0..JOINTS.len()).map(|j| 0.5 * now[v][j] + 0.5 * mean(j)).collect()
        };
        now = (0..VERTICES).map(step).collect();
    }
    now
}

/// The same for the largest `slots` joints of each vertex, normalised.
pub fn cut(mut dense: Vec<f64>, slots: usize) -> Vec<f64> {
    while dense.iter().filter(|w| **w > 0.0).count() > slots {
        let least =
            (0..dense.len()).filter(|j| dense[*j] > 0.0).min_by(|a, b| dense[*a].total_cmp(&dense[*b])).unwrap();
        dense[least] = 0.0;
    }
    unit(dense)
}

pub fn partner(joint: usize) -> usize {
    let other = match JOINTS[joint].strip_suffix(".L") {
        Some(stem) => format!("{stem}.R"),
        None => JOINTS[joint].strip_suffix(".R").map_or(JOINTS[joint].to_owned(), |stem| format!("{stem}.L")),
    };
    JOINTS.iter().position(|j| *j == other).unwrap()
}

/// The weights after mirroring across x = 0, dense.
pub fn mirror(all: &[Vertex], from_negative: bool) -> Vec<Vec<f64>> {
    mirror_by(all, from_negative, &partner)
}

/// The same with other partners than those of the names.
pub fn mirror_by(all: &[Vertex], from_negative: bool, partner: &dyn Fn(usize) -> usize) -> Vec<Vec<f64>> {
    let own: Vec<Vec<f64>> = all.iter().map(|v| unit(dense(v))).collect();
    let across = |w: &[f64]| (0..JOINTS.len()).map(|j| w[partner(j)]).collect::<Vec<f64>>();
    let of = |v: usize| {
        let (column, row) = (v % COLUMNS, v / COLUMNS);
        let image = row * COLUMNS + COLUMNS - 1 - column;
        let is_negative = column < COLUMNS / 2;
        if image == v {
            let other = across(&own[v]);
            own[v].iter().zip(other).map(|(a, b)| (a + b) / 2.0).collect()
        } else if is_negative == from_negative {
            own[v].clone()
        } else {
            across(&own[image])
        }
    };
    (0..VERTICES).map(of).collect()
}

/// What is stored of some vertices: integers of those that were touched sum to one by the largest remainder.
pub fn store(all: &[Vertex], slots: usize, component: u32) -> Pairs {
    let mut out = Pairs { slots, component, joints: Vec::new(), numbers: Vec::new() };
    for vertex in all {
        let sum: f64 = vertex.slots.iter().map(|(_, w)| clean(*w)).sum();
        let mut numbers: Vec<f64> = vertex.slots.iter().map(|(_, w)| *w * one(component)).collect();
        let mut joints: Vec<u16> = vertex.slots.iter().map(|s| s.0).collect();
        if component == F32 {
            numbers.iter_mut().for_each(|n| *n = f64::from(*n as f32));
        } else if vertex.touched && sum > 0.0 {
            let quota: Vec<f64> = vertex.slots.iter().map(|(_, w)| clean(*w) / sum * one(component)).collect();
            numbers = quota.iter().map(|q| q.floor()).collect();
            let mut left = one(component) - numbers.iter().sum::<f64>();
            let mut order: Vec<usize> = (0..slots).filter(|s| quota[*s] > 0.0).collect();
            order.sort_by(|a, b| {
                let rest = |s: usize| (quota[s].fract() * 1e8).round();
                rest(*b).total_cmp(&rest(*a)).then(a.cmp(b))
            });
            for slot in order {
                if left > 0.5 {
                    numbers[slot] += 1.0;
                    left -= 1.0;
                }
            }
            for slot in 0..slots {
                if numbers[slot] == 0.0 && vertex.slots[slot].1 > 0.0 {
                    joints[slot] = 0;
                }
            }
        } else {
            numbers.iter_mut().for_each(|n| *n = n.round());
        }
        out.joints.extend(joints);
        out.numbers.extend(numbers);
    }
    out
}
