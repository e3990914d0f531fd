//! Every shader program links with every method, is valid, and agrees with Rust about the structs they share. The test
//! needs no GPU.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use skinscope::deform::METHODS;
use skinscope::frame::{LOOKS, TONE_MAPS};
use skinscope::render::layouts::{LAYOUTS, Layout};
use skinscope::render::shader::{GRID, LAYERED, LOOK, Linked, Linking, PROGRAMS, PaletteIn, SURFACE};
use wgpu::naga::{Module, TypeInner, proc::Layouter};

fn linked() -> Vec<(String, Linked)> {
    let pairs = PROGRAMS.iter().flat_map(|p| METHODS.iter().map(move |m| (p, m)));
    let palettes = [PaletteIn::Storage, PaletteIn::Uniform(4096)];
    let usual = Linking::default();
    let all = palettes.map(|palette| [false, true].map(|late_depth| Linking { palette, late_depth, ..usual })).concat();
    let ways = pairs.flat_map(|(p, m)| all.iter().map(move |with| (*p, *m, *with)));
    // Looks and tone maps are the same with every method.
    let others = LOOKS.iter().filter(|look| look.wgsl.is_some()).count() as u8;
    let looks = (0..others).map(|look| (&LOOK, METHODS[0], Linking { look, ..usual }));
    let around = [&SURFACE, &LAYERED].map(|p| (p, METHODS[0], Linking { environment: true, ..usual }));
    let tones = (0..TONE_MAPS.len() as u8).map(|tone_map| (&LAYERED, METHODS[0], Linking { tone_map, ..usual }));
    let shadowed = [&SURFACE, &LAYERED, &LOOK, &GRID].map(|p| (p, METHODS[0], Linking { shadowed: true, ..usual }));
    let ways = ways.chain(looks).chain(tones).chain(around).chain(shadowed);
    ways.map(|(p, m, with)| (format!("{} with {}, {with:?}", p.name, m.id), p.link(m, with))).collect()
}

#[test]
fn every_program_is_valid_with_every_method() {
    for (name, linked) in linked() {
        if let Err(e) = linked.check() {
            panic!("{name}: {e}");
        }
    }
}

/// Compares one struct with the shader's; false where the shader does not have it.
fn agrees(module: &Module, layout: &Layout, context: &str) -> bool {
    let Some((handle, ty)) = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(layout.name)) else {
        return false;
    };
    let TypeInner::Struct { members, span } = &ty.inner else { panic!("{context}: {} is no struct", layout.name) };
    // What comes in as vertex attributes has no layout of its own; names and order still have to agree.
    if members.iter().all(|m| m.binding.is_some()) {
        let names: Vec<_> = members.iter().map(|m| m.name.as_deref().unwrap()).collect();
        assert_eq!(names, layout.fields.iter().map(|f| f.0).collect::<Vec<_>>(), "{context}: {}", layout.name);
        return true;
    }
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).unwrap();
    let field = |m: &wgpu::naga::StructMember| {
        (m.name.clone().unwrap_or_default(), m.offset as usize, layouter[m.ty].size as usize)
    };
    let fields: Vec<_> = members.iter().map(field).collect();
    let want: Vec<_> = layout.fields.iter().map(|(name, offset, size)| (String::from(*name), *offset, *size)).collect();
    assert_eq!(fields, want, "{context}: fields of {}", layout.name);
    assert_eq!(
        (*span as usize, layouter[handle].size as usize),
        (layout.size, layout.size),
        "{context}: {}",
        layout.name
    );
    true
}

#[test]
fn shared_structs_have_the_same_layout_on_both_sides() {
    let mut seen = BTreeSet::new();
    for (name, linked) in linked() {
        let (module, _) = linked.check().unwrap();
        seen.extend(LAYOUTS.iter().filter(|l| agrees(&module, l, &name)).map(|l| l.name));
    }
    assert_eq!(seen, LAYOUTS.iter().map(|l| l.name).collect(), "structs that some shader has, and all that are shared");
}

#[test]
fn errors_name_their_own_file_and_line() {
    let source = include_str!("../../shaders/tone/neutral.wgsl");
    let want = source.lines().position(|l| l.contains("fn tone(")).unwrap() + 1;
    for (good, bad) in
        [("fn tone(linear: vec3f)", "fn tone(linear: vec3q)"), ("fn tone(linear: vec3f)", "fn tone(linear: u32)")]
    {
        let mut broken = SURFACE.link(METHODS[0], Linking::default());
        broken.text = broken.text.replace(good, bad);
        let error = broken.check().unwrap_err();
        assert_eq!(error.file, "tone/neutral.wgsl", "{error}");
        assert!((want..want + 12).contains(&error.line), "{error} should be near {want}");
    }
}
