//! The sides of a picture that is being recorded, and the models that stand beside the first one: what each of them draws,
//! and with which bind groups.

use super::environment::EnvironmentMap;
use super::error::GpuError;
use super::gpu::Gpu;
use super::items::{Item, Items};
use super::numbers::Numbers;
use super::painter::Painter;
use super::pipeline_kind::Kind;
use super::pipelines::Pipelines;
use super::predeformed::PredeformedVertices;
use super::resident::ResidentModel;
use super::shadow::ShadowState;
use super::side::SideState;
use super::target::{Columns, Depths, SceneTarget, begin_depths, set_depths};
use super::triangle_order::TriangleOrder;
use super::upload::{Textures, Upload};
use skinscope_base::trace;
use skinscope_frame::{Frame, TONE_MAPS};

/// One side of a picture that is being recorded.
pub(super) struct SidePicture<'a> {
    pub frame: &'a Frame,
    pub upload: &'a mut Upload,
    pub numbers: &'a Numbers,
    pub predeformed: &'a PredeformedVertices,
    pub order: &'a TriangleOrder,
    pub columns: Columns,
    /// True where the device holds only the part of the model that this picture shows.
    pub is_part: bool,
    pub items: Items<'a>,
    /// The bind group for what an environment lights, where there is one.
    pub around: Option<wgpu::BindGroup>,
    /// The bind group for glass, where the side shows some.
    pub through: Option<wgpu::BindGroup>,
    /// The shadows of the model, where the picture shows them.
    pub shadow: Option<&'a mut ShadowState>,
    /// True where another side draws the background.
    pub is_beside: bool,
}

/// All that a picture is made of.
pub(super) struct Sides<'a> {
    /// The sides of the picture that have columns; the second one only in a comparison.
    pub pair: [Option<SidePicture<'a>>; 2],
    /// The models that stand beside the first side, in the same columns.
    pub beside: Vec<SidePicture<'a>>,
    pub ghosts: Vec<SidePicture<'a>>,
}

impl<'a> Sides<'a> {
    /// The sides and the models beside them, without ghosts.
    pub fn all(&self) -> impl Iterator<Item = &SidePicture<'a>> {
        self.pair.iter().flatten().chain(&self.beside)
    }

    /// Binds the environment for those that it lights.
    pub(crate) fn surround(&mut self, gpu: &Gpu, pipelines: &mut Pipelines, environment: Option<&EnvironmentMap>) {
        for side in self.pair.iter_mut().flatten().chain(&mut self.beside) {
            side.surround(gpu, pipelines, environment);
        }
    }

    /// Draws the depths that the shadows of all of them lack. Returns whether they lacked any. Without an encoder it only asks for the
    /// pipelines.
    pub fn cast(
        &mut self,
        setting: Setting<'_>,
        pipelines: &mut Pipelines,
        mut encoder: Option<&mut wgpu::CommandEncoder>,
    ) -> bool {
        let sides = self.pair.iter_mut().flatten().chain(&mut self.beside);
        sides.fold(false, |casts, side| side.cast(setting, pipelines, encoder.as_deref_mut()) | casts)
    }

    /// Draws the solid surfaces of the models beside the first side, which come before background and floor.
    pub fn ahead(&self, setting: Setting<'_>, pipelines: &mut Pipelines, pass: &mut wgpu::RenderPass<'_>) {
        for side in &self.beside {
            side.paint(setting, pipelines, Some(pass), |painter| painter.solid_ahead(side.solid()));
        }
    }

    /// Draws the rest of the models beside the first side, without bones and lines; `has_ground`: their shadows too.
    pub fn behind(
        &self,
        setting: Setting<'_>,
        pipelines: &mut Pipelines,
        pass: &mut wgpu::RenderPass<'_>,
        has_ground: bool,
    ) -> Result<(), GpuError> {
        self.beside.iter().try_for_each(|side| {
            side.paint(setting, pipelines, Some(pass), |painter| {
                if has_ground {
                    painter.ground_behind(side.solid());
                }
                painter.rest(side.sorted().1, &side.items.all)
            })
        })
    }
}

/// What is the same for both sides of a picture.
#[derive(Clone, Copy)]
pub(super) struct Setting<'a> {
    pub gpu: &'a Gpu,
    pub target: &'a SceneTarget,
    /// The environment that lights the picture.
    pub environment: Option<&'a EnvironmentMap>,
    /// True where the picture has its background already.
    pub has_backdrop: bool,
    /// True where jobs make the edges of large meshes, which are not drawn until they are there.
    pub waits: bool,
}

impl<'a> SidePicture<'a> {
    /// `resident`: the model that the side shows, which may be that of the other side. `expected`: about how many items there are.
    fn new(frame: &'a Frame, resident: &'a ResidentModel, side: SideParts<'a>, expected: usize) -> Option<Self> {
        let SideParts { upload, numbers, predeformed, order, columns, shadow } = side;
        let items = Items::of(frame, resident.get(), expected);
        let is_part = resident.is_part();
        let (around, through, is_beside) = (None, None, false);
        Some(Self {
            frame,
            upload: upload?,
            numbers,
            predeformed,
            order,
            columns,
            is_part,
            items,
            around,
            through,
            shadow,
            is_beside,
        })
    }

    /// Binds the environment, where one lights this side.
    pub(crate) fn surround(&mut self, gpu: &Gpu, pipelines: &mut Pipelines, environment: Option<&EnvironmentMap>) {
        if environment.is_some() && self.frame.surroundings().is_some() {
            (pipelines.linking.palette, pipelines.linking.rows) = self.upload.palette_in();
            self.around = Some(self.upload.group_with(gpu, pipelines, Textures::of(environment, None)));
        }
    }

    /// The items that hide what lies behind them, in the order in which they are drawn.
    pub fn solid(&self) -> &[Item<'a>] {
        self.items.surfaces(self.frame).0
    }

    /// The items that show what lies behind them: first those behind the farthest glass, then those from that glass on.
    pub fn sorted(&self) -> (&[Item<'a>], &[Item<'a>]) {
        let (_, sorted) = self.items.surfaces(self.frame);
        sorted.split_at(sorted.iter().position(|item| item.traits.transmits).unwrap_or(0))
    }

    pub(crate) fn has_glass(&self) -> bool {
        self.items.surfaces(self.frame).1.iter().any(|item| item.traits.transmits)
    }

    /// Calls `work` with a painter that draws into the side's own columns; without a pass it only asks for the pipelines.
    pub fn paint<T>(
        &self,
        setting: Setting<'_>,
        pipelines: &mut Pipelines,
        mut pass: Option<&mut wgpu::RenderPass<'_>>,
        work: impl FnOnce(&mut Painter<'_, '_>) -> T,
    ) -> T {
        if let Some(pass) = pass.as_deref_mut() {
            self.columns.restrict(pass, setting.target);
            pass.set_bind_group(0, &self.upload.group, &[]);
        }
        self.paint_with(setting, pipelines, pass, work)
    }

    /// Does the same as [`SidePicture::paint`] in a pass whose area and bind group of the frame are set.
    fn paint_with<T>(
        &self,
        setting: Setting<'_>,
        pipelines: &mut Pipelines,
        pass: Option<&mut wgpu::RenderPass<'_>>,
        work: impl FnOnce(&mut Painter<'_, '_>) -> T,
    ) -> T {
        let Setting { gpu, has_backdrop, waits, .. } = setting;
        let Self { frame, upload, numbers, predeformed, order, .. } = self;
        let has_backdrop = has_backdrop || self.is_beside;
        (pipelines.linking.palette, pipelines.linking.rows) = upload.palette_in();
        pipelines.linking.tone_map = tone_map_index(frame);
        pipelines.linking.environment = frame.surroundings().is_some();
        pipelines.linking.shadowed = self.shadow.is_some();
        let around = self.around.as_ref().unwrap_or(&upload.group);
        let groups = [&upload.group, around, self.through.as_ref().unwrap_or(around)];
        work(&mut Painter { gpu, pipelines, numbers, predeformed, order, frame, pass, groups, has_backdrop, waits })
    }

    /// Draws the depths of the model that shadows lack. Returns whether they lack any. Without an encoder it only asks for the pipelines.
    pub fn cast(
        &mut self,
        setting: Setting<'_>,
        pipelines: &mut Pipelines,
        encoder: Option<&mut wgpu::CommandEncoder>,
    ) -> bool {
        let Some(shadow) = self.shadow.take() else { return false };
        let group = self.upload.group_of_casters(setting.gpu, pipelines);
        let missing: Vec<_> = shadow.missing().collect();
        let casts = !missing.is_empty();
        let mut encoder = encoder.zip(group.as_ref());
        for (depths, goes_on, views) in missing {
            let mut pass = encoder.as_mut().map(|(encoder, group)| {
                let mut pass = begin_depths(encoder, depths, goes_on);
                pass.set_bind_group(0, *group, &[]);
                pass
            });
            let casters = self.solid();
            let work = |painter: &mut Painter<'_, '_>| casters.iter().for_each(|item| painter.cast(item, &views));
            self.paint_with(setting, pipelines, pass.as_mut(), work);
        }
        if encoder.is_some() && !pipelines.lacks_any() {
            shadow.drawn();
        }
        self.shadow = Some(shadow);
        casts
    }

    /// Draws bones and lines over the scene. They hide one another, but nothing of the scene hides them.
    pub fn over(&self, setting: Setting<'_>, pipelines: &mut Pipelines, pass: Option<&mut wgpu::RenderPass<'_>>) {
        let Self { frame, upload, .. } = self;
        let mut ready = |count: u32, kind| (count > 0).then(|| pipelines.plain(setting.gpu, kind)).flatten();
        let bones = ready(upload.bones.count(), Kind::Bones);
        let lines = ready(frame.lines.len() as u32, Kind::Lines);
        let Some(pass) = pass else { return };
        set_depths(pass, setting.target, self.columns, Depths::Over);
        pass.set_bind_group(0, &upload.group, &[]);
        if let Some(pipeline) = bones {
            pass.set_pipeline(&pipeline);
            pass.set_vertex_buffer(0, upload.bones.buffer.slice(..));
            trace::count_draws(1);
            pass.draw(0..4, 0..upload.bones.count());
        }
        if let Some(pipeline) = lines {
            pass.set_pipeline(&pipeline);
            pass.set_vertex_buffer(0, upload.lines.buffer.slice(..));
            trace::count_draws(1);
            pass.draw(0..4, 0..frame.lines.len() as u32);
        }
    }
}

/// The index in [`TONE_MAPS`] of the tone map of a picture.
fn tone_map_index(frame: &Frame) -> u8 {
    TONE_MAPS.iter().position(|map| map == frame.display.tone_map).unwrap_or(0) as u8
}

/// The state of a side, without its model.
struct SideParts<'a> {
    upload: Option<&'a mut Upload>,
    numbers: &'a Numbers,
    predeformed: &'a PredeformedVertices,
    order: &'a TriangleOrder,
    columns: Columns,
    shadow: Option<&'a mut ShadowState>,
}

/// The model of a side, and the rest of its state.
fn parted(side: &mut SideState) -> (&ResidentModel, SideParts<'_>) {
    let SideState { resident, upload, numbers, predeformed, order, columns, shadow, is_shadowed, .. } = side;
    let shadow = shadow.as_mut().filter(|_| *is_shadowed);
    (resident, SideParts { upload: upload.as_mut(), numbers, predeformed, order, columns: *columns, shadow })
}

/// Returns all that the picture of `frame` is made of: its sides, then ghosts and the models beside it. `expected`: about how many items
/// each has.
pub(super) fn sides<'a>(
    (first, second): (&'a mut SideState, Option<&'a mut SideState>),
    (ghosts, beside): (&'a mut [SideState], &'a mut [SideState]),
    frame: &'a Frame,
    expected: usize,
) -> Sides<'a> {
    let (resident, parts) = parted(first);
    let left = SidePicture::new(frame, resident, parts, expected);
    let compared = frame.compared.as_deref().zip(second);
    let right = compared.and_then(|(compared, side)| {
        let (own, parts) = parted(side);
        let resident = if compared.frame.shows_model_of(frame) { resident } else { own };
        SidePicture::new(&compared.frame, resident, parts, expected)
    });
    let ghosts = frame
        .ghosts
        .iter()
        .zip(ghosts)
        .filter_map(|(ghost, side)| SidePicture::new(ghost, resident, parted(side).1, expected));
    let beside = frame.beside.iter().zip(beside).filter_map(|(other, side)| {
        let (resident, parts) = parted(side);
        Some(SidePicture { is_beside: true, ..SidePicture::new(other, resident, parts, 0)? })
    });
    Sides {
        ghosts: ghosts.collect(),
        beside: beside.collect(),
        pair: [left, right].map(|side| side.filter(|side| !side.columns.is_empty())),
    }
}
