//! Both surfaces of [`super::subdivided_cage`] once more, as sums over triangles.

use std::collections::HashMap;

use glam::DVec3;
use skinscope_model::InstanceId;

use super::subdivided_cage::*;
use super::{Moment, Settings};

/// Loop's rule once more, as sums over triangles: each gives its shares to the vertices on its edges and at its corners. The first
/// three numbers of a vertex are its position at rest.
fn subdivided(vertices: &[[f64; 7]], triangles: &[[usize; 3]]) -> (Vec<[f64; 7]>, Vec<[usize; 3]>) {
    let add = |to: &mut [f64; 7], what: &[f64; 7], share: f64| (0..7).for_each(|i| to[i] += what[i] * share);
    let mut valence = vec![0.0; vertices.len()];
    triangles.iter().flatten().for_each(|v| valence[*v] += 1.0);
    let beta = |v: usize| {
        let n: f64 = valence[v];
        (0.625 - (0.375 + 0.25 * (2.0 * std::f64::consts::PI / n).cos()).powi(2)) / n
    };
    let mut out: Vec<[f64; 7]> =
        (0..vertices.len()).map(|v| vertices[v].map(|x| x * (1.0 - valence[v] * beta(v)))).collect();
    let mut middles: HashMap<[usize; 2], usize> = HashMap::new();
    let mut finer = Vec::new();
    for t in triangles {
        let mut middle = [0; 3];
        for i in 0..3 {
            let [a, b, c] = [t[i], t[(i + 1) % 3], t[(i + 2) % 3]];
            // Both triangles beside an edge see each neighbour.
            let neighbours = [vertices[b], vertices[c]];
            neighbours.iter().for_each(|v| add(&mut out[a], v, 0.5 * beta(a)));
            let at = *middles.entry([a.min(b), a.max(b)]).or_insert(out.len());
            if at == out.len() {
                out.push([0.0; 7]);
            }
            add(&mut out[at], &vertices[a], 3.0 / 16.0);
            add(&mut out[at], &vertices[b], 3.0 / 16.0);
            add(&mut out[at], &vertices[c], 1.0 / 8.0);
            middle[i] = at;
        }
        let [ab, bc, ca] = middle;
        finer.extend([[t[0], ab, ca], [t[1], bc, ab], [t[2], ca, bc], [ab, bc, ca]]);
    }
    (out, finer)
}

#[test]
fn both_surfaces_are_those_of_sums_over_triangles() {
    let first = Moment::new(Settings::of(SUBDIVIDED_CAGE.example()));
    for degrees in (0..=150).step_by(15) {
        let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
        // About the joint, to the right.
        let turned = |[x, y, z]: [f64; 3]| [x * cos + (y - 1.0) * sin, 1.0 - x * sin + (y - 1.0) * cos, z];
        let blended = |v: [f64; 3], w: f64| std::array::from_fn(|i| v[i] * (1.0 - w) + turned(v)[i] * w);
        let mut vertices: Vec<[f64; 7]> = Vec::new();
        for i in 0..20 {
            let (ring, angle) = (f64::from(i / 4), f64::from(i % 4) * std::f64::consts::FRAC_PI_2);
            let rest = [0.42 * angle.sin(), 0.5 * ring, 0.42 * angle.cos()];
            let share = (ring - 1.0).clamp(0.0, 2.0) / 2.0;
            let [x, y, z]: [f64; 3] = blended(rest, share);
            vertices.push([rest[0], rest[1], rest[2], share, x, y, z]);
        }
        let mut triangles: Vec<[usize; 3]> =
            cage_indices().as_chunks::<3>().0.iter().map(|t| t.map(|v| v as usize)).collect();
        for n in 1..=MOST {
            (vertices, triangles) = subdivided(&vertices, &triangles);
            let moment = first.with("n", n as f32).with("phi", degrees as f32);
            assert_eq!(vertices.len(), 18 * 4_usize.pow(n as u32) + 2);
            assert_eq!(level(&moment).vertex_count(), vertices.len());
            let mut largest = 0.0_f64;
            for i in 0..vertices.len() {
                let rest = moment.stored_vertex(AFTER, i);
                let of = |v: &&[f64; 7]| (DVec3::new(v[0], v[1], v[2]) - rest).length() < 1e-5;
                let v = vertices.iter().find(of).unwrap();
                let wanted = [blended([v[0], v[1], v[2]], v[3]), [v[4], v[5], v[6]]].map(DVec3::from);
                let got = both_positions(&moment, i);
                for (wanted, got) in wanted.iter().zip(got) {
                    assert!(wanted.distance(got) < 2e-6, "{n} {degrees}° vertex {i}: {wanted} {got}");
                }
                largest = largest.max(wanted[0].distance(wanted[1]));
            }
            assert!((distance(&moment) - largest).abs() < 4e-6, "{n} {degrees}°: {largest}");
            assert!(degrees > 0 || distance(&moment) < 1e-6, "at rest both are the same");
        }
    }
}

/// The normals of both arms: those of the skinned surface by the cofactors of the blended matrix, those of the cage's shapes blended as its
/// positions are. Where all that is around a vertex follows one joint, they are those of the deformed triangles.
#[test]
fn normals_are_blended_as_positions_are() {
    let first = Moment::new(Settings::of(SUBDIVIDED_CAGE.example()));
    for (n, degrees) in [(1.0, 0.0), (2.0, 40.0), (3.0, 110.0), (3.0, 150.0)] {
        let moment = first.with("n", n).with("phi", degrees);
        let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
        for instance in [FIRST, AFTER] {
            let mesh = moment.model().instances[instance].mesh;
            let stored = &moment.model().meshes[mesh.index()].primitives[0];
            let deformed = &moment.surface("linear").part(InstanceId::from_index(instance), 0).unwrap().deformed;
            // From the positions: the right arm says by its own shapes how much each vertex leans.
            let influences = moment.model().meshes[moment.model().instances[FIRST].mesh.index()].primitives[0]
                .stored_influences
                .as_ref()
                .unwrap();
            let share = |v: usize| {
                let (joints, weights) = influences.of(v);
                joints.iter().zip(weights).filter(|(j, _)| **j == 1).map(|(_, w)| f64::from(*w)).sum::<f64>()
            };
            let mut around = vec![DVec3::ZERO; stored.positions.len()];
            let mut is_rigid = vec![true; stored.positions.len()];
            for t in stored.indices.as_chunks::<3>().0 {
                let [a, b, c] = t.map(|v| deformed.positions[v as usize].as_dvec3());
                let shares = t.map(|v| share(v as usize));
                for v in t {
                    around[*v as usize] += (b - a).cross(c - a);
                    is_rigid[*v as usize] &= shares.iter().all(|w| *w < 1e-6) || shares.iter().all(|w| *w > 1.0 - 1e-6);
                }
            }
            let (mut turned_ones, mut rigid_ones) = (0, 0);
            for v in 0..stored.positions.len() {
                let (rest, w) = (stored.normals[v].as_dvec3(), share(v));
                // The blended matrix turns x and y into each other and stretches both; its cofactors leave x and y, and stretch z twice.
                let (a, b) = (1.0 - w + w * cos, w * sin);
                let along = if instance == FIRST { a * a + b * b } else { 1.0 };
                let wanted = DVec3::new(a * rest.x + b * rest.y, a * rest.y - b * rest.x, along * rest.z).normalize();
                let got = deformed.normals[v].as_dvec3();
                assert!(wanted.distance(got) < 2e-5, "{n} {degrees}° {instance} vertex {v}: {wanted} {got}");
                turned_ones += usize::from(w > 0.9);
                if is_rigid[v] {
                    rigid_ones += 1;
                    assert!(around[v].normalize().distance(got) < 2e-3, "{n} {degrees}° {instance} vertex {v}: {got}");
                }
            }
            assert!(turned_ones > 4 && (n < 2.0 || rigid_ones > 10), "{turned_ones} {rigid_ones}");
        }
    }
}
