//! The state of one side of a picture, which is kept from one picture to the next. A picture has one side, or two in a
//! comparison.

use std::collections::HashMap;

use glam::Vec4;
use skinscope_frame::Frame;

use super::Renderer;
use super::error::GpuError;
use super::held::{HeldModel, Loader, Revision};
use super::layouts::PrimitiveKey;
use super::numbers::Numbers;
use super::pipelines::Pipelines;
use super::placed::{PlacedVertices, deformer_of};
use super::scene::Part;
use super::shader::PaletteIn;
use super::target::{Columns, Rows};
use super::upload::Upload;

/// One surface on the device, with everything that its picture reads.
#[derive(Debug, Default)]
pub(super) struct Side {
    /// Its own model; empty on a second side that shows the model of the first.
    pub held: HeldModel,
    pub upload: Option<Upload>,
    /// Numbers and marks of the vertices.
    pub numbers: Numbers,
    /// The vertices, where they are deformed before they are drawn.
    pub placed: PlacedVertices,
    /// The columns of the picture that it takes.
    pub columns: Columns,
    /// The state of the model that `numbers` and `placed` were made for.
    seen: Revision,
}

impl Side {
    /// Uploads everything that this frame needs, the model too if it is another one. `shared`: the side whose model
    /// this one shows too.
    pub fn prepare(
        &mut self,
        loader: &Loader<'_>,
        pipelines: &mut Pipelines,
        frame: &Frame,
        (columns, rows): (Columns, Rows),
        (shared, parts): (Option<&Self>, &mut HashMap<PrimitiveKey, Part>),
    ) -> Result<(), GpuError> {
        let gpu = loader.gpu;
        let held = match shared {
            Some(side) => {
                self.held = HeldModel::default();
                &side.held
            }
            None => {
                self.held.follow(loader, frame, parts)?;
                &self.held
            }
        };
        let now = held.revision();
        if self.seen.vertices != now.vertices {
            self.numbers = Numbers::default();
            self.placed.forget();
        } else if self.seen.weights != now.weights {
            self.numbers.forget_marks();
            self.placed.forget();
        }
        (self.seen, self.columns) = (now, columns);
        let shown = held.get();
        if let Some((model, copy)) = shown {
            self.numbers.follow(gpu, model, copy, frame)?;
        }
        let fit = Renderer::palette_fit(gpu, frame);
        pipelines.linking.palette = match fit.is_uniform() {
            true => PaletteIn::Uniform((fit.limits.uniform / size_of::<Vec4>() as u64) as u32),
            false => PaletteIn::Storage,
        };
        pipelines.linking.late_depth = pipelines.late_depth.is_some();
        let upload = match &mut self.upload {
            Some(upload) => upload,
            None => self.upload.insert(Upload::new(gpu, pipelines)?),
        };
        upload.write(gpu, pipelines, frame, (columns, rows), shown.map(|(_, copy)| &copy.slots))?;
        let Some(shown) = shown else { return Ok(()) };
        let deformer = deformer_of(gpu, frame, held.is_part());
        self.placed.follow(gpu, (pipelines, loader.layouts), shown, (frame, upload), deformer)
    }
}
