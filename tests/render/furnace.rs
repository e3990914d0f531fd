//! Runs the shading functions of the shader's own text over lists of cases, in a furnace where the same light comes
//! from everywhere, and checks the numbers.

use glam::{Vec3, Vec4};
use skinscope::deform::METHODS;
use skinscope::render::Gpu;
use skinscope::render::layouts::LAYOUTS;
use skinscope::render::shader::{LAYERED, Linking};
use wgpu::util::DeviceExt;

use crate::Stage;

on_stages! {
    white_surfaces_give_back_all_light_and_no_more_under_any_layers,
    coloured_layers_take_no_more_than_there_is,
    the_share_of_sheen_is_the_integral_of_its_lobe,
    the_tone_curve_is_undone,
}

/// Replaces the studio by light of radiance 1 from all sides, and adds an entry that runs `body` for each case (four vectors
/// `a`, `b`, `c`, `d`, to a vector).
fn program(body: &str) -> String {
    let text = LAYERED.link(METHODS[0], Linking::default()).text;
    let key = text.lines().find(|l| l.starts_with("const KEY:")).unwrap().to_owned();
    assert!(text.contains("if has_studio() {"), "the studio is to shine on everything");
    let text = text
        .replace("fn surroundings(", "fn real_surroundings(")
        .replace("fn surroundings_diffuse(", "fn real_surroundings_diffuse(")
        .replace(&key, "const KEY: vec3f = vec3f(0.0);")
        .replace("if has_studio() {", "if true {")
        .replace("override LAYERS: u32 = 31u;", "const LAYERS: u32 = 1023u;");
    format!(
        "{text}
        fn surroundings(direction: vec3f, alpha: f32) -> vec3f {{ return vec3f(1.0); }}
        fn surroundings_diffuse(normal: vec3f) -> vec3f {{ return vec3f(1.0); }}
        struct Case {{ a: vec4f, b: vec4f, c: vec4f, d: vec4f }}
        @group(1) @binding(8) var<storage, read> cases: array<Case>;
        @group(1) @binding(9) var<storage, read_write> results: array<vec4f>;
        fn run(a: vec4f, b: vec4f, c: vec4f, d: vec4f) -> vec4f {{ {body} }}
        @compute @workgroup_size(64)
        fn all_cases(@builtin(global_invocation_id) id: vec3u) {{
            if id.x < arrayLength(&cases) {{
                let one = cases[id.x];
                results[id.x] = run(one.a, one.b, one.c, one.d) + vec4f(globals.boxes[0].z.xyz + lights[0].color.rgb, 0.0) * 0.0;
            }}
        }}"
    )
}

/// Runs `body` for each case; every layer is there.
pub fn run(gpu: &Gpu, body: &str, cases: &[[Vec4; 4]]) -> Vec<Vec4> {
    let source = wgpu::ShaderSource::Wgsl(program(body).into());
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("all_cases"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    use wgpu::BufferUsages as U;
    let buffer = |contents: &[u8], usage| {
        gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
    };
    let globals = LAYOUTS.iter().find(|l| l.name == "Globals").unwrap().size;
    let globals = buffer(&vec![0; globals], U::UNIFORM);
    let no_lights = buffer(&[0; 64], U::STORAGE);
    let input = buffer(bytemuck::cast_slice(cases), U::STORAGE);
    let output = buffer(&vec![0; cases.len() * 16], U::STORAGE | U::COPY_SRC);
    let read = buffer(&vec![0; cases.len() * 16], U::COPY_DST | U::MAP_READ);
    let group = |index, list: &[(u32, &wgpu::Buffer)]| {
        let entries: Vec<_> = list
            .iter()
            .map(|(b, buffer)| wgpu::BindGroupEntry { binding: *b, resource: buffer.as_entire_binding() })
            .collect();
        let layout = &pipeline.get_bind_group_layout(index);
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
    };
    let groups = [group(0, &[(0, &globals), (4, &no_lights)]), group(1, &[(8, &input), (9, &output)])];
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        for (i, group) in (0..).zip(&groups) {
            pass.set_bind_group(i, group, &[]);
        }
        pass.dispatch_workgroups(cases.len().div_ceil(64) as u32, 1, 1);
    }
    encoder.copy_buffer_to_buffer(&output, 0, &read, 0, None);
    gpu.queue.submit([encoder.finish()]);
    read.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let out = bytemuck::cast_slice(&read.get_mapped_range(..).unwrap()).to_vec();
    assert_eq!(gpu.take_error(), None);
    out
}

/// Shades case `a` (cosine, roughness, f90, transmission), `b` (albedo, sheen roughness), `c` (F0, clearcoat), `d` (sheen
/// colour, clearcoat roughness).
const LAYERED_CASE: &str = "
    var s: Shading;
    s.diffuse = b.rgb * (1.0 - a.w);
    s.f0 = c.rgb;
    s.f90 = a.z;
    s.roughness = a.y;
    s.occlusion = 1.0;
    s.normal = vec3f(0.0, 0.0, 1.0);
    s.to_eye = vec3f(sqrt(max(1.0 - a.x * a.x, 0.0)), 0.0, a.x);
    s.stretch = vec4f(1.0, 0.0, 0.0, b.w);
    var l: Layers;
    l.through = b.rgb * a.w;
    l.sheen_color = d.rgb;
    l.sheen_roughness = b.w;
    l.clearcoat = c.w;
    l.clearcoat_roughness = d.w;
    l.clearcoat_normal = s.normal;
    return vec4f(layered(s, l, vec3f(0.0)), 1.0);";

const STEPS: [f32; 6] = [0.02, 0.1, 0.3, 0.5, 0.8, 1.0];

fn white_surfaces_give_back_all_light_and_no_more_under_any_layers(stage: &Stage) {
    let mut cases = Vec::new();
    for cosine in STEPS {
        for roughness in STEPS {
            for (albedo, f0, f90) in
                [(1.0, 0.04, 1.0), (1.0, 0.0, 0.0), (1.0, 0.3, 0.3), (0.0, 1.0, 1.0), (1.0, 0.08, 1.0)]
            {
                for (coat, sheen, through) in
                    [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 1.0, 1.0), (0.5, 0.3, 0.6)]
                {
                    cases.push([
                        Vec4::new(cosine, roughness, f90, through),
                        Vec3::splat(albedo).extend(roughness),
                        Vec3::splat(f0).extend(coat),
                        Vec3::splat(sheen).extend(1.0 - roughness),
                    ]);
                }
            }
        }
    }
    let gpu = &stage.gpu;
    for (case, found) in cases.iter().zip(run(gpu, LAYERED_CASE, &cases)) {
        assert!((found.truncate() - Vec3::ONE).abs().max_element() < 2e-3, "{case:?}: {found}");
    }
}

fn coloured_layers_take_no_more_than_there_is(stage: &Stage) {
    let mut cases = Vec::new();
    for cosine in STEPS {
        for roughness in STEPS {
            for color in [Vec3::X, Vec3::new(0.2, 0.9, 0.5)] {
                cases.push([
                    Vec4::new(cosine, roughness, 1.0, 0.5),
                    (Vec3::ONE - color).extend(roughness),
                    (color * 0.5).extend(0.7),
                    color.extend(0.2),
                ]);
            }
        }
    }
    let gpu = &stage.gpu;
    for (case, found) in cases.iter().zip(run(gpu, LAYERED_CASE, &cases)) {
        let inside = found.min_element() >= 0.0 && found.max_element() <= 1.0 + 2e-3;
        assert!(inside, "{case:?}: {found}");
    }
}

/// The sheen lobe times the cosine at the light, from the formulas of KHR_materials_sheen, in f64; visibility 1 at most.
fn sheen([lx, ly, lz]: [f64; 3], cosine: f64, roughness: f64) -> f64 {
    let alpha = roughness * roughness;
    let v = [(1.0 - cosine * cosine).sqrt(), 0.0, cosine];
    let sum = [lx + v[0], ly + v[1], lz + v[2]];
    let n_h = sum[2] / (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]).sqrt();
    let inverse = 1.0 / alpha;
    let d = (2.0 + inverse) * (1.0 - n_h * n_h).max(0.0).powf(inverse * 0.5) / (2.0 * std::f64::consts::PI);
    let l = |x: f64| {
        let one_minus_alpha_sq = (1.0 - alpha) * (1.0 - alpha);
        let mix = |a: f64, b: f64| a + (b - a) * one_minus_alpha_sq;
        let a = mix(21.5473, 25.3245);
        let b = mix(3.82987, 3.32435);
        let c = mix(0.19823, 0.16801);
        let d = mix(-1.97760, -1.27393);
        let e = mix(-4.32054, -4.85967);
        a / (1.0 + b * x.powf(c)) + d * x + e
    };
    let lambda = |cos: f64| if cos < 0.5 { l(cos).exp() } else { (2.0 * l(0.5) - l(1.0 - cos)).exp() };
    d * (1.0 / ((1.0 + lambda(cosine) + lambda(lz)) * 4.0 * cosine * lz)).min(1.0) * lz
}

fn the_share_of_sheen_is_the_integral_of_its_lobe(stage: &Stage) {
    let body = "
        var s: Shading;
        s.normal = vec3f(0.0, 0.0, 1.0);
        s.to_eye = vec3f(sqrt(1.0 - a.x * a.x), 0.0, a.x);
        return vec4f(sheen_share(a.y, a.x), sheen_lobe(s, b.xyz, a.y), 0.0, 0.0);";
    let light = Vec3::new(-0.3, 0.5, 0.7).normalize();
    let pairs: Vec<(f32, f32)> =
        [0.2, 0.35, 0.5, 0.75, 1.0].iter().flat_map(|r| [0.05, 0.2, 0.5, 0.8, 0.95].map(|c| (c, *r))).collect();
    let cases: Vec<[Vec4; 4]> =
        pairs.iter().map(|(c, r)| [Vec4::new(*c, *r, 0.0, 0.0), light.extend(0.0), Vec4::ZERO, Vec4::ZERO]).collect();
    const N: usize = 300;
    let gpu = &stage.gpu;
    for ((cosine, roughness), found) in pairs.iter().zip(run(gpu, body, &cases)) {
        let (cosine, roughness) = (f64::from(*cosine), f64::from(*roughness));
        let mut sum = 0.0;
        for i in 0..N {
            for j in 0..N {
                let z = (i as f64 + 0.5) / N as f64;
                let turn = (j as f64 + 0.5) / N as f64 * std::f64::consts::TAU;
                let side = (1.0 - z * z).sqrt();
                sum += sheen([side * turn.cos(), side * turn.sin(), z], cosine, roughness);
            }
        }
        let share = sum / (N * N) as f64 * std::f64::consts::TAU;
        let place = format!("cosine {cosine}, roughness {roughness}");
        assert!((f64::from(found.x) - share).abs() < 0.04, "{place}: {} for {share}", found.x);
        let lobe = sheen(light.to_array().map(f64::from), cosine, roughness);
        assert!((f64::from(found.y) - lobe).abs() < 1e-3 + 0.01 * lobe, "{place}: {} for {lobe}", found.y);
    }
}

fn the_tone_curve_is_undone(stage: &Stage) {
    let mut cases = Vec::new();
    for r in STEPS.into_iter().chain([0.0, 1.5, 4.0]) {
        for g in STEPS.into_iter().chain([0.0, 2.0]) {
            cases.push([Vec4::new(r, g, 0.4 * (r + g), 0.0), Vec4::ZERO, Vec4::ZERO, Vec4::ZERO]);
        }
    }
    let gpu = &stage.gpu;
    for (case, found) in cases.iter().zip(run(gpu, "return vec4f(untoned(tone(a.rgb)), 0.0);", &cases)) {
        let want = case[0].truncate();
        let off = (found.truncate() - want).abs().max_element();
        assert!(off < 2e-3 * want.max_element().max(0.1), "{want} came back as {found}");
    }
}
