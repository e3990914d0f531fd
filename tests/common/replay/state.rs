//! What a session knows, as a line of text.

use std::fmt::Write;

use skinscope::session::{Comparison, Session, Toggle, View};

/// Layers over the surface.
const TOGGLES: [Toggle; 15] = [
    Toggle::Bones,
    Toggle::Axes,
    Toggle::Names,
    Toggle::Grid,
    Toggle::Wireframe,
    Toggle::Mesh,
    Toggle::SharedBlack,
    Toggle::WithChildren,
    Toggle::InfluencedOnly,
    Toggle::Vertices,
    Toggle::Normals,
    Toggle::Tangents,
    Toggle::Trail,
    Toggle::Onion,
    Toggle::Stored,
];

/// Returns the FNV-1a hash of 64 bits of some bytes.
pub(super) fn hash(bytes: &[u8]) -> String {
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

/// Returns what a session knows: parts that begin with a name and end with `; `.
pub(super) fn of(session: &Session) -> String {
    let mut out = String::new();
    let mut say = |name: &str, value: String| _ = write!(out, "{name} {value}; ");
    view(session.view(), &mut say);
    say("playback", format!("{:?}", session.playback()));
    let edits = session.edits();
    say("edits", format!("{:?} {:?} {:?}", edits.nodes, edits.morphs, edits.held));
    say("controls", format!("{:?}", edits.controls));
    say("control faults", format!("{:?}", session.control_state().control_faults()));
    say("undo", format!("{} {}", session.history().can_undo(), session.history().can_redo()));
    let pose = session.pose();
    say("pose", hash(format!("{:?} {:?} {:?}", pose.local, pose.model, pose.changes).as_bytes()));
    say("drawn", format!("{} {}", pose.draws.len(), pose.bones.len()));
    say("bounds", format!("{:?} {:?}", session.extents().posed_bounds(), session.pose().opened_bounds));
    say("crowd", format!("{}", session.pose().formation.members));
    let tools = session.tools();
    say("tool", format!("{} {:?} {:?}", tools.open, tools.operation.map(|tool| tool.id), tools.scope));
    let settings = serde_json::to_string(&*tools.settings).unwrap();
    say("tool settings", format!("{settings} {}", tools.settings.donor.is_some()));
    say("locked", format!("{:?}", tools.locked));
    let outcome =
        session.tools().outcome().map(|outcome| (outcome.vertices, outcome.unchanged, outcome.largest, &outcome.found));
    say("tool would change", format!("{outcome:?}"));
    let marking = session.marking();
    say("marking", format!("{:?} {} {}", marking.tool, marking.through, marking.by_hand));
    let rules = session.rules();
    let limits = (&rules.limits, rules.ignores_limits);
    say("rules", format!("{} {:?} {limits:?}", rules.symmetric, rules.pins));
    let measuring = session.measuring();
    say("measuring", format!("{} {}", measuring.open, session.deforming().has_normal_modes()));
    let of_pose = session.measurements().measures().map(|pose| hash(format!("{:?}", pose.measures).as_bytes()));
    let of_clip = session.measurements().measured_clip().map(|curves| (curves.moments.len(), curves.complete));
    say("measures", format!("{of_pose:?} {of_clip:?}"));
    say("compared file", format!("{:?}", session.deforming().compared_file()));
    let files = session.files().clip_files().iter().map(|file| (&file.path, &file.mapping, &file.taken));
    say("clip files", format!("{:?}", files.collect::<Vec<_>>()));
    say("unsaved", format!("{:?}", session.unsaved().unsaved_work().words()));
    say("set aside", format!("{:?}", session.files().set_aside().iter().map(|work| work.lines(9)).collect::<Vec<_>>()));
    say("page", format!("{}", session.shows_page()));
    let lesson = session.lesson().map(|lesson| {
        format!(
            "{:?}",
            lesson.example().sliders.iter().map(|slider| lesson.moment().settings().get(slider.id)).collect::<Vec<_>>()
        )
    });
    say("example", format!("{lesson:?} {}", hash(format!("{:?}", session.example_marks()).as_bytes())));
    let painting = session.painting();
    if painting.brush().is_some() || !painting.recorded().strokes.is_empty() {
        let strokes = hash(painting.recorded().text().as_bytes());
        let note = painting.note().map(|note| &note.text);
        say("painting", format!("{:?} {strokes} {note:?}", painting.brush().map(|brush| brush.id)));
        say("painted poses", hash(format!("{:?}", painting.recorded_poses()).as_bytes()));
        say("brush settings", serde_json::to_string(painting.settings()).unwrap());
        say("last stroke", format!("{:?}", painting.last_stroke()));
    }
    if let (Some(document), Some(model)) = (session.document(), session.edited_weights().edited_model()) {
        say("weights", hash(format!("{:?}", model.weight_edits()).as_bytes()));
        say("binds", hash(format!("{:?}", model.bind_edits()).as_bytes()));
        say("clips", format!("{:?}", model.clips.iter().map(|clip| &clip.name).collect::<Vec<_>>()));
        say("findings", format!("{}", document.findings().count()));
        say("warnings", format!("{:?}", document.warnings));
    }
    out
}

fn view(view: &View, say: &mut impl FnMut(&str, String)) {
    say("camera", format!("{:?} {:?}", view.orbit, view.through));
    say("viewport", format!("{:?}", view.viewport));
    say("light", format!("{:?} {:?}", view.lighting, view.antialiasing));
    say("deformed by", format!("{:?} {:?} {:?}", view.palette_buffer, view.palette_rows, view.deformer));
    say("subdivided", format!("{:?}", view.subdivision));
    say("scene", format!("{} {:?} {}", view.scene, view.variant, view.crowd));
    say("selected", format!("{:?} {:?}", view.selected, view.hovered));
    say("pinned", format!("{:?} {} {}", view.pinned, view.pinned_copy, view.pinned_second));
    say("marked", format!("{} {}", view.marked.len(), hash(format!("{:?}", view.marked).as_bytes())));
    say("finding", format!("{:?}", view.finding));
    say("overlay", format!("{:?} {:?}", view.overlay.map(|overlay| overlay.id), view.ramp));
    say("pose tool", format!("{:?} {:?}", view.pose_tool, view.orientation));
    let pass = view.pass.map(|pass| pass.id);
    say("method", format!("{} {pass:?} {} {:?}", view.method.id, view.normals.id, view.parameters));
    say("comparison", format!("{:?}", view.comparison.as_ref().map(comparison)));
    say("bones", format!("{:?} {} {:?}", view.bone_shape, view.bone_size, view.deforming_only));
    say("hidden", format!("{:?} {}", view.hidden, view.skin_opacity));
    say("layers", TOGGLES.iter().map(|toggle| u8::from(view.is_on(*toggle)).to_string()).collect());
    say("onion", format!("{:?}", view.onion));
    say("limit", format!("{}", view.influence_limit));
}

fn comparison(of: &Comparison) -> String {
    let pass = of.choice.pass.map(|pass| pass.id);
    let method = (of.choice.method.id, pass, of.choice.normals.id);
    format!("{method:?} {:?} {} {:?} {} {}", of.weights, of.swapped, of.layout, of.split, of.is_turned)
}
