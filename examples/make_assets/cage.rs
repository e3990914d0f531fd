//! The coarse cage of the left half: rings of quads around spine, arm, leg and fingers, cast onto the solid, each with its
//! weights. Subdivision turns both into smooth ones, so a seam of weights is as wide as the rings around a joint.
//!
//! ```text
//!        head          half rings of 7: front (x = 0) … side … back (x = 0)
//!       /neck\
//!  arm = torso         the arm starts from a hole of 8 in the torso's side
//!       |crotch        a half ring of 7 and one vertex between the legs make the leg's ring of 8
//!       leg
//!       foot
//! ```

use glam::{Quat, Vec3, vec3};

use crate::body::{HEAD, body};
use crate::mesh::{Face, Mesh, Paint, Weights};
use crate::sdf::{cast, project};
use crate::skeleton::{SHOULDER, Skeleton, arm_point, arm_rotation};

/// Joint names and weights of a ring.
type Share<'a> = &'a [(&'a str, f32)];

/// Upper edge of the band around the waist.
const WAIST: f32 = 1.040;

struct Cage<'a> {
    skeleton: &'a Skeleton,
    positions: Vec<Vec3>,
    weights: Vec<Weights>,
    faces: Vec<Face>,
}

/// The whole cage, both sides.
pub fn build(skeleton: &Skeleton) -> Mesh {
    let mut cage = Cage { skeleton, positions: Vec::new(), weights: Vec::new(), faces: Vec::new() };
    let (bottom, hole) = cage.torso();
    cage.leg(&bottom);
    cage.arm(&hole);
    Mesh::from_left(skeleton, body, cage.positions, cage.weights, cage.faces)
}

impl Cage<'_> {
    fn vertex(&mut self, position: Vec3, share: Share) -> usize {
        let on_plane = position.x.abs() < 1e-5;
        let position = project(body, position);
        self.positions.push(if on_plane { vec3(0.0, position.y, position.z) } else { position });
        self.weights.push(self.share(share));
        self.positions.len() - 1
    }

    fn share(&self, share: Share) -> Weights {
        let mut weights = vec![0.0; self.skeleton.joints.len()];
        for (name, w) in share {
            weights[self.skeleton.id(name)] += w;
        }
        weights
    }

    fn face(&mut self, corners: [usize; 4], paint: Paint) {
        self.faces.push(Face { corners, paint });
    }

    /// Quads between two open or closed rings of one length, walked so that `lower → upper` is up when the walk goes
    /// right, seen from outside.
    fn bridge(&mut self, lower: &[usize], upper: &[usize], closed: bool, paint: Paint) {
        let n = lower.len();
        for k in 0..if closed { n } else { n - 1 } {
            let next = (k + 1) % n;
            self.face([lower[k], lower[next], upper[next], upper[k]], paint);
        }
    }

    /// Half a ring around the middle axis: seven vertices from front to back at the heights `y`, and no further than `most`.
    fn half_ring(&mut self, y: [f32; 7], z: f32, most: f32, share: Share) -> Vec<usize> {
        (0..7)
            .map(|k| {
                let direction = around(k);
                let from = vec3(0.0, y[k], z);
                let at = from + direction * cast(body, from, direction, most);
                self.vertex(at, share)
            })
            .collect()
    }

    /// Torso, neck and head; returns the ring the leg hangs on (7) and the hole of the arm (8).
    fn torso(&mut self) -> (Vec<usize>, Vec<usize>) {
        let crease = [0.800, 0.822, 0.858, 0.885, 0.852, 0.806, 0.792];
        let bottom = self.half_ring(crease, 0.0, 0.2, &[("Hips", 0.80), ("UpperLeg.L", 0.20)]);
        // Nothing of one leg may move the other: the middle belongs to the hips.
        for middle in [bottom[0], bottom[6]] {
            self.weights[middle] = self.share(&[("Hips", 1.0)]);
        }
        let rows: [(f32, Share); 4] = [
            (0.930, &[("Hips", 0.9), ("Spine", 0.1)]),
            (0.985, &[("Hips", 0.30), ("Spine", 0.70)]),
            (WAIST, &[("Spine", 0.62), ("Chest", 0.38)]),
            (1.090, &[("Spine", 0.12), ("Chest", 0.76), ("UpperChest", 0.12)]),
        ];
        let mut below = bottom.clone();
        for (y, share) in rows {
            let ring = self.half_ring([y; 7], 0.0, 0.2, share);
            let paint = if y == WAIST { Paint::Joint } else { Paint::Shell };
            self.bridge(&below, &ring, false, paint);
            below = ring;
        }
        let hole = self.arm_hole();
        let a = self.chest_row(1.138, &[("Chest", 0.45), ("UpperChest", 0.55)], [hole[3], hole[4], hole[5]]);
        let b = self.chest_row(1.205, &[("UpperChest", 1.0)], [hole[2], usize::MAX, hole[6]]);
        let c = self.chest_row(1.258, &[("UpperChest", 0.9), ("Neck", 0.1)], [hole[1], hole[0], hole[7]]);
        self.bridge(&below, &a, false, Paint::Shell);
        for (lower, upper) in [(&a, &b), (&b, &c)] {
            self.bridge(&lower[..3], &upper[..3], false, Paint::Shell);
            self.bridge(&lower[4..], &upper[4..], false, Paint::Shell);
        }
        self.neck_and_head(&c);
        (bottom, hole)
    }

    /// A row beside the arm hole: its side vertices are the hole's.
    fn chest_row(&mut self, y: f32, share: Share, side: [usize; 3]) -> Vec<usize> {
        let mut middle = |k: usize| {
            let from = vec3(0.0, y, -0.004);
            let at = from + around(k) * cast(body, from, around(k), 0.2);
            self.vertex(at, share)
        };
        let (front, back) = ([middle(0), middle(1)], [middle(5), middle(6)]);
        [&front[..], &side, &back].concat()
    }

    /// Eight vertices from the top, over the front, the armpit and the back.
    fn arm_hole(&mut self) -> Vec<usize> {
        let top: Share = &[("UpperChest", 0.25), ("Shoulder.L", 0.60), ("UpperArm.L", 0.15)];
        let slope: Share = &[("UpperChest", 0.42), ("Shoulder.L", 0.43), ("UpperArm.L", 0.15)];
        let side: Share = &[("UpperChest", 0.58), ("Shoulder.L", 0.25), ("UpperArm.L", 0.17)];
        let low: Share = &[("Chest", 0.25), ("UpperChest", 0.62), ("UpperArm.L", 0.13)];
        let armpit: Share = &[("Chest", 0.25), ("UpperChest", 0.60), ("UpperArm.L", 0.15)];
        let table = [
            (vec3(0.118, 1.290, -0.010), top),
            (vec3(0.113, 1.275, 0.050), slope),
            (vec3(0.116, 1.205, 0.095), side),
            (vec3(0.130, 1.130, 0.080), low),
            (vec3(0.160, 1.108, -0.006), armpit),
            (vec3(0.130, 1.130, -0.088), low),
            (vec3(0.116, 1.205, -0.100), side),
            (vec3(0.113, 1.275, -0.062), slope),
        ];
        table.map(|(p, share)| self.vertex(p, share)).to_vec()
    }

    fn neck_and_head(&mut self, shoulders: &[usize]) {
        let base = [1.280, 1.282, 1.288, 1.294, 1.297, 1.299, 1.300];
        let rows: [([f32; 7], Share, Paint); 2] = [
            (base, &[("UpperChest", 0.55), ("Neck", 0.45)], Paint::Shell),
            ([1.335; 7], &[("Neck", 0.85), ("Head", 0.15)], Paint::Joint),
        ];
        let mut below = shoulders.to_vec();
        for (y, share, paint) in rows {
            let ring = self.half_ring(y, -0.010, 0.085, share);
            self.bridge(&below, &ring, false, paint);
            below = ring;
        }
        for (degrees, share) in [
            (-52.0_f32, &[("Neck", 0.30), ("Head", 0.70)][..]),
            (-26.0, &[("Head", 1.0)]),
            (2.0, &[("Head", 1.0)]),
            (30.0, &[("Head", 1.0)]),
            (57.0, &[("Head", 1.0)]),
        ] {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let ring: Vec<usize> = (0..7)
                .map(|k| {
                    let direction = around(k) * cos + Vec3::Y * sin;
                    self.vertex(HEAD + direction * cast(body, HEAD, direction, 0.2), share)
                })
                .collect();
            self.bridge(&below, &ring, false, if degrees < -50.0 { Paint::Joint } else { Paint::Shell });
            below = ring;
        }
        // The crown: two quads wide, four deep.
        let crown: Vec<usize> = [0.5, 0.0, -0.5]
            .map(|t| {
                let direction = vec3(0.0, 1.0, t).normalize();
                self.vertex(HEAD + direction * cast(body, HEAD, direction, 0.2), &[("Head", 1.0)])
            })
            .to_vec();
        let middle = [below[0], crown[0], crown[1], crown[2], below[6]];
        for i in 0..4 {
            self.face([middle[i], below[i + 1], below[i + 2], middle[i + 1]], Paint::Shell);
        }
    }

    /// A ring of eight around `center`: first inner front, then front (`forward`), outer, back, inner.
    fn leg_ring(&mut self, center: Vec3, forward: Vec3, lift: f32, most: f32, share: Share) -> Vec<usize> {
        (0..8)
            .map(|k| {
                let angle = (k as f32 - 1.0) * std::f32::consts::FRAC_PI_4;
                let direction = forward * angle.cos() + Vec3::X * angle.sin();
                let from = center + Vec3::Y * (lift * angle.sin());
                self.vertex(from + direction * cast(body, from, direction, most), share)
            })
            .collect()
    }

    fn leg(&mut self, bottom: &[usize]) {
        let crotch = self.vertex(vec3(0.0, 0.766, -0.006), &[("Hips", 1.0)]);
        let mut above = [bottom, &[crotch]].concat();
        let rows: [(Vec3, f32, Share, Paint); 10] = [
            (vec3(0.092, 0.768, 0.0), 0.022, &[("Hips", 0.32), ("UpperLeg.L", 0.68)], Paint::Shell),
            (vec3(0.093, 0.700, 0.0), 0.006, &[("UpperLeg.L", 1.0)], Paint::Shell),
            (vec3(0.095, 0.605, 0.002), 0.0, &[("UpperLeg.L", 1.0)], Paint::Shell),
            (vec3(0.096, 0.524, 0.006), 0.0, &[("UpperLeg.L", 1.0)], Paint::Shell),
            (vec3(0.097, 0.478, 0.006), 0.0, &[("UpperLeg.L", 0.5), ("LowerLeg.L", 0.5)], Paint::Joint),
            (vec3(0.098, 0.432, 0.002), 0.0, &[("LowerLeg.L", 1.0)], Paint::Joint),
            (vec3(0.100, 0.335, -0.010), 0.0, &[("LowerLeg.L", 1.0)], Paint::Shell),
            (vec3(0.102, 0.253, -0.014), 0.0, &[("LowerLeg.L", 1.0)], Paint::Shell),
            (vec3(0.102, 0.242, -0.014), 0.0, &[("LowerLeg.L", 1.0)], Paint::Joint),
            (vec3(0.103, 0.176, -0.013), 0.0, &[("LowerLeg.L", 1.0)], Paint::Accent),
        ];
        for (center, lift, share, paint) in rows {
            let ring = self.leg_ring(center, Vec3::Z, lift, 0.12, share);
            self.bridge(&ring, &above, true, paint);
            above = ring;
        }
        self.foot(above);
    }

    fn foot(&mut self, mut above: Vec<usize>) {
        // The tube turns from down to forward: its rings tilt, and the heel is the outside of the bend.
        let rows: [(Vec3, f32, Share); 6] = [
            (vec3(0.104, 0.122, -0.012), 17.0, &[("LowerLeg.L", 0.45), ("Foot.L", 0.55)]),
            (vec3(0.105, 0.080, -0.004), 32.0, &[("Foot.L", 1.0)]),
            (vec3(0.107, 0.053, 0.042), 48.0, &[("Foot.L", 1.0)]),
            (vec3(0.110, 0.046, 0.082), 70.0, &[("Foot.L", 1.0)]),
            (vec3(0.113, 0.040, 0.114), 86.0, &[("Foot.L", 0.50), ("Toes.L", 0.50)]),
            (vec3(0.115, 0.036, 0.152), 90.0, &[("Toes.L", 1.0)]),
        ];
        for (center, tilt, share) in rows {
            let forward = Quat::from_rotation_x(-f32::to_radians(tilt)) * Vec3::Z;
            let ring = self.leg_ring(center, forward, 0.0, 0.12, share);
            self.bridge(&ring, &above, true, Paint::Accent);
            above = ring;
        }
        let tip = self.vertex(vec3(0.116, 0.036, 0.195), &[("Toes.L", 1.0)]);
        for k in [0, 2, 4, 6] {
            self.face([tip, above[(k + 2) % 8], above[k + 1], above[k]], Paint::Accent);
        }
    }

    fn arm(&mut self, hole: &[usize]) {
        let rows: [(f32, f32, Share, Paint); 9] = [
            (0.012, 0.0, &[("UpperArm.L", 0.62), ("Shoulder.L", 0.25), ("UpperChest", 0.13)], Paint::Shell),
            (0.075, 0.0, &[("UpperArm.L", 1.0)], Paint::Shell),
            (0.205, 0.0, &[("UpperArm.L", 1.0)], Paint::Shell),
            (0.255, 0.0, &[("UpperArm.L", 0.5), ("LowerArm.L", 0.5)], Paint::Joint),
            (0.295, 4.0, &[("LowerArm.L", 1.0)], Paint::Joint),
            (0.365, 11.0, &[("LowerArm.L", 1.0)], Paint::Shell),
            (0.4345, 16.0, &[("LowerArm.L", 1.0)], Paint::Shell),
            (0.446, 18.0, &[("LowerArm.L", 0.9), ("Hand.L", 0.1)], Paint::Joint),
            (0.490, 22.5, &[("LowerArm.L", 0.40), ("Hand.L", 0.60)], Paint::Accent),
        ];
        let mut above = hole.to_vec();
        for (along, twist, share, paint) in rows {
            // The elbow lies a little behind the line from shoulder to wrist.
            let back = -0.008 * (1.0 - (along - 0.255).abs() / 0.255);
            let from = arm_point(along, 0.0, back);
            let ring: Vec<usize> = (0..8)
                .map(|k| {
                    let (sin, cos) = (45.0 * k as f32 + twist).to_radians().sin_cos();
                    let direction = arm_rotation() * vec3(0.0, cos, sin);
                    self.vertex(from + direction * cast(body, from, direction, 0.068), share)
                })
                .collect();
            self.bridge(&above, &ring, true, paint);
            above = ring;
        }
        self.hand(above);
    }

    fn hand(&mut self, wrist: Vec<usize>) {
        let palm_ring = |cage: &mut Self, along: f32, width: f32, shares: [Share; 4]| -> Vec<usize> {
            // (height, column): columns 0…3 from the little finger's side to the thumb's.
            let order = [(1, 2), (1, 3), (-1, 3), (-1, 2), (-1, 1), (-1, 0), (1, 0), (1, 1)];
            let at = |(side, column): (i32, usize)| {
                let forward = (column as f32 - 1.5) * width / 1.5;
                (arm_point(along, 0.022 * side as f32, forward), shares[column])
            };
            order.map(at).map(|(p, share)| cage.vertex(p, share)).to_vec()
        };
        let hand: Share = &[("Hand.L", 1.0)];
        let thumb: Share = &[("Hand.L", 0.72), ("Thumb1.L", 0.28)];
        let knuckles: [Share; 4] = [
            &[("Hand.L", 0.6), ("Pinky1.L", 0.4)],
            &[("Hand.L", 0.6), ("Pinky1.L", 0.2), ("Middle1.L", 0.2)],
            &[("Hand.L", 0.6), ("Middle1.L", 0.2), ("Index1.L", 0.2)],
            &[("Hand.L", 0.6), ("Index1.L", 0.4)],
        ];
        let a = palm_ring(self, 0.520, 0.041, [hand, hand, hand, thumb]);
        let b = palm_ring(self, 0.557, 0.044, [hand, hand, hand, thumb]);
        let c = palm_ring(self, 0.584, 0.043, knuckles);
        self.bridge(&wrist, &a, true, Paint::Accent);
        // Leave out the quad the thumb grows from.
        let around_thumb = |ring: &[usize]| -> Vec<usize> { (2..=9).map(|k| ring[k % 8]).collect() };
        self.bridge(&around_thumb(&a), &around_thumb(&b), false, Paint::Accent);
        self.bridge(&b, &c, true, Paint::Accent);
        for (name, forward, spread, length, base) in [
            ("Index", 0.030, 0.008, 0.078, [c[0], c[1], c[2], c[3]]),
            ("Middle", 0.0, 0.0, 0.088, [c[7], c[0], c[3], c[4]]),
            ("Pinky", -0.030, -0.008, 0.070, [c[6], c[7], c[4], c[5]]),
        ] {
            let axis = (vec3(0.575, 0.0, forward), vec3(0.575 + length, 0.0, forward + spread));
            let names = [format!("{name}1.L"), format!("{name}2.L")];
            self.digit(base.to_vec(), axis, vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, -1.0), &names, [0.42, 0.64, 1.15]);
        }
        let axis = (vec3(0.520, -0.006, 0.026), vec3(0.562, -0.013, 0.086));
        let across = vec3(-0.060, 0.0, 0.042).normalize();
        let names = ["Thumb1.L".to_owned(), "Thumb2.L".to_owned()];
        self.digit(vec![a[1], a[2], b[2], b[1]], axis, Vec3::Y, across, &names, [0.50, 0.68, 1.15]);
    }

    /// A finger in arm space: three rings of four at fractions of `axis`, and a cap. Corners: (`up`, `first`),
    /// then around.
    fn digit(
        &mut self,
        base: Vec<usize>,
        axis: (Vec3, Vec3),
        up: Vec3,
        first: Vec3,
        names: &[String; 2],
        at: [f32; 3],
    ) {
        let (one, two) = (names[0].as_str(), names[1].as_str());
        let shares: [Share; 3] = [&[(one, 1.0)], &[(one, 0.5), (two, 0.5)], &[(two, 1.0)]];
        // The thumb's ring starts on the other side of "up".
        let thumb = one.starts_with("Thumb");
        let corners = if thumb {
            [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
        } else {
            [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)]
        };
        let mut below = base;
        for (fraction, share) in at.into_iter().zip(shares) {
            let center = axis.0.lerp(axis.1, fraction);
            let radius = 0.0105;
            let ring: Vec<usize> = corners
                .map(|(u, f)| {
                    let p = center + (up * u + first * f) * radius;
                    self.vertex(SHOULDER + arm_rotation() * p, share)
                })
                .to_vec();
            self.bridge(&below, &ring, true, Paint::Accent);
            below = ring;
        }
        self.face([below[0], below[1], below[2], below[3]], Paint::Accent);
    }
}

/// Horizontal direction of column 0 (front) … 6 (back), through the left side.
fn around(column: usize) -> Vec3 {
    let (sin, cos) = (column as f32 * 30.0).to_radians().sin_cos();
    if column.is_multiple_of(6) { vec3(0.0, 0.0, cos.signum()) } else { vec3(sin, 0.0, cos) }
}
