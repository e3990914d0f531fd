//! Light that comes from all around: a picture of the whole sphere, which a surface is lit by and may be seen before.

use std::f32::consts::{PI, TAU};
use std::sync::{Arc, OnceLock};

use glam::{Vec3, Vec3Swizzles};

/// The largest number that a texel stores, which is that of a float of 16 bits.
pub const BRIGHTEST: f32 = 65504.0;

/// The radiance that arrives from every direction, as a picture in equirectangular projection. Its rows go from straight
/// up to straight down; the middle of a row is −Z, which a camera sees that looks at the front of a glTF character, and +X lies
/// to the right of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    name: String,
    size: [u32; 2],
    /// Linear red, green and blue, then 1, as floats of 16 bits.
    texels: Vec<[u16; 4]>,
}

impl Environment {
    /// Makes an environment of `size` (width and height) texels of linear radiance, rows from the top. What is no number or is
    /// negative becomes 0, and what is brighter than [`BRIGHTEST`] becomes that. `None` where there are not as many texels as
    /// `size` says, or none.
    #[must_use]
    pub fn new(name: String, size: [u32; 2], texels: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        let texels: Vec<[u16; 4]> = texels.into_iter().map(|c| [half(c.x), half(c.y), half(c.z), half(1.0)]).collect();
        let count = u64::from(size[0]) * u64::from(size[1]);
        (count > 0 && count == texels.len() as u64).then_some(Self { name, size, texels })
    }

    /// Returns the environment of the program itself: a plain room with three windows and a warm lamp.
    #[must_use]
    pub fn own() -> &'static Arc<Self> {
        static OWN: OnceLock<Arc<Environment>> = OnceLock::new();
        OWN.get_or_init(|| {
            const SIZE: [u32; 2] = [512, 256];
            let directions = (0..SIZE[1]).flat_map(|row| (0..SIZE[0]).map(move |column| direction(SIZE, column, row)));
            let texels = directions
                .map(|d| room(d) * BRIGHTNESS)
                .map(|c| [half(c.x), half(c.y), half(c.z), half(1.0)])
                .collect();
            Arc::new(Self { name: "Own room".to_owned(), size: SIZE, texels })
        })
    }

    /// Returns the name, which is that of its file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns width and height in texels.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Returns the texels, rows from the top: red, green, blue and 1 as floats of 16 bits.
    #[must_use]
    pub fn texels(&self) -> &[[u16; 4]] {
        &self.texels
    }

    /// Returns the radiance of a texel. `column` and `row` are less than width and height.
    #[must_use]
    pub fn at(&self, column: u32, row: u32) -> Vec3 {
        let [r, g, b, _] = self.texels[row as usize * self.size[0] as usize + column as usize];
        Vec3::new(single(r), single(g), single(b))
    }
}

/// Returns the unit vector to the middle of a texel of an equirectangular picture.
#[must_use]
pub fn direction([width, height]: [u32; 2], column: u32, row: u32) -> Vec3 {
    let around = TAU * ((column as f32 + 0.5) / width as f32 - 0.5);
    let down = PI * (row as f32 + 0.5) / height as f32;
    Vec3::new(down.sin() * around.sin(), down.cos(), -down.sin() * around.cos())
}

/// The float of 16 bits that is nearest to a number, of those that are not negative.
fn half(number: f32) -> u16 {
    const LEAST_NORMAL: f32 = 6.103_515_6e-5;
    // A comparison with what is no number is false.
    let number = if number > 0.0 { number.min(BRIGHTEST) } else { 0.0 };
    if number < LEAST_NORMAL {
        return (number * 16_777_216.0).round() as u16;
    }
    let bits = number.to_bits();
    let rounded = bits + 0xfff + ((bits >> 13) & 1);
    ((rounded >> 13) - (112 << 10)) as u16
}

/// The number that a float of 16 bits stands for, which is not negative.
fn single(half: u16) -> f32 {
    match half >> 10 {
        0 => f32::from(half) / 16_777_216.0,
        _ => f32::from_bits((u32::from(half) + (112 << 10)) << 13),
    }
}

/// The corners of the room, metres from the eye.
const LEAST: Vec3 = Vec3::new(-3.4, -1.3, -3.8);
const MOST: Vec3 = Vec3::new(3.4, 1.9, 4.2);

/// A bright rectangle on a wall of the room.
struct Opening {
    /// The side of the wall that it is on.
    wall: Vec3,
    /// The middle and half the size on the wall: along it, then up.
    middle: [f32; 2],
    half: [f32; 2],
    radiance: Vec3,
    /// Whether a window has bars.
    has_bars: bool,
}

const OPENINGS: [Opening; 4] = [
    Opening {
        wall: Vec3::NEG_X,
        middle: [1.3, 0.45],
        half: [1.0, 0.95],
        radiance: Vec3::new(8.15, 8.2, 8.3),
        has_bars: true,
    },
    Opening {
        wall: Vec3::NEG_X,
        middle: [-1.7, 0.45],
        half: [0.8, 0.95],
        radiance: Vec3::new(6.8, 6.85, 6.95),
        has_bars: true,
    },
    Opening {
        wall: Vec3::Z,
        middle: [0.9, 0.6],
        half: [1.3, 0.8],
        radiance: Vec3::new(4.78, 4.8, 4.83),
        has_bars: true,
    },
    Opening {
        wall: Vec3::X,
        middle: [0.4, 0.2],
        half: [0.45, 0.6],
        radiance: Vec3::new(3.36, 3.3, 3.18),
        has_bars: false,
    },
];

/// A factor of all light in the room, so that it is about as bright as the studio.
const BRIGHTNESS: f32 = 1.35;

/// The radiance of the room along a unit vector, but for that factor. Walls, floor and ceiling are grey: a tone map would make more of a tint
/// of theirs where a surface is dark, so that a dark grey would not be seen as one.
fn room(direction: Vec3) -> Vec3 {
    let reach = Vec3::select(direction.cmpgt(Vec3::ZERO), MOST, LEAST) / direction;
    let at = direction * reach.min_element();
    let near = 1.0 - smooth(0.0, 4.5, at.distance(Vec3::new(-2.4, at.y, 1.5)));
    let up = (at.y - LEAST.y) / (MOST.y - LEAST.y);
    // Light from the windows lies on floor and ceiling near them.
    let flat = match direction.y > 0.0 {
        true => Vec3::splat(0.708) * (0.75 + 0.5 * near),
        false => Vec3::splat(0.256) * (0.6 + 1.3 * near),
    };
    // The edge between them and the walls is a few texels wide, so that it has no steps.
    let on_flat = 1.0 - smooth(0.96, 1.04, reach.y / reach.x.min(reach.z));
    if on_flat >= 1.0 {
        return flat;
    }
    let is_side = reach.x < reach.z;
    let wall = if is_side { Vec3::X * direction.x.signum() } else { Vec3::Z * direction.z.signum() };
    let on_wall = if is_side { at.zy() } else { at.xy() };
    let mut color = Vec3::splat(0.545) * (0.6 + 0.5 * up) * (0.85 + 0.3 * near);
    for opening in OPENINGS.iter().filter(|opening| opening.wall == wall) {
        let away = on_wall - glam::Vec2::from(opening.middle);
        let inside = glam::Vec2::from(opening.half) - away.abs();
        let bars = match opening.has_bars {
            true => smooth(0.02, 0.07, away.x.abs()) * smooth(0.02, 0.07, (away.y - 0.25).abs()),
            false => 1.0,
        };
        color = color.lerp(opening.radiance, smooth(-0.03, 0.05, inside.min_element()) * bars);
    }
    color.lerp(flat, on_flat)
}

/// A smooth step from 0 at `from` to 1 at `to`.
fn smooth(from: f32, to: f32, at: f32) -> f32 {
    let t = ((at - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radiance_is_stored_to_a_thousandth_and_what_is_no_radiance_is_made_one() {
        let numbers = [0.0, 1e-7, 3e-5, 0.001, 0.25, 1.0, 1.5, 3.1, 100.0, 6e4];
        for number in numbers {
            let stored = single(half(number));
            assert!((stored - number).abs() <= (number * 5e-4).max(6e-8), "{number} is stored as {stored}");
        }
        for (wild, kept) in [(f32::NAN, 0.0), (-3.0, 0.0), (f32::INFINITY, BRIGHTEST), (1e9, BRIGHTEST)] {
            assert_eq!(single(half(wild)), kept, "{wild}");
        }
        assert_eq!(Environment::new("a".into(), [2, 1], [Vec3::ONE]), None);
        assert_eq!(Environment::new("a".into(), [0, 0], []), None);
        let one = Environment::new("a".into(), [2, 1], [Vec3::ONE, Vec3::new(f32::NAN, -1.0, 2.0)]).unwrap();
        assert_eq!((one.at(0, 0), one.at(1, 0)), (Vec3::ONE, Vec3::new(0.0, 0.0, 2.0)));
    }

    #[test]
    fn the_own_room_lights_a_grey_surface_about_as_bright_as_the_studio_does() {
        let own = Environment::own();
        let [width, height] = own.size();
        let mut irradiance = [Vec3::ZERO; 6];
        let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        for row in 0..height {
            for column in 0..width {
                let towards = direction(own.size(), column, row);
                let angle = TAU / width as f32 * PI / height as f32 * (1.0 - towards.y * towards.y).sqrt();
                for (sum, axis) in irradiance.iter_mut().zip(axes) {
                    *sum += own.at(column, row) * (angle * towards.dot(axis).max(0.0) / PI);
                }
            }
        }
        let grey = irradiance.map(|sum| sum.element_sum() / 3.0);
        assert!(grey.iter().all(|g| (0.3..2.4).contains(g)), "{grey:?}");
        assert!((0.8..1.5).contains(&grey[4]), "what faces the eye: {grey:?}");
        assert!(grey[1] > 1.5 * grey[0], "the windows are on one side: {grey:?}");
    }

    #[test]
    fn the_middle_of_a_row_is_minus_z_and_x_lies_to_the_right() {
        let size = [400, 200];
        assert!((direction(size, 199, 99) - Vec3::NEG_Z).length() < 0.02);
        assert!((direction(size, 299, 99) - Vec3::X).length() < 0.02);
        assert!((direction(size, 17, 0) - Vec3::Y).length() < 0.02);
    }
}
