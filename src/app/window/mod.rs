//! One window and egui in it. A graphics device that is lost goes with its [`Screen`]; the window stays and gets
//! another.

mod controls;
mod costs;
mod damage;
mod device_recovery;
mod gpu_messages;
mod ground;
mod input;
mod over;
mod paint_jobs;
pub(super) mod panels;
mod pointer_rest;
mod presenting;
pub(super) mod screen;
mod title;
mod visibility;
mod window_size;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use winit::dpi::{LogicalSize, PhysicalSize};
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoopProxy, OwnedDisplayHandle};
use winit::window::{Fullscreen, Window as OsWindow};

use self::controls::Controls;
use self::device_recovery::Recovery;
use self::gpu_messages::GpuMessages;
use self::input::{KeyboardLayout, number_pad};
use self::paint_jobs::{LaidOut, UiPaintJobs};
use self::panels::KeptPictures;
use self::pointer_rest::PointerRest;
use self::screen::{AntialiasingRequest, DeviceOptions, PresentResult, Screen};
use self::title::title;
use self::visibility::WindowVisibility;
use self::window_size::{SMALLEST, default_size, fitted, room};
use super::AppError;
use super::settings::Settings;
use super::ui::fonts::{FallbackFonts, FontSearch};
use super::ui::{self, Status, UiState, ViewportArea};
use super::user_event::UserEvent;
use crate::deform::PaletteFit;
use crate::frame::{Background, Frame};
use crate::model::{BlockFormats, Model};
use crate::render::{Backend, BackgroundWork, GpuError, Renderer, guarded};
use crate::session::{Antialiasing, Command, Session};

pub(crate) struct Window {
    // Fields drop in this order: the surface before the window it lies on.
    /// The device's part; `None` while a lost device has not been replaced.
    screen: Option<Screen>,
    recovery: Recovery,
    /// Why the device was lost last.
    reason: String,
    messages: GpuMessages,
    egui: egui::Context,
    fonts: FallbackFonts,
    input: egui_winit::State,
    layout: KeyboardLayout,
    pointer: PointerRest,
    /// The result of egui's last pass, until it is painted.
    output: Option<egui::FullOutput>,
    /// Whether the panels of the last pass wait to be shown again by themselves, at once or later.
    wants_repaint: bool,
    /// The rectangle that egui left for the picture, points.
    area: ViewportArea,
    painted: UiPaintJobs,
    pictures: KeptPictures,
    sight: WindowVisibility,
    device_options: DeviceOptions,
    /// The title that the window has.
    title: String,
    /// Whether the window was asked to fill the screen.
    fills_screen: bool,
    /// The colour where nothing is drawn.
    ground: [u8; 3],
    controls: Option<Controls>,
    display: OwnedDisplayHandle,
    os: Arc<OsWindow>,
}

impl Window {
    /// Opens a window of `pixels` (else of the remembered size), with a surface and egui on it. Where nothing is drawn yet it has the
    /// colour of `background`.
    pub(crate) fn open(
        event_loop: &ActiveEventLoop,
        proxy: &EventLoopProxy<UserEvent>,
        settings: &Settings,
        (pixels, background): (Option<[u32; 2]>, Background),
        device_options: DeviceOptions,
    ) -> Result<Self, AppError> {
        let attributes = OsWindow::default_attributes()
            .with_title("Skinscope")
            .with_visible(false)
            .with_min_inner_size(LogicalSize::new(SMALLEST[0], SMALLEST[1]));
        let attributes = match (pixels, settings.size) {
            (Some([w, h]), _) => {
                attributes.with_inner_size(PhysicalSize::new(w, h)).with_min_inner_size(PhysicalSize::new(1, 1))
            }
            (None, wanted) if wanted[0] >= SMALLEST[0] && wanted[1] >= SMALLEST[1] => {
                attributes.with_inner_size(fitted(wanted, room(event_loop)))
            }
            _ => attributes.with_inner_size(default_size(event_loop)),
        };
        let os = event_loop.create_window(attributes).map_err(|e| AppError::NoDisplay(e.to_string()))?;
        let os = Arc::new(os);
        let display = event_loop.owned_display_handle();
        let screen = guarded(|| Screen::open(&os, &display, device_options))?;
        let [size, most] = [os.inner_size(), PhysicalSize::new(screen.most_pixels(), screen.most_pixels())];
        if size.width > most.width || size.height > most.height {
            // The result is an event like any change of size.
            let _asked =
                os.request_inner_size(PhysicalSize::new(size.width.min(most.width), size.height.min(most.height)));
        }
        let egui = egui::Context::default();
        ui::install(&egui);
        let fonts = FallbackFonts::default();
        fonts.install(&egui);
        let limit = screen.atlas_side();
        let scale = Some(os.scale_factor() as f32);
        let mut input = egui_winit::State::new(egui.clone(), egui::ViewportId::ROOT, &*os, scale, None, Some(limit));
        input.init_accesskit(event_loop, &os, proxy.clone());
        let ground = presenting::bytes(background);
        ground::set(&os, ground);
        os.set_visible(true);
        let size = os.inner_size();
        Ok(Self {
            screen: Some(screen),
            recovery: Recovery::default(),
            reason: String::new(),
            messages: GpuMessages::default(),
            egui,
            fonts,
            input,
            layout: KeyboardLayout::default(),
            pointer: PointerRest::default(),
            output: None,
            wants_repaint: true,
            area: ViewportArea::default(),
            painted: UiPaintJobs::default(),
            pictures: KeptPictures::default(),
            sight: WindowVisibility::new(size.width > 0 && size.height > 0),
            device_options,
            title: String::new(),
            fills_screen: false,
            ground,
            controls: None,
            display,
            os,
        })
    }

    pub(crate) fn adapter_name(&self) -> String {
        let name = |screen: &Screen| format!("{} ({:?})", screen.gpu.info.name, screen.gpu.info.backend);
        self.screen.as_ref().map_or_else(|| "none at present".into(), name)
    }

    /// Returns the buffer that pictures of `frame` read the palette from, and why; `None` while there is no device.
    pub(crate) fn palette_fit(&self, frame: &Frame) -> Option<PaletteFit> {
        self.screen.as_ref().map(|screen| Renderer::palette_fit(&screen.gpu, frame))
    }

    pub(crate) fn block_formats(&self) -> BlockFormats {
        self.screen.as_ref().map_or_else(BlockFormats::default, |s| s.gpu.block_formats())
    }

    /// Lists the controls in a file from now on.
    pub(crate) fn list_controls(&mut self, path: PathBuf) {
        self.egui.enable_accesskit();
        self.controls = Some(Controls::new(path));
    }

    /// Names the open model in the title, and the session file where one is open (by its name, without the folder); a dot tells that
    /// something was made which no file has.
    pub(crate) fn set_title(&mut self, session: &Session, session_file: Option<&str>) {
        let title = title(session, session_file);
        if title != self.title {
            self.os.set_title(&title);
            self.title = title;
        }
    }

    /// Fills the screen that the window is on, or gives the window its own size again.
    pub(crate) fn fill_screen(&mut self, fills: bool) {
        // The window system may have changed it meanwhile, which is left as it is.
        if fills != self.fills_screen {
            self.os.set_fullscreen(fills.then_some(Fullscreen::Borderless(None)));
            self.fills_screen = fills;
        }
    }

    pub(crate) fn request_redraw(&self) {
        self.os.request_redraw();
    }

    pub(crate) fn size_in_points(&self) -> [f32; 2] {
        let size = self.os.inner_size().to_logical(self.os.scale_factor());
        [size.width, size.height]
    }

    /// Takes the message that says what the GPU could not do; each is returned once.
    pub(crate) fn take_complaint(&mut self) -> Option<String> {
        self.messages.take()
    }

    /// Returns messages about parts of the model that are not shown as its file has them.
    pub(crate) fn notices(&self) -> Vec<String> {
        let mut notices = self.screen.as_ref().map_or(Vec::new(), Screen::notices);
        notices.extend(self.fonts.notices());
        notices
    }

    /// Takes the letters on the screen that no font has yet, to be looked for among those of the system.
    pub(crate) fn take_wanted_letters(&self) -> Option<BTreeSet<char>> {
        self.fonts.take_wanted()
    }

    /// Puts a picture on the clipboard: RGBA, 8 bits each, straight alpha.
    pub(crate) fn copy_picture(&self, size: [u32; 2], rgba: &[u8]) {
        let image = egui::ColorImage::from_rgba_unmultiplied(size.map(|side| side as usize), rgba);
        self.egui.copy_image(image);
        self.os.request_redraw();
    }

    /// Adds fonts for letters that the others lack.
    pub(crate) fn add_fonts(&self, found: FontSearch) {
        self.fonts.add(&self.egui, found);
    }

    /// Allows letters that no font had to be looked for again when they are shown again.
    pub(crate) fn forget_missing_letters(&self) {
        self.fonts.forget_missing(&self.egui);
    }

    /// Closes the device before the program ends.
    pub(crate) fn close(mut self) {
        if let Some(screen) = self.screen.take() {
            screen.close();
        }
    }

    /// Begins to bring a model to the device before it is shown. Returns true while that is under way; false where it
    /// is there, or will be with the first picture.
    pub(crate) fn begin(&mut self, model: &Arc<Model>) -> bool {
        self.screen.as_mut().is_some_and(|screen| screen.begin(model))
    }

    /// Cancels bringing any model but this one to the device.
    pub(crate) fn forget_others(&mut self, model: Option<&Arc<Model>>) {
        if let Some(screen) = &mut self.screen {
            screen.forget_others(model);
        }
    }

    /// Returns whether measuring a surface in motion is to rest between two poses, since the same processor draws.
    pub(crate) fn measures_rest(&self) -> bool {
        self.screen.as_ref().is_some_and(Screen::measures_rest)
    }

    /// Returns the work that brings something to the device, and the share of it that is done, 0…1.
    pub(crate) fn doing(&self) -> Option<(BackgroundWork, f32)> {
        self.screen.as_ref().and_then(Screen::doing)
    }

    /// Gives an event to egui, for the next frame.
    pub(crate) fn on_event(&mut self, event: &WindowEvent) {
        let before = self.input.egui_input().events.len();
        let response = self.input.on_window_event(&self.os, event);
        if let WindowEvent::KeyboardInput { event: key, .. } = event {
            self.layout.note(key.physical_key, &key.logical_key);
            let events = self.input.egui_input_mut().events.get_mut(before..).unwrap_or_default();
            ui::take_by_place(events, self.layout.types_latin());
            if let Some(digit) = number_pad(key) {
                ui::mark_number_pad(events, digit);
            }
        }
        if response.repaint && !matches!(event, WindowEvent::RedrawRequested) {
            self.os.request_redraw();
        }
    }

    pub(crate) fn on_accesskit(&mut self, event: egui_winit::accesskit_winit::Event) {
        use egui_winit::accesskit_winit::WindowEvent as Access;
        match event.window_event {
            Access::InitialTreeRequested => self.egui.enable_accesskit(),
            Access::ActionRequested(request) => self.input.on_accesskit_action_request(request),
            Access::AccessibilityDeactivated => self.egui.disable_accesskit(),
        }
        self.os.request_redraw();
    }

    pub(crate) fn resize(&mut self, size: PhysicalSize<u32>) {
        self.sight.has_area = size.width > 0 && size.height > 0;
        if !self.sight.has_area {
            return;
        }
        if let Some(screen) = &mut self.screen
            && let Err(error) = guarded(|| screen.resize(size))
        {
            // The next frame finds out whether the device is lost.
            self.messages.add(error.to_string());
        }
        self.os.request_redraw();
    }

    /// Notes that something covers all of it, or no longer does.
    pub(crate) fn cover(&mut self, covered: bool) {
        self.sight.covered = covered;
        if !covered {
            self.os.request_redraw();
        }
    }

    /// Returns whether the panels of the last pass wait to be shown again by themselves, such as for a cursor that blinks.
    pub(crate) fn wants_repaint(&self) -> bool {
        self.wants_repaint
    }

    /// Lets what opens and closes fade, or not.
    pub(crate) fn fade(&self, is_on: bool) {
        ui::set_fading(&self.egui, is_on);
    }

    /// Takes the events that have come in since the last frame, in turns that egui is given one after the other.
    pub(crate) fn take_input(&mut self) -> Vec<egui::RawInput> {
        let mut input = self.input.take_egui_input(&self.os);
        self.pointer.filter(&mut input.events);
        ui::turns(input)
    }

    /// Lays out the panels for one turn and returns the commands that they ask for. Those of the last turn are painted.
    pub(crate) fn run_ui(
        &mut self,
        event_loop: &ActiveEventLoop,
        turn: egui::RawInput,
        session: &Session,
        state: &mut UiState,
        status: &Status,
    ) -> Vec<Command> {
        let mut commands = Vec::new();
        // A pass that egui discards may be the one that saw the click, so its commands count too.
        let mut output = self.egui.run_ui(turn, |ui| {
            self.area = ui::show(ui, session, state, status, &mut commands);
        });
        let platform = std::mem::take(&mut output.platform_output);
        if let (Some(controls), Some(update)) = (&mut self.controls, &platform.accesskit_update) {
            controls.write(update, output.pixels_per_point).into_iter().for_each(|error| self.messages.add(error));
        }
        self.input.handle_platform_output_with_event_loop(&self.os, event_loop, platform);
        let delay = output.viewport_output.get(&egui::ViewportId::ROOT).map(|v| v.repaint_delay);
        self.wants_repaint = delay.is_some_and(|delay| delay < Duration::MAX);
        match delay {
            Some(delay) if delay.is_zero() => self.os.request_redraw(),
            Some(delay) => {
                let at = Instant::now().checked_add(delay);
                event_loop.set_control_flow(at.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
            }
            None => event_loop.set_control_flow(ControlFlow::Wait),
        }
        // Of a turn that another one follows only the textures are painted.
        self.pictures.note(&output.textures_delta);
        self.painted.textures.append(std::mem::take(&mut output.textures_delta));
        self.output = Some(output);
        commands
    }

    /// Draws the picture and the panels; returns false when there was nothing to draw on. A device that is lost is
    /// replaced.
    ///
    /// # Errors
    /// The device is lost and cannot be replaced.
    pub(crate) fn present(
        &mut self,
        frame: &Frame,
        background: Background,
        edges: AntialiasingRequest,
    ) -> Result<bool, GpuError> {
        let ground = presenting::bytes(background);
        if std::mem::replace(&mut self.ground, ground) != ground {
            ground::set(&self.os, ground);
        }
        if !self.sight.is_seen(Instant::now(), &|| self.os.is_minimized() == Some(true)) {
            self.painted.forget();
            return Ok(false);
        }
        let Some(screen) = &mut self.screen else { return self.try_again().map(|()| false) };
        let output = self.output.take();
        let laid_out = output.map(|output| LaidOut { output, area: self.area.clone(), size: screen.size() });
        match guarded(|| screen.present(&mut self.painted, (&self.egui, laid_out), frame, background, edges)) {
            Ok(PresentResult { shown, errors }) => {
                if !shown {
                    self.painted.forget();
                }
                if shown && errors.is_empty() {
                    self.messages.forget();
                }
                errors.into_iter().for_each(|e| self.messages.add(e.to_string()));
                Ok(shown)
            }
            Err(error) => self.lose(error).map(|()| false),
        }
    }

    /// Drops the device and everything on it, and tries for another.
    fn lose(&mut self, error: GpuError) -> Result<(), GpuError> {
        let screen = self.screen.take();
        // Where a library gave up, the device may know why.
        let own = screen.as_ref().and_then(|s| s.gpu.take_error());
        let error = own.filter(|e| matches!(e, GpuError::Lost(_))).unwrap_or(error);
        if let Some(screen) = screen.as_ref().filter(|_| error.is_of_memory()) {
            self.device_options.texture_memory = Some(screen.gpu.texture_memory / 2);
        }
        self.reason = match error {
            GpuError::Lost(reason) => reason,
            other => other.to_string(),
        };
        // A device that fails may fail once more while it is dropped.
        let _gone = guarded(|| {
            drop(screen);
            Ok(())
        });
        let goes_on = self.recovery.lost(Instant::now());
        if !goes_on {
            let details = "it was lost three times within ten seconds. Update the graphics driver, or try another backend (--backend gl)";
            return Err(self.irreplaceable(details.into()));
        }
        self.try_again()
    }

    /// Opens another device when it is time to: one like the first, else any that there is.
    fn try_again(&mut self) -> Result<(), GpuError> {
        let now = Instant::now();
        if self.recovery.next_try().is_some_and(|at| at > now) {
            return Ok(());
        }
        let open = |device_options| guarded(|| Screen::open(&self.os, &self.display, device_options));
        let any = DeviceOptions { backend: Backend::Auto, ..self.device_options };
        match open(self.device_options).or_else(|error| open(any).map_err(|_| error)) {
            Ok(screen) => {
                self.input.set_max_texture_side(screen.atlas_side());
                self.painted.forget();
                self.painted.textures.clear();
                self.painted.textures = panels::all_textures(&self.egui, &self.pictures);
                self.screen = Some(screen);
                self.recovery.done();
                let reason = &self.reason;
                self.messages.add(format!(
                    "The graphics device was lost ({reason}) and opened anew. What was open and edited is as it was."
                ));
                self.os.request_redraw();
                Ok(())
            }
            Err(_) if self.recovery.failed(now) => Ok(()),
            Err(error) => Err(self.irreplaceable(error.to_string())),
        }
    }

    fn irreplaceable(&self, details: String) -> GpuError {
        GpuError::Irreplaceable { reason: self.reason.clone(), details }
    }

    /// Returns when to present once more without anything new: while there is no device, and when the picture is at
    /// rest.
    pub(crate) fn next_try(&self, shown: bool, frame: &Frame, wanted: Antialiasing) -> Option<Instant> {
        let settled = self.screen.as_ref().filter(|_| shown).and_then(|s| s.settles_at(frame, wanted));
        let progress = self.doing().and_then(|_| Instant::now().checked_add(PROGRESS));
        self.recovery.next_try().into_iter().chain(settled).chain(progress).min()
    }

    /// Returns how many samples a pixel of the picture has.
    pub(crate) fn samples(&self) -> u32 {
        self.screen.as_ref().map_or(0, Screen::shown_samples)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // egui warns of textures that go unused, and there may have been no device for them.
        self.painted.textures.clear();
    }
}

/// The time between two updates of the progress of work beside the pictures.
const PROGRESS: Duration = Duration::from_millis(100);
