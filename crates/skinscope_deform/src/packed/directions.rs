//! Unit vectors in 32 bits: octahedral coordinates (Cigolle et al. 2014, "A Survey of Efficient Representations for
//! Independent Unit Vectors"). `shaders/common/deform.wgsl` reads what is written here.

use glam::{Vec2, Vec3, Vec4};

/// How many steps an axis of 16 bits has from 0 to 1.
const STEPS: f32 = 32_767.0;
/// The same for the axis that gave a bit to the handedness.
const FEWER_STEPS: f32 = 16_383.0;
/// The first 16 bits of a word that holds no direction. No coordinate rounds to this.
const NONE: u32 = 0x8000;

/// The largest angle by which packing changes a normal, radians. Rounding moves each coordinate by half a step s, which
/// moves the point of the octahedron by at most √(s² + s² + (2s)²) = √6 s, no nearer to the origin than 1/√3: √18 s.
pub const NORMAL_ERROR: f32 = 6.5e-5;
/// The largest angle by which packing changes a tangent, radians: as for normals, with one of the steps s twice as
/// long, √3 √(s² + 4s² + 9s²).
pub const TANGENT_ERROR: f32 = 9.9e-5;

/// Projects a direction of any length onto the octahedron and unfolds its lower half; `None` for no direction.
fn octahedral(v: Vec3) -> Option<Vec2> {
    let size = v.x.abs() + v.y.abs() + v.z.abs();
    if size == 0.0 {
        return None;
    }
    let p = v.truncate() / size;
    Some(if v.z < 0.0 { fold(p) } else { p })
}

/// Maps the lower half of the octahedron to the corners of the square, and back.
fn fold(p: Vec2) -> Vec2 {
    let sign = |v: f32| if v < 0.0 { -1.0 } else { 1.0 };
    Vec2::new((1.0 - p.y.abs()) * sign(p.x), (1.0 - p.x.abs()) * sign(p.y))
}

#[cfg(test)]
fn direction(p: Vec2) -> Vec3 {
    let z = 1.0 - p.x.abs() - p.y.abs();
    let p = if z < 0.0 { fold(p) } else { p };
    p.extend(z).normalize()
}

fn steps(v: f32, steps: f32) -> u32 {
    // The value is within ± 1 but for rounding, so it fits. Casting rounds towards zero.
    let scaled = (v * steps).clamp(-steps, steps);
    (scaled + 0.5_f32.copysign(scaled)) as i32 as u32
}

/// Packs a normal into two signed coordinates of 16 bits.
pub(crate) fn pack_normal(v: Vec3) -> u32 {
    octahedral(v).map_or(NONE, |p| steps(p.x, STEPS) & 0xffff | steps(p.y, STEPS) << 16)
}

/// Packs a tangent into two signed coordinates, of 16 and 15 bits, and the sign of w.
pub(crate) fn pack_tangent(v: Vec4) -> u32 {
    let side = u32::from(v.w < 0.0) << 31;
    let word = octahedral(v.truncate())
        .map_or(NONE, |p| steps(p.x, STEPS) & 0xffff | (steps(p.y, FEWER_STEPS) & 0x7fff) << 16);
    word | side
}

#[cfg(test)]
/// Unpacks a normal as the shader does; the result has unit length.
pub(crate) fn unpack_normal(word: u32) -> Vec3 {
    if word & 0xffff == NONE {
        return Vec3::ZERO;
    }
    let [x, y] = [word as u16, (word >> 16) as u16].map(|v| f32::from(v.cast_signed()) / STEPS);
    direction(Vec2::new(x, y))
}

#[cfg(test)]
/// Unpacks a tangent as the shader does: xyz has unit length, w is ±1.
pub(crate) fn unpack_tangent(word: u32) -> Vec4 {
    let side = if word >> 31 == 1 { -1.0 } else { 1.0 };
    if word & 0xffff == NONE {
        return Vec3::ZERO.extend(side);
    }
    let x = f32::from((word as u16).cast_signed()) / STEPS;
    let y = ((word << 1).cast_signed() >> 17) as f32 / FEWER_STEPS;
    direction(Vec2::new(x, y)).extend(side)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the axes, the diagonals, and many directions in between.
    fn directions() -> Vec<Vec3> {
        let mut out = Vec::new();
        let around = 97;
        for i in 0..=around {
            for j in 0..2 * around {
                let polar = std::f32::consts::PI * i as f32 / around as f32;
                let angle = std::f32::consts::PI * j as f32 / around as f32;
                out.push(Vec3::new(polar.sin() * angle.cos(), polar.sin() * angle.sin(), polar.cos()).normalize());
            }
        }
        let end = |i: i32, power: i32| (i / power % 3 - 1) as f32;
        out.extend((0..27).filter_map(|i| Vec3::new(end(i, 1), end(i, 3), end(i, 9)).try_normalize()));
        out
    }

    #[test]
    fn directions_turn_no_more_than_the_bound() {
        let angle = |a: Vec3, b: Vec3| a.as_dvec3().cross(b.as_dvec3()).length().atan2(f64::from(a.dot(b)));
        let (mut normals, mut tangents) = (0.0_f64, 0.0_f64);
        for v in directions() {
            normals = normals.max(angle(v, unpack_normal(pack_normal(v))));
            for side in [1.0, -1.0] {
                let read = unpack_tangent(pack_tangent(v.extend(side)));
                tangents = tangents.max(angle(v, read.truncate()));
                assert_eq!(read.w, side);
            }
        }
        assert!(normals <= f64::from(NORMAL_ERROR) && tangents <= f64::from(TANGENT_ERROR), "{normals:e} {tangents:e}");
        // The bounds are not loose either: some vector comes near them.
        assert!(normals > 4e-5 && tangents > 7e-5, "{normals:e} {tangents:e}");
    }

    #[test]
    fn axes_are_exact_and_zero_stays_zero() {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z] {
            assert_eq!(unpack_normal(pack_normal(axis)), axis);
            assert_eq!(unpack_tangent(pack_tangent(axis.extend(-1.0))), axis.extend(-1.0));
        }
        assert_eq!(unpack_normal(pack_normal(Vec3::ZERO)), Vec3::ZERO);
        assert_eq!(unpack_tangent(pack_tangent(Vec4::NEG_W)), Vec4::NEG_W);
        // The direction may have any length.
        assert_eq!(pack_normal(Vec3::new(3.0, -4.0, 5.0)), pack_normal(Vec3::new(0.3, -0.4, 0.5)));
    }

    #[test]
    fn the_bits_lie_where_the_shader_reads_them() {
        assert_eq!(pack_normal(Vec3::X), 0x0000_7fff);
        assert_eq!(pack_normal(Vec3::NEG_Y), 0x8001_0000);
        assert_eq!(pack_tangent(Vec4::new(0.0, -1.0, 0.0, -1.0)), 0xc001_0000);
        assert_eq!(pack_tangent(Vec4::new(-1.0, 0.0, 0.0, 1.0)), 0x0000_8001);
    }
}
