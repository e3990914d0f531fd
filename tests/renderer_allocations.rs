//! While a clip plays, the renderer's own side allocates nothing after the first two pictures. What wgpu and the driver
//! allocate for themselves is theirs: each allocation is attributed to the first function up the stack that does not belong
//! to the standard library.
#![cfg(feature = "render")]
#![expect(unsafe_code, reason = "an allocator that counts can only be written with unsafe functions")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

use skinscope::frame::{Frame, SceneColors};
use skinscope::model::shapes::obstacle_course;
use skinscope::model::{AlphaMode, Light, LightId, LightKind, Model, NodeId, Transmission};
use skinscope::render::{Backend, Gpu, GpuError, Renderer};
use skinscope::session::{Document, Lighting, PlaybackCommand, SelectionCommand, Session, Toggle, ViewCommand};

thread_local! {
    static WATCHING: Cell<bool> = const { Cell::new(false) };
    static STACKS: RefCell<Vec<Backtrace>> = const { RefCell::new(Vec::new()) };
}

struct Watching;

// SAFETY: every call goes unchanged to the system's allocator; what noting it allocates is not noted.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        unsafe { System.realloc(memory, layout, size) }
    }
}

fn note() {
    // What a failing test prints is told under a lock that capturing needs too.
    if !std::thread::panicking() && WATCHING.try_with(|w| w.replace(false)).unwrap_or(false) {
        let stack = Backtrace::force_capture();
        STACKS.with(|stacks| stacks.borrow_mut().push(stack));
        WATCHING.set(true);
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// The stacks of all allocations of this thread in `work`.
fn watched(work: impl FnOnce()) -> Vec<String> {
    WATCHING.set(true);
    work();
    WATCHING.set(false);
    STACKS.take().iter().map(ToString::to_string).collect()
}

/// Whose doing it is: the crate of the first function that is neither the standard library's nor a test's, and where it stands.
fn culprit(stack: &str) -> (String, String) {
    let mut lines = stack.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let Some((_, symbol)) = line.split_once(": ") else { continue };
        let place = lines.peek().and_then(|next| next.strip_prefix("at ")).unwrap_or_default();
        if let Some(owner) = owner(symbol, place) {
            return (owner, format!("{symbol} {place}"));
        }
    }
    ("nobody".into(), stack.to_owned())
}

/// The crate of a function: by its source file where that is known, else by its name.
fn owner(symbol: &str, place: &str) -> Option<String> {
    const STANDARD: [&str; 7] = ["std", "core", "alloc", "hashbrown", "__rustc", "gimli", "addr2line"];
    let here = place.strip_prefix(env!("CARGO_MANIFEST_DIR")).map_or(place, |rest| rest.trim_start_matches('/'));
    let here = here.trim_start_matches("./");
    if here.starts_with("src/") {
        return Some("skinscope".into());
    }
    if here.starts_with("tests/") || place.starts_with("/rustc/") {
        return None;
    }
    if let Some((_, path)) = place.split_once("/registry/src/") {
        return path.split('/').nth(1).map(str::to_owned);
    }
    let name = symbol.trim_start_matches(['<', '&', '*', '[', '(']);
    let first: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let is_path = name[first.len()..].starts_with("::");
    (is_path && !STANDARD.contains(&first.as_str()) && first != "renderer_allocations").then_some(first)
}

/// wgpu captures stacks of its own while it is debugged, under a lock that capturing one here needs too.
fn let_nobody_else_capture() {
    // SAFETY: called before any other thread of this test is there; the variable is read once, later.
    unsafe { std::env::set_var("RUST_LIB_BACKTRACE", "0") };
}

fn allocations_are_attributed_to_who_asked_for_them() {
    let stacks = watched(|| {
        // Ours, through the standard library, and one of another crate.
        let session = Session::default();
        assert!(session.crowd_refusal().is_none());
        let _frame = Frame { palettes: vec![glam::Affine3A::IDENTITY; 3], ..Frame::default() }.clone();
        let _json = serde_json::from_str::<serde_json::Value>("[1, 2]").unwrap();
    });
    let owners: Vec<String> = stacks.iter().map(|s| culprit(s).0).collect();
    for expected in ["skinscope", "serde_json"] {
        assert!(owners.iter().any(|o| o.starts_with(expected)), "no {expected}: {owners:?}: {}", stacks.concat());
    }
}

/// Everything at once: skins, morph targets, rigid parts, glass, what blends, lights that move.
fn model() -> Arc<Model> {
    let mut parts = (*obstacle_course()).clone();
    let mut materials = parts.materials.iter_mut();
    if let Some(material) = materials.next() {
        material.transmission = Some(Transmission { factor: 0.5, ..Transmission::default() });
    }
    materials.for_each(|m| m.alpha = AlphaMode::Blend);
    let kind = LightKind::Point;
    parts.lights = vec![Light { kind, color: glam::Vec3::ONE, intensity: 3.0, range: None, name: String::new() }];
    parts.light_nodes = vec![(NodeId(4), LightId(0))];
    Arc::new(Model::build(parts).unwrap())
}

#[test]
fn a_picture_that_plays_allocates_nothing_of_ours() {
    let_nobody_else_capture();
    allocations_are_attributed_to_who_asked_for_them();
    let gpu = match Gpu::headless(Backend::Auto) {
        Ok(gpu) => gpu,
        Err(error @ GpuError::NoAdapter { .. }) => return common::skipped(&error.to_string()),
        Err(error) => panic!("{error}"),
    };
    for (members, overlay) in [(1, None), (1, Some("dominant")), (9, None), (9, Some("weights"))] {
        let mut session = Session::default();
        session.open(Document::new(model(), Vec::new(), None));
        session.apply(ViewCommand::SetCrowd(members));
        session.apply(ViewCommand::SetLighting(Lighting::Both));
        session.apply(SelectionCommand::Select(Some(NodeId(4))));
        session.apply(PlaybackCommand::Seek(0.5));
        session.apply(ViewCommand::Set(Toggle::Axes, true));
        session.apply(ViewCommand::SetOverlay(overlay));
        let (mut frame, mut renderer) = (Frame::default(), Renderer::new(&gpu));
        let mut next = || {
            session.apply(PlaybackCommand::Advance(0.01));
            session.update_pose();
            frame.build(&session, &SceneColors::DARK);
            renderer.draw(&gpu, &frame, [64, 64]).unwrap();
        };
        let settle = || {
            gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        };
        for _ in 0..2 {
            next();
            settle();
        }
        let mut stacks = Vec::new();
        for _ in 0..3 {
            stacks.extend(watched(&mut next));
            settle();
        }
        assert!(!stacks.is_empty(), "wgpu allocates, so the allocator watches");
        let ours: Vec<String> = stacks.iter().map(|s| culprit(s)).filter(|c| c.0 == "skinscope").map(|c| c.1).collect();
        assert!(ours.is_empty(), "{members} members, {overlay:?}: {}\n{}", ours.len(), ours.join("\n"));
        assert!(gpu.take_error().is_none());
    }
}
