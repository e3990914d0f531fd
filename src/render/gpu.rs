//! The graphics device: finding an adapter, and hearing of its errors. Knows nothing of models or windows.

use std::sync::{Arc, Mutex, PoisonError};

use crate::model::BlockFormats;

/// Which graphics interface to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The best there is.
    #[default]
    Auto,
    /// Vulkan only.
    Vulkan,
    /// OpenGL ES only (EGL; needs no display).
    Gl,
}

impl Backend {
    /// Interfaces to try in turn. Starting OpenGL takes time and loads libraries, so it waits until it is needed.
    fn rounds(self) -> &'static [wgpu::Backends] {
        match self {
            Self::Auto => &[wgpu::Backends::PRIMARY, wgpu::Backends::GL],
            Self::Vulkan => &[wgpu::Backends::VULKAN],
            Self::Gl => &[wgpu::Backends::GL],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "Vulkan, Metal, Direct3D 12 and OpenGL",
            Self::Vulkan => "Vulkan",
            Self::Gl => "OpenGL",
        }
    }
}

/// What can go wrong on the way to a picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// Nothing to render with.
    #[error(
        "no graphics adapter was found (tried {tried}). Install a graphics driver; without a graphics card a software one does \
         (Debian, Ubuntu: apt install mesa-vulkan-drivers). Details: {details}"
    )]
    NoAdapter {
        /// Interfaces.
        tried: &'static str,
        /// As the driver loader has it.
        details: String,
    },
    /// The window cannot be drawn on.
    #[error(
        "the window cannot be drawn on: {details}. Install a graphics driver (Debian, Ubuntu: apt install mesa-vulkan-drivers), or try another backend (--backend gl); `skinscope render MODEL -o picture.png` needs no window"
    )]
    NoSurface {
        /// As the driver has it.
        details: String,
    },
    /// The adapter cannot do what the renderer needs.
    #[error("the graphics adapter \"{adapter}\" cannot be used: {reason}. Try another backend or a newer driver")]
    Unfit {
        /// Its name.
        adapter: String,
        /// What is missing.
        reason: String,
    },
    /// A model or a picture that is too large for the adapter.
    #[error("{what} takes {need}, and this graphics adapter allows {limit}")]
    TooLarge {
        /// Such as "the palette (9000 joints)".
        what: String,
        /// With its unit.
        need: String,
        /// With its unit.
        limit: String,
    },
    /// Memory is short.
    #[error(
        "the graphics adapter ran out of memory; ask for a smaller picture or a smaller model, or close other programs"
    )]
    OutOfMemory,
    /// The device has gone; a new one is needed.
    #[error("the graphics device was lost: {0}")]
    Lost(String),
    /// The device reported an error.
    #[error("graphics error: {0}")]
    Device(String),
}

impl From<wgpu::Error> for GpuError {
    fn from(error: wgpu::Error) -> Self {
        match error {
            wgpu::Error::OutOfMemory { .. } => Self::OutOfMemory,
            other => Self::Device(other.to_string()),
        }
    }
}

/// An open device.
#[derive(Debug)]
pub struct Gpu {
    /// Where it came from.
    pub instance: wgpu::Instance,
    /// The hardware.
    pub adapter: wgpu::Adapter,
    /// The connection to it.
    pub device: wgpu::Device,
    /// Where commands go.
    pub queue: wgpu::Queue,
    /// Name, driver, backend.
    pub info: wgpu::AdapterInfo,
    /// The first error since it was last taken.
    error: Arc<Mutex<Option<GpuError>>>,
}

type Opened = (Gpu, Option<wgpu::Surface<'static>>);

fn instance(backends: wgpu::Backends, display: Option<Box<dyn wgpu::wgt::WgpuHasDisplayHandle>>) -> wgpu::Instance {
    let mut options = wgpu::InstanceDescriptor::new_without_display_handle();
    options.backends = backends;
    options.display = display;
    wgpu::Instance::new(options)
}

/// The first that opens; but a software device gives way to hardware that a later round finds.
fn choose(
    backend: Backend,
    open: &mut dyn FnMut(wgpu::Backends) -> Result<Opened, GpuError>,
) -> Result<Opened, GpuError> {
    let mut best: Option<Result<Opened, GpuError>> = None;
    for backends in backend.rounds() {
        let is_software = |opened: &Opened| opened.0.info.device_type == wgpu::DeviceType::Cpu;
        match &best {
            Some(Ok(opened)) if !is_software(opened) || !may_have_hardware() => break,
            Some(Ok(_)) => {
                if let Some(opened) = open(*backends).ok().filter(|opened| !is_software(opened)) {
                    best = Some(Ok(opened));
                }
            }
            Some(Err(_)) | None => best = Some(open(*backends)),
        }
    }
    best.unwrap_or_else(|| Err(GpuError::NoAdapter { tried: backend.name(), details: String::new() }))
}

/// False where the system shows that it has no graphics hardware (Linux: no render device).
fn may_have_hardware() -> bool {
    !cfg!(target_os = "linux") || std::path::Path::new("/dev/dri").exists()
}

/// Storage buffers that a vertex stage reads: palette, slots, influences, morph targets.
const VERTEX_STORAGE_BUFFERS: u32 = 4;

/// Textures stored as blocks: whatever of them the adapter reads.
const BLOCKS: wgpu::Features = wgpu::Features::TEXTURE_COMPRESSION_BC
    .union(wgpu::Features::TEXTURE_COMPRESSION_ASTC)
    .union(wgpu::Features::TEXTURE_COMPRESSION_ETC2);

impl Gpu {
    /// A device that renders into memory; needs no display.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`], [`GpuError::Unfit`].
    pub fn headless(backend: Backend) -> Result<Self, GpuError> {
        let mut open = |backends| Self::open(instance(backends, None), None, backend.name()).map(|gpu| (gpu, None));
        choose(backend, &mut open).map(|(gpu, _)| gpu)
    }

    /// A device and a surface of a window to present to. `display` gives the window system's display, through which OpenGL
    /// makes its surfaces, and `surface` makes one with the instance it is given.
    ///
    /// # Errors
    /// [`GpuError::NoSurface`], [`GpuError::NoAdapter`], [`GpuError::Unfit`].
    pub fn for_window(
        backend: Backend,
        display: &dyn Fn() -> Box<dyn wgpu::wgt::WgpuHasDisplayHandle>,
        surface: &dyn Fn(&wgpu::Instance) -> Result<wgpu::Surface<'static>, GpuError>,
    ) -> Result<(Self, wgpu::Surface<'static>), GpuError> {
        let mut open = |backends| {
            let instance = instance(backends, Some(display()));
            let surface = surface(&instance)?;
            Ok((Self::open(instance, Some(&surface), backend.name())?, Some(surface)))
        };
        let none = || GpuError::NoSurface { details: "it has no surface".into() };
        let (gpu, surface) = choose(backend, &mut open)?;
        Ok((gpu, surface.ok_or_else(none)?))
    }

    fn open(
        instance: wgpu::Instance,
        surface: Option<&wgpu::Surface<'_>>,
        tried: &'static str,
    ) -> Result<Self, GpuError> {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: surface,
            ..wgpu::RequestAdapterOptions::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options))
            .map_err(|e| GpuError::NoAdapter { tried, details: e.to_string() })?;
        let info = adapter.get_info();
        let unfit = |reason: String| GpuError::Unfit { adapter: info.name.clone(), reason };
        let limits = adapter.limits();
        let storage = limits.max_storage_buffers_per_shader_stage;
        let flags = adapter.get_downlevel_capabilities().flags;
        if storage < VERTEX_STORAGE_BUFFERS || !flags.contains(wgpu::DownlevelFlags::VERTEX_STORAGE) {
            return Err(unfit(format!(
                "its vertex shaders read {storage} storage buffers, {VERTEX_STORAGE_BUFFERS} are needed"
            )));
        }
        // All that the adapter can: nothing is capped below the hardware.
        let wanted = wgpu::DeviceDescriptor {
            required_limits: limits,
            required_features: adapter.features() & BLOCKS,
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&wanted)).map_err(|e| unfit(e.to_string()))?;
        let error = Arc::new(Mutex::new(None));
        let slot = Arc::clone(&error);
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| note(&slot, GpuError::from(e))));
        let slot = Arc::clone(&error);
        device.set_device_lost_callback(move |reason, message| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                note(&slot, GpuError::Lost(message));
            }
        });
        Ok(Self { instance, adapter, device, queue, info, error })
    }

    /// Which blocks textures may come in.
    #[must_use]
    pub fn block_formats(&self) -> BlockFormats {
        let has = |feature| self.device.features().contains(feature);
        BlockFormats {
            bc7: has(wgpu::Features::TEXTURE_COMPRESSION_BC),
            astc4x4: has(wgpu::Features::TEXTURE_COMPRESSION_ASTC),
            etc2: has(wgpu::Features::TEXTURE_COMPRESSION_ETC2),
        }
    }

    /// The first error since this was last asked; a lost device goes before others.
    #[must_use]
    pub fn take_error(&self) -> Option<GpuError> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// A buffer with `bytes` in it (an unused minimum where there are none), or an error that names `what`.
    pub(super) fn buffer(&self, what: &str, bytes: &[u8], usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, GpuError> {
        let size = (bytes.len() as u64).max(MIN_BUFFER).next_multiple_of(4);
        let buffer = self.empty_buffer(what, size, usage | wgpu::BufferUsages::COPY_DST)?;
        if !bytes.is_empty() {
            let whole = bytes.len() & !3;
            self.queue.write_buffer(&buffer, 0, &bytes[..whole]);
        }
        Ok(buffer)
    }

    /// A zeroed buffer of `size` bytes, or an error that names `what`.
    pub(super) fn empty_buffer(
        &self,
        what: &str,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, GpuError> {
        let limits = self.device.limits();
        let mut limit = limits.max_buffer_size;
        if usage.contains(wgpu::BufferUsages::STORAGE) {
            limit = limit.min(limits.max_storage_buffer_binding_size);
        }
        if size > limit {
            let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / (1024.0 * 1024.0));
            return Err(GpuError::TooLarge { what: what.to_owned(), need: mib(size), limit: mib(limit) });
        }
        let options = wgpu::BufferDescriptor { label: Some(what), size, usage, mapped_at_creation: false };
        Ok(self.device.create_buffer(&options))
    }
}

/// The smallest buffer that every binding accepts, bytes.
pub(super) const MIN_BUFFER: u64 = 64;

fn note(slot: &Mutex<Option<GpuError>>, error: GpuError) {
    let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if held.is_none() || matches!(error, GpuError::Lost(_)) {
        *held = Some(error);
    }
}
