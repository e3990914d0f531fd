//! Computes the smaller levels (mipmaps) of a texture. Each texel is the mean of those that it covers, in linear light,
//! with colours weighted by alpha so that cut-outs get no seam. It only computes with numbers and uses no device.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock, PoisonError};

use skinscope_base::parallel;

use super::srgb::linear;

/// The size of the next smaller level.
pub(super) fn halved(size: [u32; 2]) -> [u32; 2] {
    size.map(|side| (side / 2).max(1))
}

/// The next smaller level of an image of `size` pixels, RGBA. `srgb`: its colours are sRGB-encoded, and averaged in
/// linear light.
pub(super) fn next_level(size: [u32; 2], rgba: &[u8], srgb: bool) -> Vec<u8> {
    let [width, height] = halved(size).map(|side| side as usize);
    let mut out = vec![0; width * height * 4];
    let strips: Vec<Mutex<&mut [u8]>> = out.chunks_mut(STRIP * width * 4).map(Mutex::new).collect();
    let source = Source { size: size.map(|side| side as usize), texels: rgba.as_chunks().0, light: Light::of(srgb) };
    parallel::map(strips.len(), &AtomicBool::new(false), &|i| {
        let mut strip = strips[i].lock().unwrap_or_else(PoisonError::into_inner);
        for (y, row) in (i * STRIP..).zip(strip.chunks_exact_mut(width * 4)) {
            source.row(y, row.as_chunks_mut().0);
        }
    });
    drop(strips);
    out
}

/// How many rows one piece of work makes.
const STRIP: usize = 64;

struct Source<'a> {
    size: [usize; 2],
    texels: &'a [[u8; 4]],
    light: &'static Light,
}

impl Source<'_> {
    /// Computes row `y` of the smaller level.
    fn row(&self, y: usize, out: &mut [[u8; 4]]) {
        let [width, height] = self.size;
        let (columns, rows) = (out.len(), (height / 2).max(1));
        let row = |y: usize| &self.texels[y * width..(y + 1) * width];
        if width == 2 * columns && height == 2 * rows {
            let (above, below) = (row(2 * y).as_chunks().0, row(2 * y + 1).as_chunks().0);
            for ((texel, above), below) in out.iter_mut().zip(above).zip(below) {
                *texel = self.light.mean_of_four(above, below);
            }
            return;
        }
        for (x, texel) in out.iter_mut().enumerate() {
            let mut sum = Sum::default();
            for (y, high) in covered(y, height, rows) {
                covered(x, width, columns).for_each(|(x, wide)| sum.add(self.light, row(y)[x], wide * high));
            }
            *texel = sum.mean(self.light);
        }
    }
}

/// Which of `of` texels in a row the texel `at` covers when the row is scaled down to `count` texels, each with the
/// share of it that is covered.
fn covered(at: usize, of: usize, count: usize) -> impl Iterator<Item = (usize, f32)> {
    let [start, end] = [at * of, (at + 1) * of];
    // Positions are in units of 1/`count` of a texel.
    (start / count..end.div_ceil(count)).map(move |texel| {
        let part = end.min((texel + 1) * count) - start.max(texel * count);
        (texel, part as f32 / count as f32)
    })
}

#[derive(Default)]
struct Sum {
    /// The sum of colours times alpha, and the sum of plain colours.
    weighted: [f32; 3],
    plain: [f32; 3],
    alpha: f32,
    area: f32,
}

impl Sum {
    fn add(&mut self, light: &Light, [r, g, b, a]: [u8; 4], area: f32) {
        let alpha = f32::from(a) * area;
        for (i, c) in [r, g, b].into_iter().enumerate() {
            let c = f32::from(light.decoded[usize::from(c)]);
            self.weighted[i] += c * alpha;
            self.plain[i] += c * area;
        }
        self.alpha += alpha;
        self.area += area;
    }

    fn mean(&self, light: &Light) -> [u8; 4] {
        let (sums, of) = if self.alpha > 0.0 { (self.weighted, self.alpha) } else { (self.plain, self.area) };
        let [r, g, b] = sums.map(|sum| light.encoded[(sum / of + 0.5) as usize % LEVELS]);
        [r, g, b, (self.alpha / self.area + 0.5) as u8]
    }
}

/// How many values of light are distinguished. Near black, where sRGB is finest, there are 20 of them for each value of
/// sRGB.
const LEVELS: usize = 1 << 16;
const BRIGHTEST: f32 = (LEVELS - 1) as f32;

/// Tables that convert stored colours to linear light and back.
struct Light {
    decoded: [u16; 256],
    encoded: Vec<u8>,
}

impl Light {
    fn of(srgb: bool) -> &'static Self {
        static LIGHTS: [OnceLock<Light>; 2] = [const { OnceLock::new() }; 2];
        LIGHTS[usize::from(srgb)].get_or_init(|| Self::new(srgb))
    }

    fn new(srgb: bool) -> Self {
        let value = |stored: f32| if srgb { linear([stored / 255.0; 3])[0] } else { stored / 255.0 };
        let mut encoded = vec![0; LEVELS];
        // A stored value stands for everything that is encoded within half a step of it.
        let start = |stored: usize| (value(stored as f32 - 0.5) * BRIGHTEST).ceil() as usize;
        for stored in 1..=255 {
            let end = if stored == 255 { LEVELS } else { start(stored + 1) };
            encoded[start(stored)..end].fill(stored as u8);
        }
        Self { decoded: std::array::from_fn(|stored| (value(stored as f32) * BRIGHTEST + 0.5) as u16), encoded }
    }

    fn mean_of_four(&self, above: &[[u8; 4]; 2], below: &[[u8; 4]; 2]) -> [u8; 4] {
        let four = [above[0], above[1], below[0], below[1]];
        if four.iter().all(|texel| texel[3] == 255) {
            let mean = |channel: usize| {
                let sum: u32 = four.iter().map(|texel| u32::from(self.decoded[usize::from(texel[channel])])).sum();
                self.encoded[((sum + 2) >> 2) as usize]
            };
            return [mean(0), mean(1), mean(2), 255];
        }
        let mut sum = Sum::default();
        four.into_iter().for_each(|texel| sum.add(self, texel, 1.0));
        sum.mean(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the same from the definition, in f64, with a grid so fine that both sizes divide it.
    fn by_definition(size: [u32; 2], rgba: &[[u8; 4]], srgb: bool) -> Vec<[f64; 4]> {
        let light = |c: u8| {
            let c = f64::from(c) / 255.0;
            match srgb {
                true if c <= 0.04045 => c / 12.92,
                true => ((c + 0.055) / 1.055).powf(2.4),
                false => c,
            }
        };
        let stored = |c: f64| match srgb {
            true if c <= 0.003_130_8 => c * 12.92 * 255.0,
            true => (1.055 * c.powf(1.0 / 2.4) - 0.055) * 255.0,
            false => c * 255.0,
        };
        let [width, height] = size;
        let [columns, rows] = halved(size);
        let mut out = Vec::new();
        for (y, x) in (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x))) {
            let (mut colour, mut alpha, mut area) = ([0.0; 3], 0.0, 0.0);
            for (v, u) in (y * height..(y + 1) * height).flat_map(|v| (x * width..(x + 1) * width).map(move |u| (v, u)))
            {
                let texel = rgba[(v / rows * width + u / columns) as usize];
                let a = f64::from(texel[3]);
                (0..3).for_each(|i| colour[i] += light(texel[i]) * a);
                alpha += a;
                area += 1.0;
            }
            let [r, g, b] = colour.map(|c| stored(c / alpha));
            out.push([r, g, b, alpha / area]);
        }
        out
    }

    #[test]
    fn each_texel_is_the_mean_of_those_it_covers() {
        let mut seed = 7_u32;
        for (size, opaque) in
            [([8, 4], true), ([8, 4], false), ([7, 5], false), ([9, 1], true), ([1, 6], false), ([3, 3], true)]
        {
            let texels: Vec<[u8; 4]> = (0..size[0] * size[1])
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let [r, g, b, a] = seed.to_be_bytes();
                    [r, g, b.wrapping_mul(31), if opaque { 255 } else { a | 1 }]
                })
                .collect();
            for srgb in [false, true] {
                let made = next_level(size, texels.as_flattened(), srgb);
                let wanted = by_definition(size, &texels, srgb);
                assert_eq!(made.len(), wanted.len() * 4);
                for (made, wanted) in made.iter().zip(wanted.as_flattened()) {
                    // The error is half a step, plus what the steps of light add.
                    assert!((f64::from(*made) - wanted).abs() <= 0.53, "{size:?} {srgb}: {made} for {wanted}");
                }
            }
        }
    }

    #[test]
    fn a_colour_stays_itself_and_nothing_seen_through_stains_it() {
        for srgb in [false, true] {
            for c in 0..=255 {
                assert_eq!(next_level([2, 2], &[c, c, c, 255].repeat(4), srgb), [c, c, c, 255]);
            }
            let red_beside_nothing = [[255, 0, 0, 255], [0, 255, 0, 0], [0, 0, 255, 0], [9, 9, 9, 0]];
            assert_eq!(next_level([2, 2], red_beside_nothing.as_flattened(), srgb), [255, 0, 0, 64]);
        }
        // Without any alpha, all colours count equally: 188 is the middle of black and white in linear light.
        let unseen = [[255, 0, 0, 0], [255, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]];
        assert_eq!(next_level([2, 2], unseen.as_flattened(), true), [188, 0, 0, 0]);
        assert_eq!(next_level([2, 2], unseen.as_flattened(), false), [128, 0, 0, 0]);
    }

    #[test]
    fn many_rows_are_made_in_strips() {
        let size = [2, 4 * STRIP as u32 + 6];
        let rows: Vec<[u8; 4]> = (0..size[1]).flat_map(|y| [[(y / 2) as u8, 0, 0, 255]; 2]).collect();
        let made = next_level(size, rows.as_flattened(), false);
        let reds: Vec<u8> = made.as_chunks::<4>().0.iter().map(|texel| texel[0]).collect();
        assert_eq!(reds, (0..2 * STRIP as u32 + 3).map(|y| y as u8).collect::<Vec<_>>());
    }
}
