//! Tone maps on the device, compared with their published formulas in double precision.

use glam::{DMat3, DVec3, Vec3};
use skinscope::frame::{TONE_MAPS, ToneMap, tone_map};
use skinscope::model::Material;

use crate::Stage;
use crate::scenes::Plate;

on_stages! {
    each_tone_map_is_its_published_formula_and_has_an_inverse,
    a_picture_is_drawn_through_the_tone_map_of_its_view,
}

/// <https://github.com/KhronosGroup/ToneMapping/blob/main/PBR_Neutral/pbrNeutral.glsl>
fn neutral(mut color: DVec3) -> DVec3 {
    let (start, desaturation) = (0.8 - 0.04, 0.15);
    let x = color.min_element();
    color -= if x < 0.08 { x - 6.25 * x * x } else { 0.04 };
    let peak = color.max_element();
    if peak < start {
        return color;
    }
    let d = 1.0 - start;
    let new_peak = 1.0 - d * d / (peak + d - start);
    color *= new_peak / peak;
    let g = 1.0 - 1.0 / (desaturation * (peak - new_peak) + 1.0);
    color.lerp(DVec3::splat(new_peak), g)
}

/// A matrix by its columns.
fn columns(all: [[f64; 3]; 3]) -> DMat3 {
    DMat3::from_cols_array_2d(&all)
}

/// `ACESFilmicToneMapping` of three.js, after
/// <https://github.com/TheRealMJP/BakingLab/blob/master/BakingLab/ACES.hlsl>.
fn aces(color: DVec3) -> DVec3 {
    let input = columns([[0.59719, 0.07600, 0.02840], [0.35458, 0.90834, 0.13383], [0.04823, 0.01566, 0.83777]]);
    let output = columns([[1.60475, -0.10208, -0.00327], [-0.53108, 1.10813, -0.07276], [-0.07367, -0.00605, 1.07602]]);
    let v = input * (color / 0.6);
    let a = v * (v + 0.024_578_6) - 0.000_090_537;
    let b = v * (0.983_729 * v + 0.432_951) + 0.238_081;
    output * (a / b)
}

/// `AgXToneMapping` of three.js.
fn agx(color: DVec3) -> DVec3 {
    let to_wide = columns([[0.6274, 0.0691, 0.0164], [0.3293, 0.9195, 0.0880], [0.0433, 0.0113, 0.8956]]);
    let from_wide = columns([[1.6605, -0.1246, -0.0182], [-0.5876, 1.1329, -0.1006], [-0.0728, -0.0083, 1.1187]]);
    let inset = columns([
        [0.856627153315983, 0.137318972929847, 0.11189821299995],
        [0.0951212405381588, 0.761241990602591, 0.0767994186031903],
        [0.0482516061458583, 0.101439036467562, 0.811302368396859],
    ]);
    let outset = columns([
        [1.1271005818144368, -0.1413297634984383, -0.14132976349843826],
        [-0.11060664309660323, 1.157823702216272, -0.11060664309660294],
        [-0.016493938717834573, -0.016493938717834257, 1.2519364065950405],
    ]);
    let (least, most) = (-12.47393, 4.026069);
    let seen = inset * (to_wide * color);
    let exponents = seen.max(DVec3::splat(1e-10)).to_array().map(f64::log2);
    let x = ((DVec3::from_array(exponents) - least) / (most - least)).clamp(DVec3::ZERO, DVec3::ONE);
    let x2 = x * x;
    let x4 = x2 * x2;
    let curve = 15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2 + 0.1191 * x - 0.00232;
    let wide = (outset * curve).max(DVec3::ZERO).to_array().map(|c| c.powf(2.2));
    from_wide * DVec3::from_array(wide)
}

fn published(map: &ToneMap, color: DVec3) -> DVec3 {
    let toned = match map.id {
        "neutral" => neutral(color),
        "aces" => aces(color),
        "agx" => agx(color),
        "none" => color,
        other => panic!("no formula for {other}"),
    };
    toned.clamp(DVec3::ZERO, DVec3::ONE)
}

/// The value of a pixel, 0…255.
fn encoded(linear: DVec3) -> DVec3 {
    let one = |c: f64| if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    DVec3::from_array(linear.to_array().map(one)) * 255.0
}

/// 32³ colours, 0…8 in each channel, of which half are darker than 1.
fn colors() -> Vec<[f32; 4]> {
    let channel = |i: usize| 8.0 * (i as f32 / 31.0).powi(3);
    (0..32 * 32 * 32).map(|i| [channel(i % 32), channel(i / 32 % 32), channel(i / 1024), 1.0]).collect()
}

/// What a device makes of colours: toned, and toned again after the inverse.
fn on_device(stage: &Stage, map: &ToneMap, colors: &[[f32; 4]]) -> Vec<[Vec3; 2]> {
    let text = format!(
        "{}\nfn largest(v: vec3f) -> f32 {{ return max(v.x, max(v.y, v.z)); }}\n\
         @group(0) @binding(0) var<storage, read_write> colors: array<vec4f>;\n\
         @group(0) @binding(1) var<storage, read_write> again: array<vec4f>;\n\
         @compute @workgroup_size(64) fn all(@builtin(global_invocation_id) id: vec3u) {{\n\
             let toned = clamp(tone(colors[id.x].rgb), vec3f(0.0), vec3f(1.0));\n\
             colors[id.x] = vec4f(toned, 1.0);\n\
             again[id.x] = vec4f(tone(untoned(toned)), 1.0);\n\
         }}\n",
        map.wgsl.1
    );
    let device = &stage.gpu.device;
    let source = wgpu::ShaderSource::Wgsl(text.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(map.id), source });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(map.id),
        layout: None,
        module: &module,
        entry_point: Some("all"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let bytes: Vec<u8> = colors.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
    let size = bytes.len() as u64;
    use wgpu::BufferUsages as U;
    let buffer =
        |usage| device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let buffers = [(); 2].map(|()| buffer(U::STORAGE | U::COPY_SRC | U::COPY_DST));
    let mapped = [(); 2].map(|()| buffer(U::MAP_READ | U::COPY_DST));
    stage.gpu.queue.write_buffer(&buffers[0], 0, &bytes);
    let entry = |i: usize| wgpu::BindGroupEntry { binding: i as u32, resource: buffers[i].as_entire_binding() };
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[entry(0), entry(1)],
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(colors.len().div_ceil(64) as u32, 1, 1);
    }
    (0..2).for_each(|i| encoder.copy_buffer_to_buffer(&buffers[i], 0, &mapped[i], 0, size));
    stage.gpu.queue.submit([encoder.finish()]);
    mapped.iter().for_each(|buffer| buffer.map_async(wgpu::MapMode::Read, .., |done| done.unwrap()));
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let read = mapped.map(|buffer| {
        let view = buffer.get_mapped_range(..).unwrap();
        let float = |b: &[u8; 4]| f32::from_le_bytes(*b);
        let rows = view.as_chunks::<16>().0.iter();
        rows.map(|row| Vec3::from_array([0, 1, 2].map(|i| float(&row.as_chunks::<4>().0[i])))).collect::<Vec<_>>()
    });
    read[0].iter().zip(&read[1]).map(|(a, b)| [*a, *b]).collect()
}

fn each_tone_map_is_its_published_formula_and_has_an_inverse(stage: &Stage) {
    let colors = colors();
    for map in TONE_MAPS {
        let found = on_device(stage, map, &colors);
        let mut most = 0.0_f64;
        for ([r, g, b, _], [toned, again]) in colors.iter().zip(found) {
            let color = DVec3::new(f64::from(*r), f64::from(*g), f64::from(*b));
            let want = encoded(published(map, color));
            let off = (encoded(toned.as_dvec3()) - want).abs().max_element();
            assert!(off < 1.0, "{} of {color}: {toned}, not {want}", map.id);
            most = most.max(off);
            // Colours that are cut off have no inverse.
            if toned.min_element() > 0.0 && toned.max_element() < 0.99 {
                let off = (encoded(again.as_dvec3()) - encoded(toned.as_dvec3())).abs().max_element();
                assert!(off < 1.0, "{}: {toned} comes back as {again}", map.id);
            }
        }
        println!("{}: at most {most:.4} of 1/255 from its formula", map.id);
    }
}

fn a_picture_is_drawn_through_the_tone_map_of_its_view(stage: &Stage) {
    let glow = Vec3::new(1.7, 0.6, 0.2);
    for map in TONE_MAPS {
        let material = Material { base_color: glam::Vec4::W, emissive: glow, ..Material::default() };
        let mut frame = Plate { material, ..Plate::default() }.frame();
        // Without light the surface shows what it emits.
        frame.studio = false;
        frame.display.tone_map = tone_map(map.id).unwrap();
        let want = encoded(published(map, glow.as_dvec3()));
        let pixel = stage.middle(&frame);
        let off = (0..3).map(|i| (f64::from(pixel[i]) - want[i]).abs()).fold(0.0, f64::max);
        assert!(off < 2.0, "{}: {pixel:?}, not {want}", map.id);
    }
}
