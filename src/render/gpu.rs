//! The graphics device: finding an adapter, and hearing of its errors. Knows nothing of models or windows.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::ThreadId;

use super::budget;
use super::error::GpuError;
use super::guard::guarded;
use super::needs;
use super::software::{Software, WITHOUT, is_software};
use crate::deform::PaletteLimits;
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

/// An open device.
#[derive(Debug)]
pub struct Gpu {
    /// The instance that the device came from.
    pub instance: wgpu::Instance,
    /// The hardware.
    pub adapter: wgpu::Adapter,
    /// The connection to it.
    pub device: wgpu::Device,
    /// The queue that commands are submitted to.
    pub queue: wgpu::Queue,
    /// Name, driver, backend.
    pub info: wgpu::AdapterInfo,
    /// Bytes that the textures of a model may take; where they would take more, they are shown smaller.
    pub texture_memory: u64,
    /// What is done for it because it is a software device; nothing, where it is none.
    pub software: Software,
    uploads: Mutex<Uploads>,
    health: Arc<Health>,
    /// The thread that draws a window, on which nothing waits for the device.
    window_thread: OnceLock<ThreadId>,
    waits: AtomicUsize,
}

/// The bytes that were uploaded to buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uploads {
    /// Buffers that were made.
    pub buffers: usize,
    /// Bytes that were written into buffers.
    pub bytes: u64,
}

/// The errors that the device has reported.
#[derive(Debug, Default)]
struct Health {
    /// The first error since it was last taken.
    error: Mutex<Option<GpuError>>,
    lost: AtomicBool,
}

impl Health {
    fn note(&self, error: GpuError) {
        let is_lost = matches!(error, GpuError::Lost(_));
        let mut held = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() || is_lost {
            *held = Some(error);
        }
        if is_lost {
            self.lost.store(true, Ordering::Release);
        }
    }
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
        let is_software = |opened: &Opened| is_software(opened.0.info.device_type);
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

/// A software device shares its memory with everything else, and takes no more of a block than is written to. There, blocks
/// with room beside the first buffers last, and what was written on its way is not fetched anew from the system each time.
/// Every next block is twice as large: what no longer fits at the end of a block is lost, and of blocks of one size that may be
/// a third (three textures of 1024² with their smaller levels do not fit into 16 MiB).
fn memory_hints(software: Software) -> wgpu::MemoryHints {
    if software.growing_blocks {
        wgpu::MemoryHints::Manual { suballocated_device_memory_block_size: FIRST_BLOCK..LARGEST_BLOCK }
    } else {
        wgpu::MemoryHints::Performance
    }
}

/// Bytes; memory that the processor can write to, which is all that a software device has, comes in blocks of half of this.
const FIRST_BLOCK: u64 = 32 << 20;
/// The largest block that grown memory comes in, bytes counted as for [`FIRST_BLOCK`].
const LARGEST_BLOCK: u64 = 4 * FIRST_BLOCK;

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
        Self::headless_with(backend, &|most| most)
    }

    /// A device that renders into memory and is held to limits below those of its adapter: shows how a model or the
    /// renderer itself gets along with a lesser one. `lower` makes them from what the adapter can.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`], [`GpuError::Unfit`].
    pub fn headless_with(backend: Backend, lower: &dyn Fn(wgpu::Limits) -> wgpu::Limits) -> Result<Self, GpuError> {
        let mut open =
            |backends| Self::open(instance(backends, None), None, backend.name(), lower).map(|gpu| (gpu, None));
        guarded(|| choose(backend, &mut open)).map(|(gpu, _)| gpu)
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
            Ok((Self::open(instance, Some(&surface), backend.name(), &|most| most)?, Some(surface)))
        };
        let none = || GpuError::NoSurface { details: "it has no surface".into() };
        let (gpu, surface) = guarded(|| choose(backend, &mut open))?;
        Ok((gpu, surface.ok_or_else(none)?))
    }

    fn open(
        instance: wgpu::Instance,
        surface: Option<&wgpu::Surface<'_>>,
        tried: &'static str,
        lower: &dyn Fn(wgpu::Limits) -> wgpu::Limits,
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
        // All that the adapter can: nothing is capped below the hardware.
        let limits = lower(adapter.limits());
        let lacks = needs::missing(&limits, adapter.get_downlevel_capabilities().flags);
        if !lacks.is_empty() {
            return Err(unfit(lacks.join("; ")));
        }
        let software = Software::of(info.device_type, &std::env::var(WITHOUT).unwrap_or_default());
        let wanted = wgpu::DeviceDescriptor {
            required_limits: limits,
            required_features: adapter.features() & BLOCKS,
            memory_hints: memory_hints(software),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&wanted))
            .map_err(|e| unfit(e.to_string().trim_end_matches('.').to_owned()))?;
        let health = Arc::new(Health::default());
        let told = Arc::clone(&health);
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| told.note(e.into())));
        let told = Arc::clone(&health);
        // Also when it was shut down on purpose: that device draws no more either.
        device.set_device_lost_callback(move |_, message| told.note(GpuError::lost(&message)));
        let texture_memory = budget::texture_memory(info.device_type);
        Ok(Self {
            instance,
            adapter,
            device,
            queue,
            info,
            texture_memory,
            software,
            uploads: Mutex::default(),
            health,
            window_thread: OnceLock::new(),
            waits: AtomicUsize::new(0),
        })
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

    /// Bytes of the palette that a shader reads at once from each kind of buffer. Of a uniform buffer no more is asked for than
    /// WebGPU's usual limit, which is that of most hardware; none, where a shader stage takes no more of them than the rest needs.
    #[must_use]
    pub fn palette_limits(&self) -> PaletteLimits {
        const MOST: u64 = 64 << 10;
        // Globals, scale, draw, material, and the palette.
        const BUFFERS: u32 = 5;
        let limits = self.device.limits();
        let has_room = limits.max_uniform_buffers_per_shader_stage >= BUFFERS;
        let uniform = if has_room { limits.max_uniform_buffer_binding_size.min(MOST) / 16 * 16 } else { 0 };
        PaletteLimits { uniform, storage: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) }
    }

    /// As if it were a device of this type: shows what is done on a graphics card where there is none.
    #[must_use]
    pub fn taken_for(mut self, kind: wgpu::DeviceType) -> Self {
        self.info.device_type = kind;
        self.software = Software::of(kind, "");
        self
    }

    /// With so much memory for textures; `None`: as is usual for such an adapter.
    #[must_use]
    pub fn with_texture_memory(self, bytes: Option<u64>) -> Self {
        Self { texture_memory: bytes.unwrap_or(self.texture_memory), ..self }
    }

    /// The first error since this was last asked; a lost device goes before others.
    #[must_use]
    pub fn take_error(&self) -> Option<GpuError> {
        self.health.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The device is known to be lost: whatever it is asked for, nothing happens.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.health.lost.load(Ordering::Acquire)
    }

    /// The bytes that were uploaded to buffers since the device was opened.
    #[must_use]
    pub fn uploads(&self) -> Uploads {
        *self.uploads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes into a buffer from its start.
    pub(super) fn write(&self, buffer: &wgpu::Buffer, bytes: &[u8]) {
        self.write_at(buffer, 0, bytes);
    }

    fn write_at(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner).bytes += bytes.len() as u64;
        self.queue.write_buffer(buffer, offset, bytes);
    }

    /// Waits for all that was submitted; not on the thread that draws a window.
    pub(super) fn wait(&self) -> Result<(), GpuError> {
        self.queue.submit([]);
        self.wait_for(None)
    }

    /// From now on nothing that is done on this thread waits for the device: it draws a window. Copies that are on their way then
    /// take more memory for a while; only what is small is brought to the device on this thread.
    pub(super) fn never_wait_here(&self) {
        // The first one stays: a window has one thread.
        _ = self.window_thread.set(std::thread::current().id());
    }

    /// How often some thread has waited until the device had done its work, reading back aside.
    #[must_use]
    pub fn waits(&self) -> usize {
        self.waits.load(Ordering::Relaxed)
    }

    /// Waits for what was submitted with this index, or with the last one; not on the thread that draws a window.
    pub(super) fn wait_for(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        let never = self.window_thread.get() == Some(&std::thread::current().id());
        let until = if never {
            wgpu::PollType::Poll
        } else {
            self.waits.fetch_add(1, Ordering::Relaxed);
            wgpu::PollType::Wait { submission_index, timeout: None }
        };
        let done = guarded(|| self.device.poll(until).map_err(|e| GpuError::Device(e.to_string())));
        done.map(|_| ()).map_err(|error| self.take_error().unwrap_or(error))
    }

    /// Makes something on the device. What goes wrong is told here and now, not by [`Gpu::take_error`].
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Device`], [`GpuError::Lost`].
    pub fn scope<T>(&self, make: impl FnOnce() -> T) -> Result<T, GpuError> {
        use wgpu::ErrorFilter as Filter;
        let scopes = [Filter::OutOfMemory, Filter::Validation, Filter::Internal];
        let scopes = scopes.map(|filter| self.device.push_error_scope(filter));
        let made = make();
        let mut failed = None;
        // The last one comes off first; being short of memory goes before what follows from it.
        for scope in scopes.into_iter().rev() {
            failed = pollster::block_on(scope.pop()).or(failed);
        }
        match failed {
            _ if self.is_lost() => Err(self.take_error().unwrap_or_else(|| GpuError::lost(""))),
            Some(error) => Err(error.into()),
            None => Ok(made),
        }
    }

    /// A buffer with `bytes` in it (an unused minimum where there are none), or an error that names `what`.
    pub(super) fn buffer(&self, what: &str, bytes: &[u8], usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, GpuError> {
        let size = (bytes.len() as u64).max(MIN_BUFFER).next_multiple_of(4);
        let buffer = self.empty_buffer(what, size, usage | wgpu::BufferUsages::COPY_DST)?;
        let mut offset = 0;
        for step in bytes[..bytes.len() & !3].chunks(MOST_AT_ONCE) {
            if offset > 0 && self.software.stepped_writes {
                self.wait()?;
            }
            self.write_at(&buffer, offset, step);
            offset += step.len() as u64;
        }
        Ok(buffer)
    }

    /// A zeroed buffer of `size` bytes, or an error that names `what`. Not for every picture: it asks the device how it went.
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
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner).buffers += 1;
        self.scope(|| self.device.create_buffer(&options)).map_err(|e| e.of(what))
    }
}

/// Bytes that go to the device at once: they are kept a second time until they have arrived.
pub(super) const MOST_AT_ONCE: usize = 2 << 20;

/// The smallest buffer that every binding accepts, bytes.
pub(super) const MIN_BUFFER: u64 = 64;
