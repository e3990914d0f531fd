//! What the character wears: a visor, two eyes, two ear pods, a lamp in its ring. Each is a closed surface of its own,
//! moved by one joint alone.

use glam::{Quat, Vec3, vec3};

use crate::body::{HEAD, HEAD_RADII, head};
use crate::mesh::{Face, Mesh, Paint, Weights};
use crate::sdf::{Solid, blend_intersection, rounded_cylinder};
use crate::skeleton::{Skeleton, flip};

/// All parts, coarse, and how often to refine each.
pub fn build(skeleton: &Skeleton) -> Vec<(Mesh, usize)> {
    vec![
        (visor_cage(skeleton), 2),
        (block(only(skeleton, "Eyes"), skeleton, eye, (EYE, EYE_RADII, EYE_TURN), Paint::Light), 3),
        (block(only(skeleton, "UpperChest"), skeleton, lamp, (LAMP, LAMP_RADII, 0.0), Paint::Light), 3),
        (block(only(skeleton, "UpperChest"), skeleton, bezel, (LAMP, BEZEL_RADII, 0.0), Paint::Visor), 2),
        (block(only(skeleton, "Head"), skeleton, ear, (EAR, EAR_RADII, 0.0), Paint::Accent), 3),
    ]
}

/// Middle of the visor's outline, seen from the front.
const VISOR: Vec3 = vec3(0.0, 1.503, 0.0);
/// Half its width and height.
const VISOR_HALF: [f32; 2] = [0.118, 0.067];
/// How far it stands out from the head, and how deep it is set into it.
const VISOR_DEPTHS: [f32; 2] = [0.006, -0.014];

/// A pane that follows the head, its outline a rounded rectangle.
fn visor(p: Vec3) -> f32 {
    let skin = head(p);
    let pane = (skin - VISOR_DEPTHS[0]).max(VISOR_DEPTHS[1] - skin);
    let (x, y) = ((p.x / VISOR_HALF[0]).abs(), ((p.y - VISOR.y) / VISOR_HALF[1]).abs());
    let outline = ((x.powi(4) + y.powi(4)).powf(0.25) - 1.0) * VISOR_HALF[1];
    blend_intersection(pane, outline, 0.008)
}

/// On the visor, turned as it is there.
const EYE: Vec3 = vec3(0.047, 1.505, 0.1460);
const EYE_RADII: Vec3 = vec3(0.0175, 0.0280, 0.0065);
const EYE_TURN: f32 = 0.31;

fn eye(p: Vec3) -> f32 {
    let p = if p.x < 0.0 { flip(p) } else { p };
    let p = Quat::from_rotation_y(-EYE_TURN) * (p - EYE);
    // A button as round as it is high, then made narrower.
    let depth = Vec3::Z * EYE_RADII.z;
    rounded_cylinder(p * vec3(EYE_RADII.y / EYE_RADII.x, 1.0, 1.0), -depth, depth, EYE_RADII.y, 0.006)
}

const EAR: Vec3 = vec3(HEAD_RADII.x - 0.006, HEAD.y - 0.004, -0.004);
const EAR_RADII: Vec3 = vec3(0.018, 0.040, 0.040);

fn ear(p: Vec3) -> f32 {
    let p = if p.x < 0.0 { flip(p) } else { p };
    rounded_cylinder(p, EAR - Vec3::X * EAR_RADII.x, EAR + Vec3::X * EAR_RADII.x, EAR_RADII.y, 0.009)
}

/// A lamp on the breastbone, and the ring it is set in.
const LAMP: Vec3 = vec3(0.0, 1.185, 0.1060);
const LAMP_RADII: Vec3 = vec3(0.021, 0.021, 0.0085);
const BEZEL_RADII: Vec3 = vec3(0.032, 0.032, 0.0060);
/// The chest leans back there, radians.
const LAMP_LEAN: f32 = 0.16;

fn lamp(p: Vec3) -> f32 {
    button(Quat::from_rotation_x(LAMP_LEAN) * (p - LAMP), LAMP_RADII)
}

fn bezel(p: Vec3) -> f32 {
    button(Quat::from_rotation_x(LAMP_LEAN) * (p - LAMP), BEZEL_RADII)
}

/// A flat round button that faces Z.
fn button(p: Vec3, radii: Vec3) -> f32 {
    rounded_cylinder(p, Vec3::Z * -radii.z, Vec3::Z * radii.z, radii.y, 0.005)
}

/// A box (center, half extents, turn about Y) that becomes the solid when it is refined.
fn block(
    weights: Weights,
    skeleton: &Skeleton,
    solid: Solid,
    (center, half, turn): (Vec3, Vec3, f32),
    paint: Paint,
) -> Mesh {
    // Refinement draws corners in: they start outside.
    const REACH: f32 = 1.3;
    // In the middle the box is cut in half, and open where it was cut.
    let middle = center.x == 0.0;
    let corner = |i: usize| {
        let low = |bit: usize| if bit == 1 && middle { 0.0 } else { -REACH };
        let sign = |bit: usize| if i & bit == 0 { low(bit) } else { REACH };
        center + Quat::from_rotation_y(turn) * (half * vec3(sign(1), sign(2), sign(4)))
    };
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let faces = faces[usize::from(middle)..].iter().map(|corners| Face { corners: *corners, paint }).collect();
    Mesh::from_left(skeleton, solid, (0..8).map(corner).collect(), vec![weights; 8], faces)
}

/// Two sheets of quads, one above the skin and one below, and a rim of two rows between them.
fn visor_cage(skeleton: &Skeleton) -> Mesh {
    const COLUMNS: usize = 3;
    const ROWS: usize = 2;
    let mut positions = Vec::new();
    let mut sheet = |reach: f32, depth: f32| -> Vec<Vec<usize>> {
        let mut point = |row: usize, column: usize| {
            // A square becomes a rounded one, so that corners do not bunch up.
            let (u, v) = (column as f32 / COLUMNS as f32, 2.0 * row as f32 / ROWS as f32 - 1.0);
            let round = 1.0 - 0.16 * u.powi(2) * v.powi(2);
            let (x, y) = (u * round * reach * VISOR_HALF[0], VISOR.y + v * round * reach * VISOR_HALF[1]);
            positions.push(on_face(x, y, depth));
            positions.len() - 1
        };
        (0..=ROWS).map(|row| (0..=COLUMNS).map(|column| point(row, column)).collect()).collect()
    };
    let sheets = [sheet(0.93, VISOR_DEPTHS[0]), sheet(1.0, 0.0), sheet(0.96, VISOR_DEPTHS[1])];
    let mut faces = Vec::new();
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let [front, _, back] = &sheets;
            let quad =
                |s: &[Vec<usize>]| [s[row][column], s[row][column + 1], s[row + 1][column + 1], s[row + 1][column]];
            let [a, b, c, d] = quad(back);
            faces.extend([quad(front), [a, d, c, b]]);
        }
    }
    let border = |s: &[Vec<usize>]| -> Vec<usize> {
        let low = s[0].iter().copied();
        let side = s[1..ROWS].iter().map(|row| row[COLUMNS]);
        low.chain(side).chain(s[ROWS].iter().rev().copied()).collect()
    };
    for pair in sheets.windows(2) {
        let (front, back) = (border(&pair[0]), border(&pair[1]));
        faces.extend((1..front.len()).map(|k| [front[k - 1], back[k - 1], back[k], front[k]]));
    }
    // Only the border of the middle sheet is used.
    let mut index = vec![usize::MAX; positions.len()];
    let mut kept = Vec::new();
    for v in faces.iter_mut().flatten() {
        if index[*v] == usize::MAX {
            index[*v] = kept.len();
            kept.push(positions[*v]);
        }
        *v = index[*v];
    }
    let faces = faces.into_iter().map(|corners| Face { corners, paint: Paint::Visor }).collect();
    let weights = vec![only(skeleton, "Head"); kept.len()];
    Mesh::from_left(skeleton, visor, kept, weights, faces)
}

/// The point of the face at `x`, `y`, that far above the skin.
fn on_face(x: f32, y: f32, above: f32) -> Vec3 {
    let mut z = HEAD.z + HEAD_RADII.z + 0.05;
    for _ in 0..48 {
        z -= head(vec3(x, y, z)) - above;
    }
    vec3(x, y, z)
}

/// The whole weight on one joint.
fn only(skeleton: &Skeleton, name: &str) -> Weights {
    let mut weights = vec![0.0; skeleton.joints.len()];
    weights[skeleton.id(name)] = 1.0;
    weights
}
