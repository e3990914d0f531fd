//! Draws pictures in memory as they leave the program: supersampled where that is wanted, with legend and names over them.

mod annotations;
pub(super) mod pose_pictures;

use self::annotations::Annotations;
use super::ui::{NameCount, Over};
use crate::frame::Frame;
use crate::render::{Gpu, GpuError, Renderer, render_rows};
use crate::session::{Projector, Session};

/// The most samples of a pixel along each side.
pub const MOST_SUPERSAMPLING: u32 = 4;

/// The part of the width that a page has.
const PAGE: f32 = 0.45;

/// How a picture is drawn, beside what it shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureStyle {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// How many samples of a pixel are drawn along each side, 1 to [`MOST_SUPERSAMPLING`], beside those that smooth edges.
    pub supersampling: u32,
    /// Whether the legend is painted over it.
    pub legend: bool,
    /// Whether the sides of a comparison are named in it.
    pub sides: bool,
    /// Whether two models that stand side by side are named in it.
    pub models: bool,
    /// Whether the names of the joints are.
    pub names: bool,
    /// Whether the letters and words of an example are.
    pub words: bool,
    /// Whether the page of an example stands at the right, within the size.
    pub page: bool,
    /// Whether these are in the light theme.
    pub light: bool,
    /// How many pixels a point of letters has; `None`: as many as in a window on a screen with so many pixels.
    pub letters: Option<f32>,
}

impl PictureStyle {
    /// Returns whether the picture is what the renderer draws, and nothing more.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.supersampling == 1 && !self.is_annotated()
    }

    fn is_annotated(&self) -> bool {
        self.legend || self.sides || self.models || self.names || self.words || self.page
    }

    /// Returns the width and height of the picture beside the page, pixels.
    #[must_use]
    pub fn picture_size(&self) -> [u32; 2] {
        let [width, height] = self.size;
        let page = if self.page { (PAGE * width as f32).round() as u32 } else { 0 };
        [(width - page).max(1), height]
    }
}

/// Draws pictures of one style on one device.
pub struct PicturePainter {
    style: PictureStyle,
    annotations: Option<Annotations>,
    /// How many names of joints the last picture has.
    names: Option<NameCount>,
}

impl PicturePainter {
    /// Makes a painter for a device.
    #[must_use]
    pub fn new(gpu: &Gpu, style: PictureStyle) -> Self {
        let annotations = style.is_annotated().then(|| Annotations::new(gpu, style.light));
        Self { style, annotations, names: None }
    }

    /// Returns how many names of joints the last picture has, of how many that are in it; `None` where none are written.
    #[must_use]
    pub fn names(&self) -> Option<NameCount> {
        self.names
    }

    /// Draws `frame`, which shows `session`. Returns its pixels: RGBA, 8 bits each, sRGB, straight alpha, rows from the top. Lines and
    /// dots are as wide as without supersampling.
    ///
    /// # Errors
    /// The errors of the device.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        renderer: &mut Renderer,
        frame: &mut Frame,
        session: &Session,
    ) -> Result<Vec<u8>, GpuError> {
        let PictureStyle { size: whole, supersampling, legend, sides, models, names, words, .. } = self.style;
        let size = self.style.picture_size();
        widen(frame, supersampling as f32);
        let mut reduced = Reduced::new(size, supersampling);
        render_rows(gpu, renderer, frame, size.map(|side| side * supersampling), &mut |rows| reduced.add(rows))?;
        let mut rgba = if size == whole { reduced.rgba } else { beside_page(&reduced.rgba, size, whole) };
        if let Some(annotations) = &mut self.annotations {
            let (camera, halves) = (frame.camera, frame.is_in_halves());
            let [width, height] = size.map(|side| side as f32);
            let viewport = glam::Vec2::new(if halves { 0.5 * width } else { width }, height);
            let projector = Projector::new(camera.world_from_view, camera.projection, camera.near, viewport);
            let page = 1.0 - width / whole[0] as f32;
            let over = Over { legend, sides, models, names, words, page, projector };
            self.names = annotations.paint(gpu, session, (&over, self.style.letters), whole, &mut rgba)?;
        }
        Ok(rgba)
    }
}

/// Returns a picture with room for a page at its right, which is transparent.
fn beside_page(rgba: &[u8], size: [u32; 2], whole: [u32; 2]) -> Vec<u8> {
    let [row, wide] = [size[0], whole[0]].map(|width| width as usize * 4);
    let mut out = vec![0; wide * whole[1] as usize];
    for (from, to) in rgba.chunks_exact(row).zip(out.chunks_exact_mut(wide)) {
        to[..row].copy_from_slice(from);
    }
    out
}

/// Makes all that is measured in pixels so many times as wide.
fn widen(frame: &mut Frame, factor: f32) {
    if factor == 1.0 {
        return;
    }
    frame.lines.iter_mut().for_each(|line| line.width *= factor);
    frame.display.marks.radius *= factor;
    if let Some(dots) = &mut frame.display.dots {
        dots.radius *= factor;
    }
    frame.beside.iter_mut().for_each(|other| widen(other, factor));
    if let Some(other) = &mut frame.compared {
        widen(&mut other.frame, factor);
    }
}

/// A picture that is made of one that is several times as large: each pixel is the mean of those that it stands for, in linear
/// light, weighted by their alpha.
struct Reduced {
    width: usize,
    factor: usize,
    /// Rows that do not make a whole one yet.
    rows: Vec<u8>,
    linear: [f32; 256],
    rgba: Vec<u8>,
}

impl Reduced {
    fn new(size: [u32; 2], factor: u32) -> Self {
        let linear = std::array::from_fn(|byte| {
            let c = byte as f32 / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        let [width, height] = size.map(|side| side as usize);
        let rgba = Vec::with_capacity(width * height * 4);
        Self { width, factor: factor as usize, rows: Vec::new(), linear, rgba }
    }

    /// Adds rows of the large picture.
    fn add(&mut self, rows: &[u8]) {
        if self.factor == 1 {
            return self.rgba.extend_from_slice(rows);
        }
        self.rows.extend_from_slice(rows);
        let row = self.width * self.factor * 4;
        let whole = self.rows.len() / (row * self.factor) * row * self.factor;
        for rows in self.rows[..whole].chunks_exact(row * self.factor) {
            for x in 0..self.width {
                let pixels = rows.chunks_exact(row).flat_map(|row| {
                    let from = x * self.factor * 4;
                    row[from..from + self.factor * 4].as_chunks::<4>().0
                });
                self.rgba.extend(mean(pixels, &self.linear));
            }
        }
        self.rows.drain(..whole);
    }
}

fn mean<'p>(pixels: impl Iterator<Item = &'p [u8; 4]>, linear: &[f32; 256]) -> [u8; 4] {
    let (mut sum, mut alpha, mut count) = ([0.0_f32; 3], 0.0_f32, 0.0_f32);
    for [r, g, b, a] in pixels {
        let weight = f32::from(*a) / 255.0;
        for (sum, c) in sum.iter_mut().zip([r, g, b]) {
            *sum += weight * linear[usize::from(*c)];
        }
        alpha += weight;
        count += 1.0;
    }
    if alpha == 0.0 {
        return [0; 4];
    }
    let byte = |sum: f32| {
        let c = sum / alpha;
        let c = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        (c * 255.0 + 0.5) as u8
    };
    let [r, g, b] = sum.map(byte);
    [r, g, b, (alpha / count * 255.0 + 0.5) as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_means_of_light_weighted_by_alpha() {
        let linear = Reduced::new([1, 1], 2).linear;
        // Half of the light of white is 188, and not 128.
        let half = [[255, 255, 255, 255], [0, 0, 0, 255]];
        assert_eq!(mean(half.iter(), &linear), [188, 188, 188, 255]);
        // What is not there has no colour.
        assert_eq!(mean([[200, 10, 10, 255], [0, 255, 0, 0]].iter(), &linear), [200, 10, 10, 128]);
        assert_eq!(mean([[9, 9, 9, 0]; 4].iter(), &linear), [0; 4]);
        // Every byte is kept where all are the same.
        assert!((0..=255).all(|c| mean([[c, c, c, 255]; 9].iter(), &linear) == [c, c, c, 255]));
        // Rows come in any portions.
        let large: Vec<u8> =
            (0..6 * 4).flat_map(|i| [10 * (i % 6 / 2) as u8 + 100 * (i / 12) as u8, 0, 0, 255]).collect();
        for portion in [24, 48, 96] {
            let mut reduced = Reduced::new([3, 2], 2);
            large.chunks(portion).for_each(|rows| reduced.add(rows));
            let red: Vec<u8> = reduced.rgba.iter().step_by(4).copied().collect();
            assert_eq!(red, [0, 10, 20, 100, 110, 120], "{portion}");
        }
    }
}
