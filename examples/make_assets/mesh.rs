//! A quad mesh with weights, of which only the left half's faces are stored, and its refinement: Catmull–Clark, then
//! relaxation on the solid. Mirror symmetry is exact by construction: the right side is always copied from the left.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::sdf::{Solid, gradient, project};
use crate::skeleton::{Skeleton, flip};

/// A weight for each joint of the skeleton.
pub type Weights = Vec<f32>;

/// Where a face belongs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Paint {
    Shell,
    Accent,
    Joint,
    Visor,
    Light,
}

/// A quad, counter-clockwise seen from outside.
#[derive(Clone, Copy)]
pub struct Face {
    pub corners: [usize; 4],
    pub paint: Paint,
}

/// Vertices of both sides, faces of the left one.
pub struct Mesh {
    /// The surface the vertices belong on; mirror-symmetric.
    pub solid: Solid,
    pub positions: Vec<Vec3>,
    pub weights: Vec<Weights>,
    /// The vertex on the other side; itself on the middle plane.
    pub mirror: Vec<usize>,
    /// Left faces only.
    pub faces: Vec<Face>,
}

impl Mesh {
    /// Adds the right side to a left one. Vertices with x = 0 belong to both.
    pub fn from_left(
        skeleton: &Skeleton,
        solid: Solid,
        positions: Vec<Vec3>,
        weights: Vec<Weights>,
        faces: Vec<Face>,
    ) -> Self {
        let left = positions.len();
        let mut mesh = Self { solid, positions, weights, mirror: (0..left).collect(), faces };
        for v in 0..left {
            if mesh.positions[v].x != 0.0 {
                mesh.mirror[v] = mesh.positions.len();
                mesh.mirror.push(v);
                mesh.positions.push(flip(mesh.positions[v]));
                mesh.weights.push(mesh.weights[v].clone());
            }
        }
        mesh.symmetrise(skeleton);
        mesh
    }

    /// Faces of both sides: the right ones follow the left ones in the same order.
    pub fn all_faces(&self) -> impl Iterator<Item = Face> + '_ {
        let left = self.faces.iter().copied();
        left.chain(self.faces.iter().map(|f| {
            let [a, b, c, d] = f.corners.map(|v| self.mirror[v]);
            Face { corners: [a, d, c, b], paint: f.paint }
        }))
    }

    /// Copies the left side to the right one.
    pub fn symmetrise(&mut self, skeleton: &Skeleton) {
        let left: Vec<usize> = self.left_vertices().collect();
        for v in left {
            let m = self.mirror[v];
            if m == v {
                self.positions[v].x = 0.0;
                for (j, joint) in skeleton.joints.iter().enumerate().filter(|(j, joint)| *j < joint.mirror) {
                    let mean = 0.5 * (self.weights[v][j] + self.weights[v][joint.mirror]);
                    self.weights[v][j] = mean;
                    self.weights[v][joint.mirror] = mean;
                }
            } else {
                self.positions[m] = flip(self.positions[v]);
                self.weights[m] = skeleton.joints.iter().map(|joint| self.weights[v][joint.mirror]).collect();
            }
        }
    }

    /// Vertices of the stored faces, each once.
    fn left_vertices(&self) -> impl Iterator<Item = usize> + use<> {
        let mut used = vec![false; self.positions.len()];
        for v in self.faces.iter().flat_map(|f| f.corners) {
            used[v] = true;
        }
        used.into_iter().enumerate().filter_map(|(v, used)| used.then_some(v))
    }

    /// One step of Catmull & Clark 1978 on positions and weights alike: the surface has no border, so only its inner rules.
    pub fn subdivide(&self, skeleton: &Skeleton) -> Self {
        let faces: Vec<Face> = self.all_faces().collect();
        let n = self.positions.len();
        let values: Vec<Value> =
            self.positions.iter().zip(&self.weights).map(|(p, w)| Value { position: *p, weights: w.clone() }).collect();
        let face_points: Vec<Value> = faces.iter().map(|f| mean(f.corners.iter().map(|v| &values[*v]))).collect();
        let mut edges: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (f, face) in faces.iter().enumerate() {
            for edge in sides(face.corners) {
                edges.entry(edge).or_default().push(f);
            }
        }
        let edge_index: BTreeMap<(usize, usize), usize> =
            edges.keys().enumerate().map(|(i, e)| (*e, n + faces.len() + i)).collect();
        let edge_points = edges.iter().map(|((a, b), around)| {
            mean([&values[*a], &values[*b]].into_iter().chain(around.iter().map(|f| &face_points[*f])))
        });
        let edge_points: Vec<Value> = edge_points.collect();

        let mut around: Vec<(Value, Value, f32)> = vec![(Value::zero(self), Value::zero(self), 0.0); n];
        for (f, face) in faces.iter().enumerate() {
            for v in face.corners {
                around[v].0.add(&face_points[f], 1.0);
            }
        }
        for (a, b) in edges.keys() {
            for (v, other) in [(*a, *b), (*b, *a)] {
                around[v].1.add(&values[other], 0.5);
                around[v].1.add(&values[v], 0.5);
                around[v].2 += 1.0;
            }
        }
        let vertex_points = values.iter().zip(&around).map(|(v, (faces, middles, valence))| {
            let mut out = Value::zero(self);
            out.add(faces, 1.0 / (valence * valence));
            out.add(middles, 2.0 / (valence * valence));
            out.add(v, (valence - 3.0) / valence);
            out
        });
        let all: Vec<Value> = vertex_points.chain(face_points.iter().cloned()).chain(edge_points).collect();

        let half = self.faces.len();
        let edge = |a: usize, b: usize| edge_index[&(a.min(b), a.max(b))];
        let mut mirror = self.mirror.clone();
        mirror.extend((0..2 * half).map(|f| n + (f + half) % (2 * half)));
        mirror.extend(edges.keys().map(|(a, b)| edge(self.mirror[*a], self.mirror[*b])));
        let split = self.faces.iter().enumerate().flat_map(|(f, face)| {
            let c = face.corners;
            [0, 1, 2, 3].map(|k| {
                let (before, here, after) = (c[(k + 3) % 4], c[k], c[(k + 1) % 4]);
                Face { corners: [here, edge(here, after), n + f, edge(before, here)], paint: face.paint }
            })
        });
        let faces = split.collect();
        let (positions, weights) = all.into_iter().map(|v| (v.position, v.weights)).unzip();
        let mut out = Self { solid: self.solid, positions, weights, mirror, faces };
        out.symmetrise(skeleton);
        out
    }

    /// Moves every vertex onto the solid.
    pub fn project(&mut self, skeleton: &Skeleton) {
        for v in self.left_vertices() {
            self.positions[v] = project(self.solid, self.positions[v]);
        }
        self.symmetrise(skeleton);
    }

    /// Evens out the spacing: each vertex moves `rate` of the way to the mean of its neighbours, within the surface.
    pub fn relax(&mut self, skeleton: &Skeleton, rate: f32) {
        let mut sums = vec![(Vec3::ZERO, 0.0); self.positions.len()];
        for face in self.all_faces() {
            // Every edge has two faces, so each neighbour counts twice.
            for (a, b) in sides(face.corners) {
                sums[a] = (sums[a].0 + self.positions[b], sums[a].1 + 1.0);
                sums[b] = (sums[b].0 + self.positions[a], sums[b].1 + 1.0);
            }
        }
        for v in self.left_vertices() {
            let p = self.positions[v];
            let normal = gradient(self.solid, p).normalize_or_zero();
            let toward = sums[v].0 / sums[v].1 - p;
            self.positions[v] = p + (toward - normal * toward.dot(normal)) * rate;
        }
        self.project(skeleton);
    }
}

/// The four edges of a quad, lower vertex first.
fn sides(c: [usize; 4]) -> [(usize, usize); 4] {
    [0, 1, 2, 3].map(|k| {
        let (a, b) = (c[k], c[(k + 1) % 4]);
        (a.min(b), a.max(b))
    })
}

/// What subdivision averages.
#[derive(Clone)]
struct Value {
    position: Vec3,
    weights: Weights,
}

impl Value {
    fn zero(mesh: &Mesh) -> Self {
        Self { position: Vec3::ZERO, weights: vec![0.0; mesh.weights[0].len()] }
    }

    fn add(&mut self, other: &Self, factor: f32) {
        self.position += other.position * factor;
        for (w, o) in self.weights.iter_mut().zip(&other.weights) {
            *w += o * factor;
        }
    }
}

fn mean<'a>(values: impl Iterator<Item = &'a Value>) -> Value {
    let all: Vec<&Value> = values.collect();
    let mut out = Value { position: Vec3::ZERO, weights: vec![0.0; all[0].weights.len()] };
    for v in &all {
        out.add(v, 1.0 / all.len() as f32);
    }
    out
}
