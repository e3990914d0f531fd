//! The part of the benchmark of a model that a graphics device runs: a palette in a uniform buffer against one in a storage buffer, and the
//! processor against the device. The device is one of its own, so that a window goes on meanwhile.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use glam::Affine3A;

use crate::app::ui::MeasuresOnDevice;
use crate::deform::{Deformation, METHODS, PaletteBuffer, Surface, SurfaceInput};
use crate::inspect::benchmark::{
    Benchmark, BuffersOnDevice, ProcessorAndDevice, RootsOnDevice, directions, distance_from_definition,
};
use crate::model::{InstanceId, LocalPose, Model};
use crate::render::{Backend, DeformedOnGpu, Gpu, PaletteTimer, RootTimer};

/// Returns what measures on a device of this backend for the panels.
pub(crate) fn on(backend: Backend) -> MeasuresOnDevice {
    MeasuresOnDevice(Arc::new(move |benchmark, model, pose, cancel| {
        compare_on_device(benchmark, backend, model, pose, cancel)
    }))
}

/// Opens a device and adds the rows that it takes part in, for a model with these skinning matrices and morph weights. Where there is no device,
/// or it cannot do it, the rows say why. `None` where it was cancelled.
pub fn compare_on_device(
    benchmark: &mut Benchmark,
    backend: Backend,
    model: &Arc<Model>,
    (palettes, local): (&[Affine3A], &LocalPose),
    cancel: &AtomicBool,
) -> Option<()> {
    let gpu = Gpu::headless(backend).map_err(|error| error.to_string());
    add_roots(benchmark, gpu.as_ref().map_err(String::clone), cancel)?;
    let timer = match &gpu {
        Ok(gpu) => PaletteTimer::new(gpu, model, palettes, &local.morph_weights),
        Err(why) => Err(why.clone()),
    };
    let mut timer = match timer {
        Ok(timer) => timer,
        Err(why) => {
            benchmark.compare_buffers(Err(sentence(&why)), cancel)?;
            return benchmark.compare_device(Err(sentence(&why)), cancel);
        }
    };
    let name = timer.name();
    let apart = match timer.not_uniform() {
        Some(why) => Err(why.to_owned()),
        None => timer.apart().map_err(|error| error.to_string()),
    };
    let mut secs = |buffer, times| timer.secs(buffer, times).map_err(|error| sentence(&error.to_string()));
    let buffers = apart.map(|apart| BuffersOnDevice { name: name.clone(), apart, secs: &mut secs });
    benchmark.compare_buffers(buffers.map_err(|why| sentence(&why)), cancel)?;
    let draws: Vec<InstanceId> = (0..model.instances.len()).map(InstanceId::from_index).collect();
    let method = Deformation::from(METHODS[0]);
    let morph_weights = &local.morph_weights;
    let input = SurfaceInput { model, draws: &draws, palettes, morph_weights, method };
    let surface = || Surface::of(&input);
    let (apart, from_exact) = match timer.surface() {
        Ok(parts) => {
            let own = surface();
            let distances = [from_definition(&input, &own), from_definition_on_device(&input, &own, &parts)];
            (distance(&own, &parts), distances)
        }
        Err(error) => return benchmark.compare_device(Err(sentence(&error.to_string())), cancel),
    };
    let mut processor = |times: usize| {
        let begin = Instant::now();
        (0..times).for_each(|_| drop(std::hint::black_box(surface())));
        begin.elapsed().as_secs_f64() / times as f64
    };
    let mut device = |times| timer.secs(PaletteBuffer::Storage, times).map_err(|error| sentence(&error.to_string()));
    let name = format!("all cores and {name}");
    let both = ProcessorAndDevice { name, apart, from_exact, processor: &mut processor, device: &mut device };
    benchmark.compare_device(Ok(both), cancel)
}

/// Adds the rows of how a device scales directions to length one. `None` where it was cancelled.
fn add_roots(benchmark: &mut Benchmark, gpu: Result<&Gpu, String>, cancel: &AtomicBool) -> Option<()> {
    let prepared = gpu.and_then(|gpu| {
        let timer = RootTimer::new(gpu, &directions())?;
        let made = [timer.units(0).map_err(|e| e.to_string())?, timer.units(1).map_err(|e| e.to_string())?];
        Ok((timer, made))
    });
    match prepared {
        Err(why) => benchmark.add_device_roots(Err(sentence(&why)), cancel),
        Ok((timer, made)) => {
            let mut secs = |function, times| timer.secs(function, times).map_err(|error| sentence(&error.to_string()));
            let device = RootsOnDevice { name: timer.name(), made, secs: &mut secs };
            benchmark.add_device_roots(Ok(device), cancel)
        }
    }
}

/// The largest distance between the vertices of the processor and those of the device, metres. Parts with copies have no place of their own.
fn distance(surface: &Surface, parts: &[DeformedOnGpu]) -> f64 {
    let alone =
        |part: &&DeformedOnGpu| surface.part(part.instance, part.primitive).is_some_and(|p| p.copies.is_empty());
    let of = |part: &DeformedOnGpu| {
        let own = surface.part(part.instance, part.primitive).map(|own| &own.deformed.positions);
        let pairs = own.into_iter().flatten().zip(&part.deformed.positions);
        pairs.map(|(a, b)| f64::from(a.distance(*b))).fold(0.0, f64::max)
    };
    parts.iter().filter(alone).map(of).fold(0.0, f64::max)
}

/// The largest distance of the processor's vertices from the definition of the method in double precision, metres.
fn from_definition(input: &SurfaceInput<'_>, surface: &Surface) -> f64 {
    distance_from_definition(input, &|instance, primitive, vertex| {
        let part = surface.part(instance, primitive).filter(|part| part.copies.is_empty())?;
        part.deformed.positions.get(vertex).copied()
    })
}

/// The largest distance of the device's vertices from it, metres.
fn from_definition_on_device(input: &SurfaceInput<'_>, surface: &Surface, parts: &[DeformedOnGpu]) -> f64 {
    distance_from_definition(input, &|instance, primitive, vertex| {
        surface.part(instance, primitive).filter(|part| part.copies.is_empty())?;
        let part = parts.iter().find(|part| part.instance == instance && part.primitive == primitive)?;
        part.deformed.positions.get(vertex).copied()
    })
}

/// Returns a message without its last full stop.
fn sentence(text: &str) -> String {
    text.trim_end_matches('.').to_owned()
}
