//! Records the passes of a picture in their order. The two sides of a comparison are drawn in the same passes, each
//! into its own columns.

use skinscope_base::trace::DevicePass;
use skinscope_frame::{Background, Frame};

use super::Renderer;
use super::device_clock::{begin_picture, note, submit_measured};
use super::error::GpuError;
use super::gpu::Gpu;
use super::pipelines::Pipelines;
use super::side_picture::{Setting, SidePicture, Sides, sides};
use super::software::backdrop::Backdrop;
use super::software::late_depth::DRAWS_AT_ONCE;
use super::software::portions::{Queue, portions};
use super::target::{Depth, SceneTarget, begin, clear_color};
use super::transmission::TransmissionTexture;
use super::upload::Textures;

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
        (pipelines.linking.palette, pipelines.linking.rows) = side.upload.palette_in();
        side.through = Some(side.upload.group_with(gpu, pipelines, Textures::of(environment, Some(transmission))));
    }
}

/// Resets the scissor rectangle to the whole target at the end of a pass: OpenGL resolves samples only within the last
/// one.
fn release(pass: &mut wgpu::RenderPass<'_>, target: &SceneTarget) {
    pass.set_scissor_rect(0, 0, target.size[0], target.size[1]);
}
