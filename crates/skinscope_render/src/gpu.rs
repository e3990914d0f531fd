//! Finds an adapter, opens the graphics device and collects its errors. Knows nothing of models, and of windows only
//! their surface.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::ThreadId;

use skinscope_deform::PaletteLimits;
use skinscope_model::BlockFormats;

use super::budget;
use super::error::GpuError;
use super::guard::guarded;
use super::needs;
use super::software::{Software, WITHOUT, is_software};

/// Which graphics interface to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// Vulkan, Metal or Direct3D 12 if one of them has an adapter, else OpenGL; a graphics card goes before a software
    /// device.
    #[default]
    Auto,
    /// Vulkan only.
    Vulkan,
    /// OpenGL ES only (EGL; needs no display).
    Gl,
}

impl Backend {
    /// The sets of interfaces to try in turn. OpenGL is tried last, because starting it takes time and loads libraries.
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
    /// The adapter that the device was opened on.
    pub adapter: wgpu::Adapter,
    /// The open device, which makes buffers, textures and pipelines.
    pub device: wgpu::Device,
    /// The queue that commands are submitted to.
    pub queue: wgpu::Queue,
    /// The name of the adapter, its driver and its graphics interface.
    pub info: wgpu::AdapterInfo,
    /// Bytes that the textures of a model may take; where they would take more, they are shown smaller.
    pub texture_memory: u64,
    /// What is done differently because it is a software device; nothing where it is a graphics card.
    pub software: Software,
    uploads: Mutex<Uploads>,
    health: Arc<Health>,
    /// The thread that draws a window, on which nothing waits for the device.
    window_thread: OnceLock<ThreadId>,
    waits: AtomicUsize,
    pipelines_of_window: AtomicUsize,
}

/// Counts what was uploaded to buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uploads {
    /// How many buffers were created.
    pub buffers: usize,
    /// How many bytes were written into buffers.
    pub bytes: u64,
}

/// What a texture is made of, and what it is for.
#[derive(Clone, Copy, Debug)]
pub struct TextureKind {
    /// The format of its pixels.
    pub format: wgpu::TextureFormat,
    /// What it is used for.
    pub usage: wgpu::TextureUsages,
    /// How many levels it has, each half as wide and high as the one before.
    pub levels: u32,
    /// How many samples a pixel has.
    pub samples: u32,
    /// How many layers it has.
    pub layers: u32,
}

impl TextureKind {
    /// Returns a kind with one level, and one sample a pixel.
    #[must_use]
    pub fn plain(format: wgpu::TextureFormat, usage: wgpu::TextureUsages) -> Self {
        Self { format, usage, levels: 1, samples: 1, layers: 1 }
    }
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
        let mut first_error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if first_error.is_none() || is_lost {
            *first_error = Some(error);
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
    // Nothing is drawn indirectly, so the device need not compile what would check such draws. Names of source lines in
    // compiled shaders, and the validation of the system's layers, take a third of the time of compiling; `WGPU_DEBUG`
    // and `WGPU_VALIDATION` ask for them.
    options.flags = wgpu::InstanceFlags::empty().with_env();
    wgpu::Instance::new(options)
}

/// Opens the first device that can be opened. A software device gives way to hardware that a later round finds.
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

/// How device memory is allocated. A software device shares its memory with everything else, and takes no more of a
/// block than is written to. There the blocks are larger than the first buffers need: they stay allocated, and data on
/// its way to the device does not need new memory from the system each time. Every next block is twice as large,
/// because what no longer fits at the end of a block is lost. With blocks of one size that can be a third: three
/// textures of 1024² with their smaller levels do not fit into 16 MiB.
fn memory_hints(software: Software) -> wgpu::MemoryHints {
    if software.growing_blocks {
        wgpu::MemoryHints::Manual { suballocated_device_memory_block_size: FIRST_BLOCK..LARGEST_BLOCK }
    } else {
        wgpu::MemoryHints::Performance
    }
}

/// The size of the first block, in bytes. Memory that the processor can write to, which is all that a software device
/// has, comes in blocks of half this size.
const FIRST_BLOCK: u64 = 32 << 20;
/// The largest size that blocks grow to, in bytes counted as for [`FIRST_BLOCK`].
const LARGEST_BLOCK: u64 = 4 * FIRST_BLOCK;

/// The features for block-compressed textures, of which those are used that the adapter has.
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

    /// A device that renders into memory, with limits below those of its adapter: it shows how a model, or the renderer
    /// itself, gets along with a lesser device. `lower` gets the limits of the adapter and returns those to use.
    pub fn headless_with(backend: Backend, lower: &dyn Fn(wgpu::Limits) -> wgpu::Limits) -> Result<Self, GpuError> {
        let mut open =
            |backends| Self::open(instance(backends, None), None, backend.name(), lower).map(|gpu| (gpu, None));
        guarded(|| choose(backend, &mut open)).map(|(gpu, _)| gpu)
    }

    /// A device that carries nothing out and is taken for a graphics card: what is left of a picture is what the processor does for it.
    /// For measurements.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`], [`GpuError::Unfit`].
    pub fn idle() -> Result<Self, GpuError> {
        let mut options = wgpu::InstanceDescriptor::new_without_display_handle();
        options.backends = wgpu::Backends::NOOP;
        options.backend_options.noop.enable = true;
        let opened = Self::open(wgpu::Instance::new(options), None, "a device that is idle", &|most| most);
        opened.map(|gpu| gpu.taken_for(wgpu::DeviceType::DiscreteGpu))
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
        // All limits of the adapter are requested, so that nothing is capped below the hardware.
        let limits = lower(adapter.limits());
        let lacks = needs::missing(&limits, adapter.get_downlevel_capabilities().flags);
        if !lacks.is_empty() {
            return Err(unfit(lacks.join("; ")));
        }
        let software = Software::of(info.device_type, &std::env::var(WITHOUT).unwrap_or_default());
        let wanted = wgpu::DeviceDescriptor {
            required_limits: limits,
            required_features: adapter.features() & BLOCKS.union(wgpu::Features::TIMESTAMP_QUERY),
            memory_hints: memory_hints(software),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&wanted))
            .map_err(|e| unfit(e.to_string().trim_end_matches('.').to_owned()))?;
        let health = Arc::new(Health::default());
        let noted = Arc::clone(&health);
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| noted.note(e.into())));
        let noted = Arc::clone(&health);
        // This is also called when the device was shut down on purpose: it draws no more then either.
        device.set_device_lost_callback(move |_, message| noted.note(GpuError::lost(&message)));
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
            pipelines_of_window: AtomicUsize::new(0),
        })
    }

    /// The block-compressed formats that textures may have on this device.
    #[must_use]
    pub fn block_formats(&self) -> BlockFormats {
        let has = |feature| self.device.features().contains(feature);
        BlockFormats {
            bc7: has(wgpu::Features::TEXTURE_COMPRESSION_BC),
            astc4x4: has(wgpu::Features::TEXTURE_COMPRESSION_ASTC),
            etc2: has(wgpu::Features::TEXTURE_COMPRESSION_ETC2),
        }
    }

    /// How many bytes of the palette a shader can read from each kind of buffer. For a uniform buffer this is at most
    /// WebGPU's default limit, which most hardware has; it is 0 where a shader stage has no uniform buffer to spare for
    /// the palette.
    #[must_use]
    pub fn palette_limits(&self) -> PaletteLimits {
        const MOST: u64 = 64 << 10;
        // The uniform buffers of a shader stage: globals, scale, draw, material, and the palette.
        const BUFFERS: u32 = 5;
        let limits = self.device.limits();
        let has_room = limits.max_uniform_buffers_per_shader_stage >= BUFFERS;
        let uniform = if has_room { limits.max_uniform_buffer_binding_size.min(MOST) / 16 * 16 } else { 0 };
        PaletteLimits { uniform, storage: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) }
    }

    /// Treats the device as one of type `kind`: this shows on a software device what is done on a graphics card.
    #[must_use]
    pub(crate) fn taken_for(mut self, kind: wgpu::DeviceType) -> Self {
        self.info.device_type = kind;
        self.software = Software::of(kind, "");
        self
    }

    /// Sets how many bytes the textures of a model may take; `None` keeps what is usual for such an adapter.
    #[must_use]
    pub fn with_texture_memory(self, bytes: Option<u64>) -> Self {
        Self { texture_memory: bytes.unwrap_or(self.texture_memory), ..self }
    }

    /// Takes the first error since the last call. The loss of the device takes precedence over other errors.
    #[must_use]
    pub fn take_error(&self) -> Option<GpuError> {
        self.health.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// True where the device is known to be lost. Commands to it then have no effect.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.health.lost.load(Ordering::Acquire)
    }

    /// The bytes that were uploaded to buffers since the device was opened.
    #[must_use]
    pub fn uploads(&self) -> Uploads {
        *self.uploads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes `bytes` to the start of a buffer.
    pub(super) fn write(&self, buffer: &wgpu::Buffer, bytes: &[u8]) {
        self.write_at(buffer, 0, bytes);
    }

    fn write_at(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner).bytes += bytes.len() as u64;
        self.queue.write_buffer(buffer, offset, bytes);
    }

    /// Waits for all submitted work; does not wait on the thread that draws a window.
    pub(super) fn wait(&self) -> Result<(), GpuError> {
        self.queue.submit([]);
        self.wait_for(None)
    }

    /// Marks the current thread as the one that draws a window: from now on nothing on it waits for the device. Data on
    /// its way then takes more memory for a while, so only small data is uploaded on this thread.
    pub(super) fn never_wait_here(&self) {
        // Only the first call counts, since a window has one thread.
        _ = self.window_thread.set(std::thread::current().id());
    }

    /// How many times a thread has waited for the device to finish work, not counting readbacks.
    #[must_use]
    pub fn waits(&self) -> usize {
        self.waits.load(Ordering::Relaxed)
    }

    /// Returns how many pipelines were compiled on the thread that draws a window.
    #[must_use]
    pub fn pipelines_of_window(&self) -> usize {
        self.pipelines_of_window.load(Ordering::Relaxed)
    }

    /// Counts pipelines that this thread is about to compile, or waits for.
    pub(super) fn count_pipelines(&self, count: usize) {
        if self.window_thread.get() == Some(&std::thread::current().id()) {
            self.pipelines_of_window.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// Waits for the submission with this index, or for the last one; does not wait on the thread that draws a window.
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

    /// Creates something on the device, and returns an error at once instead of leaving it to [`Gpu::take_error`].
    pub fn scope<T>(&self, make: impl FnOnce() -> T) -> Result<T, GpuError> {
        use wgpu::ErrorFilter as Filter;
        let scopes = [Filter::OutOfMemory, Filter::Validation, Filter::Internal];
        let scopes = scopes.map(|filter| self.device.push_error_scope(filter));
        let made = make();
        let mut failed = None;
        // Scopes are popped in reverse. A lack of memory, which is popped last, takes precedence over the errors that
        // follow from it.
        for scope in scopes.into_iter().rev() {
            failed = pollster::block_on(scope.pop()).or(failed);
        }
        match failed {
            _ if self.is_lost() => Err(self.take_error().unwrap_or_else(|| GpuError::lost(""))),
            Some(error) => Err(error.into()),
            None => Ok(made),
        }
    }

    /// Creates a texture of two dimensions, `size` pixels wide and high, without anything in it.
    #[must_use]
    pub fn texture(&self, label: &str, [width, height]: [u32; 2], kind: TextureKind) -> wgpu::Texture {
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: kind.layers },
            mip_level_count: kind.levels,
            sample_count: kind.samples,
            dimension: wgpu::TextureDimension::D2,
            format: kind.format,
            usage: kind.usage,
            view_formats: &[],
        })
    }

    /// Makes a rectangle of a texture of four bytes a pixel transparent black: x, y, width and height in pixels. What is recorded before
    /// is submitted after it.
    pub fn empty_rect(&self, texture: &wgpu::Texture, [x, y, width, height]: [u32; 4]) {
        let origin = wgpu::Origin3d { x, y, z: 0 };
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * width), rows_per_image: None };
        self.queue.write_texture(
            wgpu::TexelCopyTextureInfo { origin, ..texture.as_image_copy() },
            &vec![0; 4 * width as usize * height as usize],
            layout,
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
    }

    /// Creates a buffer with `bytes` in it (or of the least size, where there are none). Errors name `what`.
    pub(super) fn buffer(&self, what: &str, bytes: &[u8], usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, GpuError> {
        let size = (bytes.len() as u64).max(MIN_BUFFER).next_multiple_of(4);
        let buffer = self.empty_buffer(what, size, usage | wgpu::BufferUsages::COPY_DST)?;
        self.write_at(&buffer, 0, &bytes[..bytes.len() & !3]);
        Ok(buffer)
    }

    /// Creates a zeroed buffer of `size` bytes. Errors name `what`. Not meant for every picture: it asks the device
    /// whether there was an error.
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

/// The most bytes that are written to the device at once. They are stored a second time until they have arrived.
pub(super) const MOST_AT_ONCE: usize = 2 << 20;

/// The smallest buffer that every binding accepts, bytes.
pub(super) const MIN_BUFFER: u64 = 64;
