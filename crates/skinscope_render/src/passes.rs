//! Records the passes of a picture in their order. The two sides of a comparison are drawn in the same passes, each
//! into its own columns.

use skinscope_base::trace::{self, DevicePass};
use skinscope_frame::{Background, Frame, TONE_MAPS};

use super::Renderer;
use super::device_clock::{begin_picture, note, submit_measured};
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
use super::software::backdrop::Backdrop;
use super::software::late_depth::DRAWS_AT_ONCE;
use super::software::portions::{Queue, portions};
use super::target::{Columns, Depth, Depths, SceneTarget, begin, begin_depths, clear_color, set_depths};
use super::transmission::TransmissionTexture;
use super::triangle_order::TriangleOrder;
use super::upload::{Textures, Upload};

/// One side of a picture that is being recorded.
struct SidePicture<'a> {
    frame: &'a Frame,
    upload: &'a mut Upload,
    numbers: &'a Numbers,
    predeformed: &'a PredeformedVertices,
    order: &'a TriangleOrder,
    columns: Columns,
    /// True where the device holds only the part of the model that this picture shows.
    is_part: bool,
    items: Items<'a>,
    /// The bind group for what an environment lights, where there is one.
    around: Option<wgpu::BindGroup>,
    /// The bind group for glass, where the side shows some.
    through: Option<wgpu::BindGroup>,
    /// The shadows of the model, where the picture shows them.
    shadow: Option<&'a mut ShadowState>,
    /// True where another side draws the background.
    is_beside: bool,
}

/// All that a picture is made of.
struct Sides<'a> {
    /// The sides of the picture that have columns; the second one only in a comparison.
    pair: [Option<SidePicture<'a>>; 2],
    /// The models that stand beside the first side, in the same columns.
    beside: Vec<SidePicture<'a>>,
    ghosts: Vec<SidePicture<'a>>,
}

impl<'a> Sides<'a> {
    /// The sides and the models beside them, without ghosts.
    fn all(&self) -> impl Iterator<Item = &SidePicture<'a>> {
        self.pair.iter().flatten().chain(&self.beside)
    }

    /// Binds the environment for those that it lights.
    fn surround(&mut self, gpu: &Gpu, pipelines: &mut Pipelines, environment: Option<&EnvironmentMap>) {
        for side in self.pair.iter_mut().flatten().chain(&mut self.beside) {
            side.surround(gpu, pipelines, environment);
        }
    }

    /// Draws the depths that the shadows of all of them lack. Returns whether they lacked any. Without an encoder it only asks for the
    /// pipelines.
    fn cast(
        &mut self,
        setting: Setting<'_>,
        pipelines: &mut Pipelines,
        mut encoder: Option<&mut wgpu::CommandEncoder>,
    ) -> bool {
        let sides = self.pair.iter_mut().flatten().chain(&mut self.beside);
        sides.fold(false, |casts, side| side.cast(setting, pipelines, encoder.as_deref_mut()) | casts)
    }

    /// Draws the solid surfaces of the models beside the first side, which come before background and floor.
    fn ahead(&self, setting: Setting<'_>, pipelines: &mut Pipelines, pass: &mut wgpu::RenderPass<'_>) {
        for side in &self.beside {
            side.paint(setting, pipelines, Some(pass), |painter| painter.solid_ahead(side.solid()));
        }
    }

    /// Draws the rest of the models beside the first side, without bones and lines; `has_ground`: their shadows too.
    fn behind(
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
struct Setting<'a> {
    gpu: &'a Gpu,
    target: &'a SceneTarget,
    /// The environment that lights the picture.
    environment: Option<&'a EnvironmentMap>,
    /// True where the picture has its background already.
    has_backdrop: bool,
    /// True where jobs make the edges of large meshes, which are not drawn until they are there.
    waits: bool,
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
    fn surround(&mut self, gpu: &Gpu, pipelines: &mut Pipelines, environment: Option<&EnvironmentMap>) {
        if environment.is_some() && self.frame.surroundings().is_some() {
            pipelines.linking.palette = self.upload.palette_in();
            self.around = Some(self.upload.group_with(gpu, pipelines, Textures::of(environment, None)));
        }
    }

    /// The items that hide what lies behind them, in the order in which they are drawn.
    fn solid(&self) -> &[Item<'a>] {
        self.items.surfaces(self.frame).0
    }

    /// The items that show what lies behind them: first those behind the farthest glass, then those from that glass on.
    fn sorted(&self) -> (&[Item<'a>], &[Item<'a>]) {
        let (_, sorted) = self.items.surfaces(self.frame);
        sorted.split_at(sorted.iter().position(|item| item.traits.transmits).unwrap_or(0))
    }

    fn has_glass(&self) -> bool {
        self.items.surfaces(self.frame).1.iter().any(|item| item.traits.transmits)
    }

    /// Calls `work` with a painter that draws into the side's own columns; without a pass it only asks for the pipelines.
    fn paint<T>(
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
        pipelines.linking.palette = upload.palette_in();
        pipelines.linking.tone_map = tone_map_index(frame);
        pipelines.linking.environment = frame.surroundings().is_some();
        pipelines.linking.shadowed = self.shadow.is_some();
        let around = self.around.as_ref().unwrap_or(&upload.group);
        let groups = [&upload.group, around, self.through.as_ref().unwrap_or(around)];
        work(&mut Painter { gpu, pipelines, numbers, predeformed, order, frame, pass, groups, has_backdrop, waits })
    }

    /// Draws the depths of the model that shadows lack. Returns whether they lack any. Without an encoder it only asks for the pipelines.
    fn cast(
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
    fn over(&self, setting: Setting<'_>, pipelines: &mut Pipelines, pass: Option<&mut wgpu::RenderPass<'_>>) {
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

impl Renderer {
    /// Draws what was prepared into `target`. Returns false, and draws nothing, where pipelines are missing, which are
    /// then compiled in the background.
    pub(super) fn record(&mut self, gpu: &Gpu, frame: &Frame, target: &SceneTarget) -> Result<bool, GpuError> {
        if !self.pipelines.waits && !self.has_shown_model {
            // The first picture compiles what it needs on all cores. Later ones lack little.
            self.pipelines.waits = true;
            let asked = self.ask_for_pipelines(gpu, frame, target);
            self.pipelines.waits = false;
            asked?;
            self.pipelines.compile_all(gpu);
        }
        if !self.has_environment(gpu, frame)? {
            self.ask_for_pipelines(gpu, frame, target)?;
            self.compile_missing();
            return Ok(false);
        }
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("picture") });
        begin_picture(&mut self.device_clocks, &mut encoder);
        self.scene(gpu, frame, target, &mut encoder)?;
        if self.compile_missing() {
            // The backdrop may have been drawn by commands that are not submitted now.
            self.backdrop = None;
            return Ok(false);
        }
        let clock = self.device_clocks.as_mut().map(|clocks| &mut clocks.picture);
        submit_measured(gpu, encoder, clock, DevicePass::Picture);
        Ok(true)
    }

    /// Asks for the pipelines of the picture of `frame`, and draws nothing. Returns true where it lacks some, which are
    /// then compiled in the background.
    pub(super) fn asks_in_vain(&mut self, gpu: &Gpu, frame: &Frame, shown: &SceneTarget) -> Result<bool, GpuError> {
        self.ask_for_pipelines(gpu, frame, shown)?;
        let has_environment = self.has_environment(gpu, frame)?;
        Ok(self.compile_missing() || !has_environment)
    }

    /// Makes the environment that lights `frame`, if one does. Returns whether it is there; in a window it may come later.
    fn has_environment(&mut self, gpu: &Gpu, frame: &Frame) -> Result<bool, GpuError> {
        let Self { environments, pipelines, jobs, .. } = self;
        environments.follow(gpu, &pipelines.factory, jobs.as_ref().filter(|_| pipelines.waits), frame)
    }

    /// Asks for the pipelines of the picture of `frame`, and draws nothing.
    fn ask_for_pipelines(&mut self, gpu: &Gpu, frame: &Frame, shown: &SceneTarget) -> Result<(), GpuError> {
        let Self { first, second, ghosts, beside, pipelines, .. } = self;
        let mut sides = sides((first, second.as_deref_mut()), (ghosts, beside), frame, 0);
        if sides.all().any(SidePicture::has_glass) {
            pipelines.transmission(gpu);
        }
        let setting = Setting { gpu, target: shown, environment: None, has_backdrop: false, waits: true };
        sides.cast(setting, pipelines, None);
        for side in sides.all() {
            side.paint(setting, pipelines, None, |painter| {
                painter.ground(side.solid());
                painter.sorted(side.sorted().0);
                painter.rest(side.sorted().1, &side.items.all)
            })?;
            side.over(setting, pipelines, None);
        }
        for ghost in &sides.ghosts {
            ghost.paint(setting, pipelines, None, |painter| painter.ghost(&ghost.items.all));
        }
        Ok(())
    }

    /// True where the picture lacks pipelines, which are then being compiled in the background.
    pub(super) fn compile_missing(&mut self) -> bool {
        let Self { pipelines, jobs, .. } = self;
        jobs.as_ref().is_some_and(|jobs| pipelines.compile_missing(jobs))
    }

    fn scene(
        &mut self,
        gpu: &Gpu,
        frame: &Frame,
        target: &SceneTarget,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuError> {
        let Self { first, second, ghosts, beside, pipelines, environments, in_memory, surfaces: expected, .. } = self;
        let mut sides = sides((first, second.as_deref_mut()), (ghosts, beside), frame, *expected);
        let surfaces = sides.all().map(|side| side.items.all.len()).sum();
        let environment = environments.of(frame);
        sides.surround(gpu, pipelines, environment);
        let display = &frame.display;
        let mut load = wgpu::LoadOp::Clear(clear_color(display.background));
        // With OpenGL, Mesa's software driver sometimes loses what is drawn after the copy of a background.
        let copies =
            gpu.software.backdrop && target.target_format.samples == 1 && gpu.info.backend != wgpu::Backend::Gl;
        let is_alike =
            |side: &SidePicture<'_>| side.frame.display.background == display.background && side.columns.spans(target);
        let is_studio = matches!(display.background, Background::Studio { .. });
        let has_backdrop =
            copies && is_studio && !frame.shows_surroundings() && sides.pair.iter().flatten().all(is_alike);
        let ends_by_itself = pipelines.linking.late_depth && target.target_format.samples > 1;
        let at_once = ends_by_itself.then_some(DRAWS_AT_ONCE);
        let setting = Setting { gpu, target, environment, has_backdrop, waits: self.jobs.is_some() };
        let casts = sides.cast(setting, pipelines, Some(&mut *encoder));
        note(&mut self.device_clocks, encoder, casts.then_some(DevicePass::Shadows));
        if let Some(side) = sides.all().next().filter(|_| has_backdrop) {
            Backdrop::put(&mut self.backdrop, gpu, pipelines, display, (target, &side.upload.group), encoder);
            load = wgpu::LoadOp::Load;
        }
        let has_glass = sides.all().any(SidePicture::has_glass);
        if has_glass {
            let made = self.transmission.take().or_else(|| TransmissionTexture::new(gpu, pipelines, target.size));
            // The picture lacks this pipeline, so it is not shown.
            let Some(made) = made else { return Ok(()) };
            behind_glass(setting, pipelines, &mut sides, self.transmission.insert(made), (load, encoder));
            load = wgpu::LoadOp::Load;
        }
        note(&mut self.device_clocks, encoder, has_glass.then_some(DevicePass::BehindGlass));
        let mut depth = if has_glass { Depth::Taken } else { Depth::Own };
        let mut queue = Queue::default();
        // The last portion of each side; `None` where its solid items are not divided.
        let mut last = [None, None];
        for (side, last) in sides.pair.iter().zip(&mut last) {
            let Some(side) = side else { continue };
            // A translucent surface is not divided, since all of its depth has to be drawn before any of its colour.
            let is_opaque = side.frame.display.skin_opacity >= 1.0;
            let divides = *in_memory && gpu.software.portions && !has_glass && is_opaque;
            let mut portions = if divides { portions(side.solid(), side.is_part, at_once) } else { Vec::new() };
            *last = portions.pop();
            for portion in &portions {
                let stored = if depth == Depth::Own { Depth::Stored } else { Depth::Passed };
                {
                    let mut pass = begin(encoder, target, load, None, stored);
                    side.paint(setting, pipelines, Some(&mut pass), |painter| painter.solid(portion));
                    release(&mut pass, target);
                }
                queue.submit(gpu, encoder)?;
                (depth, load) = (Depth::Taken, wgpu::LoadOp::Load);
            }
        }
        let mut pass = begin(encoder, target, load, Some(&target.view), depth);
        if !has_glass {
            sides.ahead(setting, pipelines, &mut pass);
        }
        for (side, last) in sides.pair.iter().zip(&last) {
            let Some(side) = side else { continue };
            if !has_glass {
                side.paint(setting, pipelines, Some(&mut pass), |painter| {
                    painter.ground(last.as_deref().unwrap_or(side.solid()));
                });
            }
            // There are ghosts and other models only where there is one side.
            sides.behind(setting, pipelines, &mut pass, !has_glass)?;
            for ghost in &sides.ghosts {
                ghost.paint(setting, pipelines, Some(&mut pass), |painter| painter.ghost(&ghost.items.all));
            }
            side.paint(setting, pipelines, Some(&mut pass), |painter| painter.rest(side.sorted().1, &side.items.all))?;
            sides.beside.iter().for_each(|other| other.over(setting, pipelines, Some(&mut pass)));
            side.over(setting, pipelines, Some(&mut pass));
        }
        release(&mut pass, target);
        drop(pass);
        drop(sides);
        self.surfaces = surfaces;
        Ok(())
    }
}

/// Draws everything behind the farthest glass, then resolves and blurs it into `transmission`, which the glass of each side
/// reads.
fn behind_glass(
    setting: Setting<'_>,
    pipelines: &mut Pipelines,
    sides: &mut Sides<'_>,
    transmission: &mut TransmissionTexture,
    (load, encoder): (wgpu::LoadOp<wgpu::Color>, &mut wgpu::CommandEncoder),
) {
    let Setting { gpu, target, environment, .. } = setting;
    {
        let mut pass = begin(encoder, target, load, Some(&transmission.first), Depth::Stored);
        sides.ahead(setting, pipelines, &mut pass);
        for side in sides.pair.iter().flatten() {
            side.paint(setting, pipelines, Some(&mut pass), |painter| {
                painter.ground(side.solid());
                painter.sorted(side.sorted().0);
            });
        }
        for side in &sides.beside {
            side.paint(setting, pipelines, Some(&mut pass), |painter| {
                painter.ground_behind(side.solid());
                painter.sorted(side.sorted().0);
            });
        }
        release(&mut pass, target);
    }
    transmission.take(target, encoder);
    let all = sides.pair.iter_mut().flatten().chain(&mut sides.beside);
    for side in all.filter(|side| side.has_glass()) {
        pipelines.linking.palette = side.upload.palette_in();
        side.through = Some(side.upload.group_with(gpu, pipelines, Textures::of(environment, Some(transmission))));
    }
}

/// The model of a side, and the rest of its state.
fn parted(side: &mut SideState) -> (&ResidentModel, SideParts<'_>) {
    let SideState { resident, upload, numbers, predeformed, order, columns, shadow, is_shadowed, .. } = side;
    let shadow = shadow.as_mut().filter(|_| *is_shadowed);
    (resident, SideParts { upload: upload.as_mut(), numbers, predeformed, order, columns: *columns, shadow })
}

/// Returns all that the picture of `frame` is made of: its sides, then ghosts and the models beside it. `expected`: about how many items
/// each has.
fn sides<'a>(
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

/// Resets the scissor rectangle to the whole target at the end of a pass: OpenGL resolves samples only within the last
/// one.
fn release(pass: &mut wgpu::RenderPass<'_>, target: &SceneTarget) {
    pass.set_scissor_rect(0, 0, target.size[0], target.size[1]);
}
