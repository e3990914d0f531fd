//! The part of the benchmark of a model that a graphics device runs: a palette in a uniform buffer against one in a storage buffer. The device is
//! one of its own, so that a window goes on meanwhile.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use glam::Affine3A;

use super::ui::MeasuresOnDevice;
use crate::inspect::benchmark::{Benchmark, BuffersOnDevice};
use crate::model::{LocalPose, Model};
use crate::render::{Backend, Gpu, PaletteTimer};

/// Returns what measures on a device of this backend for the panels.
pub(super) fn on(backend: Backend) -> MeasuresOnDevice {
    MeasuresOnDevice(Arc::new(move |benchmark, model, pose, cancel| {
        compare_buffers(benchmark, backend, model, pose, cancel)
    }))
}

/// Opens a device and adds the row about both kinds of buffers, for a model with these skinning matrices and morph weights. Where there is no
/// device, or it cannot do it, the row says why. `None` where it was cancelled.
pub fn compare_buffers(
    benchmark: &mut Benchmark,
    backend: Backend,
    model: &Arc<Model>,
    (palettes, local): (&[Affine3A], &LocalPose),
    cancel: &AtomicBool,
) -> Option<()> {
    let gpu = match Gpu::headless(backend) {
        Ok(gpu) => gpu,
        Err(error) => return benchmark.compare_buffers(Err(sentence(&error.to_string())), cancel),
    };
    let timer = PaletteTimer::new(&gpu, model, palettes, &local.morph_weights);
    let measurable = timer.and_then(|mut timer| {
        let apart = timer.apart().map_err(|error| error.to_string())?;
        Ok((timer, apart))
    });
    match measurable {
        Ok((mut timer, apart)) => {
            let name = timer.name();
            let mut secs = |buffer, times| timer.secs(buffer, times).map_err(|error| sentence(&error.to_string()));
            benchmark.compare_buffers(Ok(BuffersOnDevice { name, apart, secs: &mut secs }), cancel)
        }
        Err(why) => benchmark.compare_buffers(Err(sentence(&why)), cancel),
    }
}

/// Returns a message without its last full stop.
fn sentence(text: &str) -> String {
    text.trim_end_matches('.').to_owned()
}
