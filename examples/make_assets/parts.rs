//! What the head wears: a visor, two eyes, two ear pods. Each is a closed surface of its own, moved by the head alone.

use glam::{Vec3, vec3};

use crate::body::{HEAD, HEAD_RADII, head};
use crate::mesh::{Face, Mesh, Paint};
use crate::sdf::{Solid, blend_intersection, ellipsoid, project};
use crate::skeleton::{Skeleton, flip};

/// All parts, coarse.
pub fn build(skeleton: &Skeleton) -> Vec<Mesh> {
    vec![
        visor_cage(skeleton),
        block(skeleton, eye, EYE, EYE_RADII, Paint::Eyes),
        block(skeleton, ear, EAR, EAR_RADII, Paint::Accent),
    ]
}

/// Middle of the visor's outline, seen from the front.
const VISOR: Vec3 = vec3(0.0, 1.503, 0.0);
/// Half its width and height.
const VISOR_HALF: [f32; 2] = [0.116, 0.066];
/// How far it stands out from the head.
const VISOR_RISE: f32 = 0.0055;

/// A pane that follows the head, its outline a rounded rectangle.
fn visor(p: Vec3) -> f32 {
    let skin = head(p);
    let pane = (skin - VISOR_RISE).max(-skin - 0.014);
    let (x, y) = ((p.x / VISOR_HALF[0]).abs(), ((p.y - VISOR.y) / VISOR_HALF[1]).abs());
    let outline = ((x.powi(4) + y.powi(4)).powf(0.25) - 1.0) * VISOR_HALF[1];
    blend_intersection(blend_intersection(pane, outline, 0.010), 0.03 - p.z, 0.01)
}

const EYE: Vec3 = vec3(0.044, 1.506, 0.145);
const EYE_RADII: Vec3 = vec3(0.0155, 0.0250, 0.0085);

fn eye(p: Vec3) -> f32 {
    ellipsoid(if p.x < 0.0 { flip(p) } else { p }, EYE, EYE_RADII)
}

const EAR: Vec3 = vec3(HEAD_RADII.x - 0.006, HEAD.y - 0.004, -0.004);
const EAR_RADII: Vec3 = vec3(0.022, 0.043, 0.043);

fn ear(p: Vec3) -> f32 {
    ellipsoid(if p.x < 0.0 { flip(p) } else { p }, EAR, EAR_RADII)
}

/// A box around `center` that becomes the solid when it is refined.
fn block(skeleton: &Skeleton, solid: Solid, center: Vec3, half: Vec3, paint: Paint) -> Mesh {
    let corner = |i: usize| {
        let sign = |bit: usize| if i & bit == 0 { -0.6 } else { 0.6 };
        project(solid, center + half * vec3(sign(1), sign(2), sign(4)))
    };
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let faces = faces.map(|corners| Face { corners, paint }).to_vec();
    Mesh::from_left(skeleton, solid, (0..8).map(corner).collect(), vec![on_head(skeleton); 8], faces)
}

fn visor_cage(skeleton: &Skeleton) -> Mesh {
    const COLUMNS: usize = 3;
    const ROWS: usize = 3;
    let mut positions = Vec::new();
    for depth in [VISOR_RISE, -0.014] {
        for row in 0..=ROWS {
            for column in 0..=COLUMNS {
                let u = 0.92 * column as f32 / COLUMNS as f32;
                let v = 0.88 * (2.0 * row as f32 / ROWS as f32 - 1.0);
                positions.push(on_face(u * VISOR_HALF[0], VISOR.y + v * VISOR_HALF[1], depth));
            }
        }
    }
    let at = |sheet: usize, row: usize, column: usize| (sheet * (ROWS + 1) + row) * (COLUMNS + 1) + column;
    let mut faces = Vec::new();
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let quad = |s: usize| {
                [at(s, row, column), at(s, row, column + 1), at(s, row + 1, column + 1), at(s, row + 1, column)]
            };
            let [a, b, c, d] = quad(1);
            faces.extend([quad(0), [a, d, c, b]]);
        }
        faces.push([at(0, row, COLUMNS), at(1, row, COLUMNS), at(1, row + 1, COLUMNS), at(0, row + 1, COLUMNS)]);
    }
    for column in 0..COLUMNS {
        let (low, high) = (0, ROWS);
        faces.push([at(0, low, column), at(1, low, column), at(1, low, column + 1), at(0, low, column + 1)]);
        faces.push([at(0, high, column), at(0, high, column + 1), at(1, high, column + 1), at(1, high, column)]);
    }
    let faces = faces.into_iter().map(|corners| Face { corners, paint: Paint::Visor }).collect();
    let weights = vec![on_head(skeleton); positions.len()];
    Mesh::from_left(skeleton, visor, positions, weights, faces)
}

/// The point of the face at `x`, `y`, that far above the skin.
fn on_face(x: f32, y: f32, above: f32) -> Vec3 {
    let mut z = HEAD.z + HEAD_RADII.z + 0.05;
    for _ in 0..48 {
        z -= head(vec3(x, y, z)) - above;
    }
    vec3(x, y, z)
}

fn on_head(skeleton: &Skeleton) -> Vec<f32> {
    let mut weights = vec![0.0; skeleton.joints.len()];
    weights[skeleton.id("Head")] = 1.0;
    weights
}
