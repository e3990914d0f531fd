//! What `render --json` says of the device.

use serde_json::{Value, json};

use crate::app::ui::NameCount;
use crate::deform::PaletteFit;
use crate::render::Gpu;

/// Describes the device that drew.
pub(super) fn device(gpu: &Gpu) -> Value {
    let kind = match gpu.info.device_type {
        wgpu::DeviceType::DiscreteGpu => "discrete",
        wgpu::DeviceType::IntegratedGpu => "integrated",
        wgpu::DeviceType::VirtualGpu => "virtual",
        wgpu::DeviceType::Cpu => "cpu",
        wgpu::DeviceType::Other => "other",
    };
    json!({ "name": gpu.info.name, "type": kind, "backend": gpu.info.backend.to_str() })
}

/// Describes the buffer that the palette was read from, and what others would hold.
pub(super) fn palette(fit: &PaletteFit) -> Value {
    json!({
        "asked": fit.asked.id(),
        "used": fit.used(),
        "why": fit.why(),
        "matrices": fit.joints,
        "bytes_per_matrix": fit.joint_bytes,
        "bytes": fit.bytes(),
        "uniform": { "bytes": fit.limits.uniform, "matrices": fit.most_in_uniform() },
        "storage": { "bytes": fit.limits.storage, "matrices": fit.most_in_storage() },
    })
}

/// Describes how many names of joints there are.
pub(super) fn names(count: Option<NameCount>) -> Value {
    count.map_or(Value::Null, |NameCount { shown, all }| json!({ "shown": shown, "all": all }))
}
