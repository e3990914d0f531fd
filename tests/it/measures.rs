//! The measures of posed surfaces against what an independent implementation says of real models (`corpus/methods`; numpy in double
//! precision), and the volume against a sum over the exported triangles.
//!
//! The corpus stands outside the repository: `SKINSCOPE_CORPUS`, else `../shared/corpus`. Without it this is skipped.
#![expect(clippy::unwrap_used, reason = "a test that cannot read what the program says fails")]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use glam::{Affine3A, DVec3};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform::{self, METHODS, Method, ParameterSettings, Surface, SurfaceInput};
use skinscope::export::baked_surface;
use skinscope::inspect::measure::{Measurer, SurfaceMeasures, Wanted};
use skinscope::model::{InstanceId, LocalPose, MeshId, Model, NodeId};
use skinscope::parallel::JobContext;

use crate::common;
use crate::common::methods_index::{PrimitiveMeasures, ROUNDED, methods_index};
use crate::common::open;

struct Posed {
    draws: Vec<InstanceId>,
    local: LocalPose,
    palettes: Vec<Affine3A>,
}

impl Posed {
    fn at(model: &Model, clip: usize, time: f32) -> Self {
        let mut local = LocalPose::default();
        anim::reset_to_rest(&model.skeleton, &mut local);
        anim::sample(model, &model.clips[clip], time, &mut SampleScratch::default(), &mut local);
        let (mut pose, mut palettes) = (Vec::new(), Vec::new());
        anim::local_to_model(&model.skeleton, &local, &mut pose);
        deform::palettes(model, &pose, &mut palettes);
        Self { draws: anim::drawn_at_rest(model, model.default_scene), local, palettes }
    }

    fn input<'a>(&'a self, model: &'a Model, method: &'a Method) -> SurfaceInput<'a> {
        let Self { draws, local, palettes } = self;
        SurfaceInput { model, draws, palettes, morph_weights: &local.morph_weights, method: method.into() }
    }
}

fn near(what: &str, got: f64, want: f64, allowed: f64) {
    let off = (got - want).abs();
    assert!(off <= allowed * want.abs().max(1e-9), "{what}: {got} instead of {want}");
}

#[test]
fn every_measure_is_what_the_reference_says() {
    let Some(corpus) = common::corpus() else { return };
    let index = methods_index(&corpus);
    let mut measurers: BTreeMap<&str, Measurer> = BTreeMap::new();
    let (mut compared, mut of_normals, mut of_modes) = (0, 0, 0);
    for pose in &index.poses {
        let open = || Measurer::new(&open(&corpus, &pose.model), &|| false).unwrap();
        let measurer = measurers.entry(&pose.model).or_insert_with(open);
        let model = Arc::clone(measurer.model());
        let posed = Posed::at(&model, pose.clip, pose.time);
        for method in METHODS {
            let Some(wants) = pose.measures.get(method.id) else { continue };
            // Approximations are not as near to the reference as measures can tell.
            if method.expects.reference_error > 1e-5 {
                continue;
            }
            let data = method.data.and_then(|source| (source.make)(&model, &JobContext::of_waiting()));
            if data.as_ref().is_some_and(|data| data.split.is_some()) {
                continue;
            }
            let mut input = posed.input(&model, method);
            input.method.data = data.as_ref();
            let surface = Surface::of(&input);
            let wanted = Wanted { normal_error: true, normal_modes: true, ..Wanted::default() };
            let (measures, _) = measurer.measure(&input, &surface, wanted);
            let name = format!("{} {} s, {}", pose.model, pose.time, method.id);
            assert!(pose.primitives.iter().filter(|p| p.skinned).count() == measures.primitives.len(), "{name}");
            compare(&name, &pose.model, &measures, wants);
            if let Some(want) = pose.normal_error_degrees.get("cofactor").filter(|_| method.id == "linear") {
                let [worst, mean] = measures.normal_error.unwrap();
                near(&format!("{name}: worst normal error"), worst, want.max, 1e-3);
                near(&format!("{name}: mean normal error"), mean, want.mean, 1e-3);
                of_normals += 1;
            }
            for mode in &measures.normal_modes {
                let Some(want) = pose.normal_error_degrees.get(mode.mode).filter(|_| method.id == "linear") else {
                    continue;
                };
                let name = format!("{name}, {}", mode.mode);
                // An angle near 0 is told to some 1e-3 degrees.
                let allowed = |want: f64| 1e-3 * want.max(1.0) + 1e-3;
                assert!((mode.worst - want.max).abs() <= allowed(want.max), "{name}: {} not {}", mode.worst, want.max);
                assert!((mode.mean - want.mean).abs() <= allowed(want.mean), "{name}: {} not {}", mode.mean, want.mean);
                assert_eq!(mode.zero, 0, "{name}");
                of_modes += 1;
            }
            compared += 1;
        }
    }
    assert!(compared >= 30 && of_normals >= 2, "{compared} surfaces, {of_normals} with normals");
    assert_eq!(of_modes, 6 * of_normals, "modes of normals");
}

fn compare(name: &str, model: &str, measures: &SurfaceMeasures, wants: &[PrimitiveMeasures]) {
    // Vertices of 32 bits stand within 1e-7 of the size; the shortest edges that are measured are some 1e-3 of it.
    let (ratio, volume) = if model == ROUNDED { (2e-3, 2e-3) } else { (2e-4, 2e-5) };
    for want in wants {
        let got = &measures.primitives[want.primitive];
        let name = format!("{name}, primitive {}", want.primitive);
        for (i, end) in ["least", "most"].into_iter().enumerate() {
            near(&format!("{name}: {end} stretch"), got.stretch[i].into(), want.edge_stretch[i], ratio);
            if want.triangle_area[i] > 1e-6 {
                near(&format!("{name}: {end} triangle"), got.triangle[i].into(), want.triangle_area[i], ratio);
            } else {
                assert!(got.triangle[i] < 1e-3, "{name}: {end} triangle");
            }
        }
        near(&format!("{name}: mean stretch"), got.stretch_mean, want.edge_stretch_mean, ratio);
        near(&format!("{name}: area"), got.area, want.area, ratio);
        assert_eq!(got.folds, want.folds, "{name}: folds");
        assert_eq!(got.inverted, want.inverted, "{name}: inverted");
        near(&format!("{name}: sharpest"), got.sharpest.into(), want.sharpest, ratio);
        assert_eq!(got.parts.len(), want.parts.len(), "{name}: parts");
        // Each numbers the parts in its own way.
        let (mut got, mut want): (Vec<_>, Vec<_>) = (got.parts.iter().collect(), want.parts.iter().collect());
        got.sort_by(|a, b| (a.triangles, a.posed).partial_cmp(&(b.triangles, b.posed)).unwrap());
        want.sort_by(|a, b| (a.triangles, a.volume).partial_cmp(&(b.triangles, b.volume)).unwrap());
        for (i, (got, want)) in got.into_iter().zip(want).enumerate() {
            let name = format!("{name}, part {i}");
            assert_eq!((got.triangles, got.closed), (want.triangles, want.closed), "{name}");
            assert_eq!(got.ratio().is_some(), want.ratio.is_some(), "{name}: {:?}", got.ratio());
            if let Some(want) = want.ratio {
                near(&format!("{name}: ratio"), got.ratio().unwrap(), want, volume);
            }
            if let Some(rest) = got.rest {
                near(&format!("{name}: rest volume"), rest, want.rest_volume, volume);
                near(&format!("{name}: volume"), got.posed, want.volume, volume);
            }
        }
    }
}

/// Methods that the reference allows an error, and passes: what is summed over the whole surface is as near as that lets it be.
#[test]
fn sums_over_the_surface_are_what_the_reference_says_by_methods_that_are_approximated() {
    let Some(corpus) = common::corpus() else { return };
    let index = methods_index(&corpus);
    let (mut compared, mut worst) = (BTreeMap::<&str, usize>::new(), 0.0_f64);
    // Mush of a strip that is two vertices wide turns it over.
    for pose in index.poses.iter().filter(|pose| pose.model != ROUNDED) {
        let model = open(&corpus, &pose.model);
        let mut measurer = Measurer::new(&model, &|| false).unwrap();
        let posed = Posed::at(&model, pose.clip, pose.time);
        for (id, wants) in &pose.measures {
            let (method, pass) = id.split_once('+').map_or((id.as_str(), None), |(method, pass)| (method, Some(pass)));
            let method = METHODS.iter().find(|m| m.id == method).unwrap();
            if pass.is_none() && method.expects.reference_error <= 1e-5 {
                continue;
            }
            let job = JobContext::of_waiting();
            let data = method.data.and_then(|source| (source.make)(&model, &job));
            let mut input = posed.input(&model, method);
            input.method.data = data.as_ref();
            let pass = pass.map(|id| deform::pass(id).unwrap());
            let of_pass = pass.and_then(|pass| (pass.data?.make)(&model, &job));
            if let Some(pass) = pass {
                input.method = input.method.then(pass, &ParameterSettings::default());
                input.method.pass.iter_mut().for_each(|applied| applied.data = of_pass.as_ref());
            }
            let (measures, _) = measurer.measure(&input, &Surface::of(&input), Wanted::default());
            for want in wants {
                let got = &measures.primitives[want.primitive];
                let name = format!("{} {} s, {id}, primitive {}", pose.model, pose.time, want.primitive);
                for (what, got, want) in
                    [("area", got.area, want.area), ("mean edge", got.stretch_mean, want.edge_stretch_mean)]
                {
                    let off = (got - want).abs() / want;
                    worst = worst.max(off);
                    assert!(off < 2e-3, "{name}: {what} {got} instead of {want}");
                }
                *compared.entry(id.as_str()).or_default() += 1;
            }
        }
    }
    eprintln!("{compared:?}, off by {worst:.1e} at most");
    assert!(compared.len() == 4 && compared.values().all(|count| *count >= 8), "{compared:?}");
}

/// The volume of a closed surface is the sum of the prisms between its triangles and the ground, which needs neither parts nor places.
#[test]
fn the_measured_volume_is_that_of_the_exported_triangles() {
    let Some(corpus) = common::corpus() else { return };
    for (name, clip) in [("models/CesiumMan.glb", 0), ("models/Fox.glb", 1), ("models/RiggedFigure.glb", 0)] {
        let model = open(&corpus, name);
        let mut measurer = Measurer::new(&model, &|| false).unwrap();
        for (time, method) in
            [0.1, 0.5, 0.9].into_iter().zip(METHODS.iter().filter(|method| method.data.is_none()).cycle())
        {
            let posed = Posed::at(&model, clip, time);
            let input = posed.input(&model, method);
            let (measures, _) = measurer.measure(&input, &Surface::of(&input), Wanted::default());
            let got = measures.primitives[0].parts[0].posed;
            let mut want = 0.0;
            for baked in baked_surface(&model, &posed.draws, &posed.local, method) {
                let at = |v: &u32| baked.positions[*v as usize].as_dvec3();
                for [a, b, c] in baked.indices.as_chunks::<3>().0.iter().map(|t| t.each_ref().map(at)) {
                    // Twice the area of the shadow on the ground, times the mean height.
                    let shadow = (b - a).cross(c - a).dot(DVec3::Y);
                    want += 0.5 * shadow * (a.y + b.y + c.y) / 3.0;
                }
            }
            near(&format!("{name} at {time} s by {}", method.id), got, want, 1e-3);
        }
    }
}

/// The triangles of a mesh by the joint that holds most of each and by the part that hangs together, found in the plainest way.
fn pieces(model: &Model, primitive: usize) -> BTreeMap<(u32, u16), Vec<[u32; 3]>> {
    let source = &model.meshes[0].primitives[primitive];
    let influences = model.influences(MeshId(0), primitive).unwrap();
    let mut first: HashMap<[u32; 3], u32> = HashMap::new();
    let place = |v: &u32| source.positions[*v as usize].to_array().map(|x| (x + 0.0).to_bits());
    let mut triangles: Vec<([u32; 3], u16)> = Vec::new();
    for corners in source.indices.as_chunks::<3>().0 {
        let mut sums: BTreeMap<u16, f32> = BTreeMap::new();
        for (joints, weights) in corners.map(|v| influences.of(v as usize)) {
            joints.iter().zip(weights).for_each(|(j, w)| *sums.entry(*j).or_default() += *w);
        }
        let most = sums.values().copied().fold(0.0, f32::max);
        let joint = *sums.iter().find(|(_, sum)| **sum >= most - 1e-6).unwrap().0;
        let t = corners.map(|v| *first.entry(place(&v)).or_insert(v));
        if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
            triangles.push((t, joint));
        }
    }
    // Parts: each triangle takes the lowest number of those that it shares an edge with, until nothing changes.
    let mut part: Vec<u32> = (0..triangles.len() as u32).collect();
    loop {
        let mut lowest: HashMap<[u32; 2], u32> = HashMap::new();
        let edges = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].map(|[a, b]| [a.min(b), a.max(b)]);
        for ((t, _), part) in triangles.iter().zip(&part) {
            for edge in edges(t) {
                let least = lowest.entry(edge).or_insert(*part);
                *least = (*least).min(*part);
            }
        }
        let next: Vec<u32> =
            triangles.iter().map(|(t, _)| edges(t).map(|e| lowest[&e]).into_iter().min().unwrap()).collect();
        if next == part {
            break;
        }
        part = next;
    }
    let mut out: BTreeMap<(u32, u16), Vec<[u32; 3]>> = BTreeMap::new();
    triangles.iter().zip(part).for_each(|((t, joint), part)| out.entry((part, *joint)).or_default().push(*t));
    out
}

/// Closes triangles by a fan for each border around the mean of its edges' first ends.
fn closed(triangles: &[[u32; 3]], positions: &[DVec3]) -> Vec<[DVec3; 3]> {
    let sides = || triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
    let all: HashSet<[u32; 2]> = sides().collect();
    let mut open: Vec<[u32; 2]> = sides().filter(|[a, b]| !all.contains(&[*b, *a])).collect();
    let mut out: Vec<[DVec3; 3]> = triangles.iter().map(|t| t.map(|v| positions[v as usize])).collect();
    while let Some(edge) = open.pop() {
        let mut border = vec![edge];
        let mut i = 0;
        while i < border.len() {
            let [a, b] = border[i];
            let (touching, others) = open.iter().partition(|[c, d]| [a, b].contains(c) || [a, b].contains(d));
            open = others;
            border.extend::<Vec<_>>(touching);
            i += 1;
        }
        let at = |v: u32| positions[v as usize];
        let middle = border.iter().map(|[a, _]| at(*a)).sum::<DVec3>() / border.len() as f64;
        out.extend(border.iter().map(|[a, b]| [at(*b), at(*a), middle]));
    }
    out
}

/// The sum of the prisms between triangles and the ground, and the area.
fn prisms(triangles: &[[DVec3; 3]]) -> f64 {
    triangles.iter().map(|[a, b, c]| 0.5 * (*b - *a).cross(*c - *a).dot(DVec3::Y) * (a.y + b.y + c.y) / 3.0).sum()
}

/// The region of a joint is the triangles that it holds most of, closed over their borders.
#[test]
fn the_volume_of_every_joints_region_is_that_of_its_triangles() {
    let Some(corpus) = common::corpus() else { return };
    for (name, clip) in [("models/CesiumMan.glb", 0), ("models/Fox.glb", 1), ("models/RiggedFigure.glb", 0)] {
        let model = open(&corpus, name);
        let mut measurer = Measurer::new(&model, &|| false).unwrap();
        let pieces = pieces(&model, 0);
        let joints = &model.skins[0].joints;
        for (time, method) in [(0.3, METHODS[0]), (0.7, deform::method("dual-quaternion").unwrap())] {
            let posed = Posed::at(&model, clip, time);
            let input = posed.input(&model, method);
            let surface = Surface::of(&input);
            let (measures, _) = measurer.measure(&input, &surface, Wanted::default());
            let double = |all: &[glam::Vec3]| all.iter().map(|p| p.as_dvec3()).collect::<Vec<_>>();
            let [rest, now] =
                [&model.meshes[0].primitives[0].positions, &surface.parts[0].deformed.positions].map(|p| double(p));
            let mut want: BTreeMap<NodeId, [f64; 2]> = BTreeMap::new();
            for ((_, joint), triangles) in &pieces {
                let area: f64 = triangles
                    .iter()
                    .map(|t| t.map(|v| rest[v as usize]))
                    .map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length())
                    .sum();
                let [at_rest, posed] = [&rest, &now].map(|positions| prisms(&closed(triangles, positions)));
                // All of them have borders here; a sheet encloses nothing.
                if at_rest.abs() > 0.04 * area.powf(1.5) {
                    let sums = want.entry(joints[usize::from(*joint)]).or_default();
                    *sums = [sums[0] + posed * at_rest.signum(), sums[1] + at_rest.abs()];
                }
            }
            let name = format!("{name} at {time} s by {}", method.id);
            assert!(want.len() >= 10, "{name}: {} regions", want.len());
            assert_eq!(
                measures.regions.iter().map(|r| r.0).collect::<Vec<_>>(),
                want.keys().copied().collect::<Vec<_>>(),
                "{name}"
            );
            for (joint, ratio) in &measures.regions {
                let [posed, rest] = want[joint];
                near(&format!("{name}: joint {joint:?}"), *ratio, posed / rest, 1e-3);
            }
        }
    }
}

mod command {
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::process::{Command, Output};

    use serde_json::{Value, json};
    use skinscope::inspect::measure::MEASURES;

    fn run(arguments: &[&str]) -> Output {
        let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
        Command::new(env!("CARGO_BIN_EXE_skinscope")).arg("measure").arg(model).args(arguments).output().unwrap()
    }

    fn told(arguments: &[&str]) -> Value {
        let out = run(&[arguments, &["--json"]].concat());
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        serde_json::from_slice(&out.stdout).unwrap()
    }

    #[test]
    fn the_curves_of_a_clip_are_told_with_the_worst_of_each() {
        let clip = told(&["--clip", "Wave"]);
        assert_eq!((&clip["schema"], &clip["method"], &clip["clip"]), (&json!(1), &json!("linear"), &json!("Wave")));
        let times: Vec<f64> = clip["times"].as_array().unwrap().iter().map(|t| t.as_f64().unwrap()).collect();
        assert!(times.len() > 30 && times.is_sorted() && times[1] - times[0] <= 1.0 / 30.0 + 1e-6, "{times:?}");
        for measure in MEASURES {
            let values: Vec<Option<f64>> =
                clip["curves"][measure.id].as_array().unwrap().iter().map(Value::as_f64).collect();
            assert_eq!(values.len(), times.len(), "{}", measure.id);
            let worst = &clip["worst"][measure.id];
            let place = times.iter().position(|t| Some(*t) == worst["time"].as_f64()).unwrap();
            assert_eq!(values[place], worst["value"].as_f64(), "{}", measure.id);
            let badness = |value: &Option<f64>| value.map_or(0.0, |value| measure.badness(value));
            let most = values.iter().map(badness).fold(0.0, f64::max);
            assert_eq!(badness(&values[place]), most, "{}", measure.id);
        }
        assert!(
            clip["worst"]["stretch_max"]["vertex"].is_u64()
                && clip["worst"]["stretch_max"]["value"].as_f64() > Some(1.05)
        );
        for list in ["regions", "parts"] {
            let key = if list == "regions" { "volume" } else { "volume_m3" };
            let all = clip[list].as_array().unwrap();
            assert!(!all.is_empty() && all.iter().all(|of| of[key].as_array().unwrap().len() == times.len()), "{list}");
        }
        // A moment alone is that of the curve, and another rate has other moments of the same curve.
        let time = clip["worst"]["stretch_max"]["time"].to_string();
        let alone = told(&["--clip", "Wave", "--time", &time]);
        assert_eq!(alone["times"].as_array().unwrap().len(), 1);
        assert_eq!(alone["curves"]["stretch_max"][0], clip["worst"]["stretch_max"]["value"]);
        let coarse = told(&["--clip", "Wave", "--rate", "5"]);
        assert!(coarse["times"].as_array().unwrap().len() < times.len() / 4);
        assert_eq!(coarse["curves"]["area"][0], clip["curves"]["area"][0]);
        let dual = told(&["--clip", "Wave", "--method", "dual-quaternion"]);
        assert!(dual["method"] == json!("dual-quaternion") && dual["curves"]["volume"] != clip["curves"]["volume"]);
        // The modes of normals are those of linear blending.
        assert!(dual["normal_modes"].as_object().unwrap().is_empty() && clip["normals"] == json!("cofactor"));
        let modes = clip["normal_modes"].as_object().unwrap();
        assert_eq!(modes.len(), 6);
        for (mode, lists) in modes {
            assert!(["max", "mean", "zero"].iter().all(|list| lists[list].as_array().unwrap().len() == times.len()));
            let alone = told(&["--clip", "Wave", "--time", &time, "--normals", mode]);
            let moment = times.iter().position(|t| Some(*t) == clip["worst"]["stretch_max"]["time"].as_f64()).unwrap();
            assert_eq!(alone["curves"]["normal_error_max"][0], lists["max"][moment], "{mode}");
        }
        assert_eq!(modes["cofactor"]["max"], clip["curves"]["normal_error_max"]);
    }

    /// Programs read the report by these names.
    #[test]
    fn the_report_has_the_fields_that_are_promised_and_no_others() {
        let keys = |of: &Value| of.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        let told = told(&["--clip", "Wave", "--method", "linear", "--time", "1"]);
        let all =
            ["schema", "method", "normals", "clip", "times", "curves", "worst", "normal_modes", "regions", "parts"];
        assert_eq!(keys(&told), names(&all));
        let measures = [
            "stretch_max",
            "stretch_min",
            "stretch_mean",
            "triangle_max",
            "triangle_min",
            "area",
            "volume",
            "region_volume",
            "inverted",
            "folds",
            "normal_error_max",
            "normal_error_mean",
            "zero_normals",
        ];
        assert_eq!((keys(&told["curves"]), keys(&told["worst"])), (names(&measures), names(&measures)));
        for measure in measures {
            assert_eq!(
                keys(&told["worst"][measure]),
                names(&["time", "value", "mesh", "primitive", "vertex"]),
                "{measure}"
            );
        }
        assert_eq!(keys(&told["regions"][0]), names(&["joint", "volume"]));
        let part = ["mesh", "primitive", "triangles", "closed", "rest_m3", "volume_m3"];
        assert_eq!(keys(&told["parts"][0]), names(&part));
        assert_eq!(keys(&told["normal_modes"]["cofactor"]), names(&["max", "mean", "zero"]));
    }

    #[test]
    fn the_text_says_what_is_worst_and_where_and_nonsense_is_refused() {
        let out = run(&["--clip", "Wave"]);
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(out.status.success() && text.contains("clip \"Wave\"") && text.contains("Longest edge"), "{text}");
        assert!(text.contains("rotation-only") && text.contains("of length zero"), "{text}");
        assert!(text.contains(", vertex ") && text.contains("joint \""), "{text}");
        // Without a clip the first one is measured.
        assert!(String::from_utf8(run(&[]).stdout).unwrap().contains("moments"));
        for bad in [&["--clip", "Nonsense"][..], &["--rate", "0"], &["--method", "magic"], &["--time", "soon"]] {
            assert_eq!(run(bad).status.code(), Some(2), "{bad:?}");
        }
    }
}
