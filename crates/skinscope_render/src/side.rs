//! The state of one side of a picture, which lasts from one picture to the next. A picture has one side, or two in a
//! comparison.

use std::collections::HashMap;

use glam::Vec4;
use skinscope_frame::Frame;

use super::Renderer;
use super::error::GpuError;
use super::layouts::PrimitiveKey;
use super::numbers::Numbers;
use super::pipelines::Pipelines;
use super::predeformed::{PredeformedVertices, deformer_of};
use super::resident::{Loader, ResidentModel, Revision};
use super::scene::PrimitivePart;
use super::shader::PaletteIn;
use super::shadow::{ShadowRoom, ShadowState, ShadowViews, SideRevisions, has_shadows};
use super::target::{Columns, Rows};
use super::triangle_order::TriangleOrder;
use super::upload::Upload;

/// One surface on the device, with everything that its picture reads.
#[derive(Debug, Default)]
pub(super) struct SideState {
    /// Its own model; empty on a second side that shows the model of the first.
    pub resident: ResidentModel,
    pub upload: Option<Upload>,
    /// Numbers and marks of the vertices.
    pub numbers: Numbers,
    /// The vertices, where they are deformed before they are drawn.
    pub predeformed: PredeformedVertices,
    /// The order of the triangles of surfaces that blend.
    pub order: TriangleOrder,
    /// The shadows of its model, once it has any.
    pub shadow: Option<ShadowState>,
    /// Whether its picture shows them.
    pub is_shadowed: bool,
    /// Whether it has none because the device has no memory left for them. Another model, and who switches them off and on, asks once more.
    pub lacks_shadow_memory: bool,
    /// The columns of the picture that it takes.
    pub columns: Columns,
    /// The state of the model that `numbers` and `predeformed` were made for.
    seen: Revision,
}

impl SideState {
    /// Uploads everything that this frame needs, the model too if it is another one. `shared`: the side whose model
    /// this one shows too.
    pub fn prepare(
        &mut self,
        loader: &Loader<'_>,
        pipelines: &mut Pipelines,
        frame: &Frame,
        (columns, rows): (Columns, Rows),
        (shared, parts): (Option<&Self>, &mut HashMap<PrimitiveKey, PrimitivePart>),
        shadows: ShadowViews,
    ) -> Result<(), GpuError> {
        let gpu = loader.gpu;
        let resident = match shared {
            Some(side) => {
                self.resident = ResidentModel::default();
                &side.resident
            }
            None => {
                self.resident.follow(loader, frame, parts)?;
                &self.resident
            }
        };
        let now = resident.revision();
        if self.seen.vertices != now.vertices {
            self.lacks_shadow_memory = false;
            self.numbers = Numbers::default();
            self.predeformed.forget();
        } else if self.seen.weights != now.weights {
            self.numbers.forget_marks();
            self.predeformed.forget();
        }
        (self.seen, self.columns) = (now, columns);
        let shown = resident.get();
        if let Some((model, copy)) = shown {
            self.numbers.follow(gpu, model, copy, frame)?;
        }
        let fit = Renderer::palette_fit(gpu, frame);
        pipelines.linking.palette = match fit.is_uniform() {
            true => PaletteIn::Uniform((fit.limits.uniform / size_of::<Vec4>() as u64) as u32),
            false => PaletteIn::Storage,
        };
        pipelines.linking.rows = frame.display.palette_rows.of(frame.method);
        pipelines.linking.late_depth = pipelines.late_depth.is_some() && pipelines.target_format.samples > 1;
        let upload = match &mut self.upload {
            Some(upload) => upload,
            None => self.upload.insert(Upload::new(gpu, pipelines)?),
        };
        let room = ShadowRoom::of(gpu, frame);
        if !frame.display.shadows || self.shadow.as_ref().is_some_and(|shadow| shadow.room() != room) {
            self.shadow = None;
        }
        self.lacks_shadow_memory &= frame.display.shadows;
        let shadows = shadows.at_most(room.most);
        let has_room = shadows != ShadowViews::NONE && !self.lacks_shadow_memory;
        let is_shadowed = has_room && has_shadows(frame) && shown.is_some();
        let shadow = match (&mut self.shadow, is_shadowed) {
            (None, true) => match ShadowState::new(gpu, room) {
                Ok(made) => Some(self.shadow.insert(made)),
                // A picture without shadows is more than none.
                Err(GpuError::OutOfMemory(_)) => {
                    self.lacks_shadow_memory = true;
                    None
                }
                Err(error) => return Err(error),
            },
            (shadow, _) => shadow.as_mut(),
        };
        let bound = shadow.as_ref().map(|shadow| shadow.bindings());
        upload.write(gpu, pipelines, frame, (columns, rows), (shown.map(|(_, copy)| &copy.slots), bound))?;
        self.is_shadowed = false;
        let Some(shown) = shown else { return Ok(()) };
        let deformer = deformer_of(gpu, frame, resident.is_part());
        self.predeformed.follow(gpu, (pipelines, loader.layouts), shown, (frame, upload), deformer)?;
        let (palette, deformed) = (upload.palette_revision(), self.predeformed.made());
        self.order.follow(gpu, frame, shown, now, (palette, deformed))?;
        let revisions = SideRevisions { vertices: now, palette, deformed };
        if let Some(shadow) = shadow.filter(|_| is_shadowed) {
            self.is_shadowed = shadow.follow(gpu, frame, shown, &revisions, shadows)?;
        }
        Ok(())
    }
}
