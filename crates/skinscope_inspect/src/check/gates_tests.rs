//! Tests of gates, on tubes of which the area around each vertex is known.

use std::sync::atomic::AtomicBool;

use skinscope_model::{Model, ModelParts, Topology};

use super::mesh_tests::{SHAPE, parts_of, plant, set, skin};
use super::{CheckOptions, GATES, RULES, Report, Share, check, percent_text};

/// How many quads the tube has: each vertex of its rings has the area of one, and those of its ends of half of one.
const QUADS: f64 = 32.0 * 16.0;

fn report(parts: ModelParts, rules: Option<Vec<&'static str>>) -> Report {
    let options = CheckOptions { rules, gates: GATES.to_vec(), ..CheckOptions::default() };
    check(&Model::build(parts).unwrap(), &options, &AtomicBool::new(false)).unwrap()
}

/// Returns the share and the vertices of a gate, measured though no rule is asked for.
fn share(parts: ModelParts, gate: &str) -> (f64, usize) {
    let report = report(parts, Some(Vec::new()));
    assert_eq!(report.findings, [], "what only gates read is not reported");
    let Share { percent, vertices, .. } = report.shares.iter().find(|share| share.gate == gate).unwrap();
    (*percent, *vertices)
}

fn assert_share(parts: ModelParts, gate: &str, (percent, vertices): (f64, usize)) {
    let found = share(parts, gate);
    assert!((found.0 - percent).abs() < 1e-3 && found.1 == vertices, "{found:?}, not {percent} and {vertices}");
}

#[test]
fn a_clean_tube_has_nothing_of_any_gate_and_gates_that_are_not_asked_for_are_not_measured() {
    let report = report(parts_of(SHAPE), None);
    let shares: Vec<_> = report.shares.iter().map(|share| (share.gate, share.percent, share.vertices)).collect();
    assert_eq!(shares, GATES.iter().map(|gate| (gate.id, 0.0, 0)).collect::<Vec<_>>());
    let model = Model::build(parts_of(SHAPE)).unwrap();
    assert_eq!(check(&model, &CheckOptions::default(), &AtomicBool::new(false)).unwrap().shares, []);
}

#[test]
fn every_gate_has_words_a_name_of_its_own_and_rules_that_exist() {
    let ids: std::collections::BTreeSet<_> = GATES.iter().map(|gate| gate.id).collect();
    assert_eq!(ids.len(), GATES.len());
    for gate in GATES {
        assert!(!gate.label.is_empty() && !gate.help.is_empty() && !gate.id.contains(['=', ' ', '%']), "{}", gate.id);
        assert!(gate.rules.iter().all(|rule| RULES.iter().any(|known| known.id == rule.id)), "{}", gate.id);
    }
}

#[test]
fn the_surface_without_weight_is_a_share_of_the_area_around_its_vertices() {
    let mut parts = parts_of(SHAPE);
    // Three of rings, and one of the lower end.
    [100, 101, 300, 0].into_iter().for_each(|vertex| set(skin(&mut parts), vertex, &[]));
    assert_share(parts, "unweighted", (100.0 * 3.5 / QUADS, 4));
}

#[test]
fn a_primitive_without_weights_below_a_skin_is_unweighted_as_a_whole() {
    let mut parts = parts_of(SHAPE);
    let mut bare = skin(&mut parts).clone();
    bare.stored_influences = None;
    let vertices = bare.stored_vertices;
    parts.meshes[0].primitives.push(bare);
    assert_share(parts, "unweighted", (50.0, vertices));
}

#[test]
fn points_count_alike() {
    let mut parts = parts_of(SHAPE);
    let points = skin(&mut parts);
    points.topology = Topology::Points;
    points.indices = (0..points.stored_vertices as u32).collect();
    let percent = 100.0 / points.stored_vertices as f64;
    set(points, 100, &[]);
    assert_share(parts, "unweighted", (percent, 1));
}

#[test]
fn bleeding_is_a_share_of_the_weight() {
    for weight in [0.1, 0.5] {
        let mut parts = parts_of(SHAPE);
        // Rogue vertices near the upper end, which the lowest joint moves.
        [480, 481, 496, 500].into_iter().for_each(|vertex| plant(skin(&mut parts), vertex, 0, weight));
        assert_share(parts, "bleeding", (100.0 * 4.0 * f64::from(weight) / QUADS, 4));
    }
}

#[test]
fn a_gate_over_rules_measures_the_vertices_that_they_name() {
    let mut parts = parts_of(SHAPE);
    [100, 200].into_iter().for_each(|vertex| set(skin(&mut parts), vertex, &[(1, 0.5)]));
    assert_share(parts, "sums", (100.0 * 2.0 / QUADS, 2));
}

#[test]
fn percentages_are_short() {
    let said = [0.0, 0.5, 0.0126, 12.345, 100.0, 1e-9].map(percent_text);
    assert_eq!(said, ["0 %", "0.5 %", "0.013 %", "12.3 %", "100 %", "less than 0.001 %"]);
}
