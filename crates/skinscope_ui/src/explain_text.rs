//! The explanation of a vertex as text: for reading, and as a table with every digit.

use std::fmt::Write as _;

use glam::DVec3;
use skinscope_base::math::Units;
use skinscope_deform::{Method, Readout, ReadoutTerm};
use skinscope_inspect::Explanation;
use skinscope_model::Model;

use super::card::mesh_of;
use super::widgets::number;

/// Returns how many decimals positions have in a model of `size`, in the unit of the positions: four for a size of two metres.
pub(super) fn decimals(size: f32) -> usize {
    let decimals = 4.0 - size.max(1e-6).log10().floor();
    if decimals.is_finite() { decimals.clamp(1.0, 8.0) as usize } else { 4 }
}

fn triple(v: DVec3, decimals: usize) -> String {
    let [x, y, z] = v.to_array().map(|v| number(v as f32, decimals));
    format!("({x}, {y}, {z})")
}

fn quadruple(quaternion: [f64; 4]) -> String {
    let [x, y, z, w] = quaternion.map(|v| number(v as f32, 6));
    format!("({x}, {y}, {z}, {w})")
}

/// Writes an explanation as text, in the words and units of the page.
pub(super) fn text(model: &Model, method: &Method, e: &Explanation, stored: &[String], decimals: usize) -> String {
    let mut out = String::new();
    let (unit, metres) = Units::of_columns();
    let at = |v: DVec3| triple(v / metres, decimals);
    let mesh = mesh_of(model, e.vertex).unwrap_or_default();
    let mut line = |text: String| _ = writeln!(out, "{text}");
    line(format!("Vertex {} of primitive {} of mesh {mesh}", e.number, e.vertex.primitive));
    line(format!("stored, mesh space ({unit}): {}", at(e.stored)));
    for morph in &e.morphs {
        let names = &model.meshes[e.mesh.index()].morph_names;
        let name = names.get(morph.target).map_or("morph target", String::as_str);
        line(format!("+ {name} × {}: {}", number(morph.weight as f32, 4), at(morph.displacement)));
    }
    if !e.morphs.is_empty() {
        line(format!("v = {}", at(e.rest)));
    }
    for (term, stored) in e.terms.iter().zip(stored) {
        let name = &model.skeleton.names[term.node.index()];
        let weight = number(term.weight as f32, 6);
        line(format!("{name}: weight {weight} {stored}, v′ = {}, M v = {}", at(term.offset), at(term.alone)));
        line(match term.quaternion {
            Ok(form) => {
                let scale = if form.scales() { format!(", S = {}", triple(form.scale, 6)) } else { String::new() };
                let quaternion = quadruple(form.rotation.to_array());
                format!(
                    "  = b + R{} v′, b = {}, R = quaternion {quaternion}{scale}",
                    if form.scales() { " S" } else { "" },
                    at(form.translation)
                )
            }
            Err(why) => format!("  {}", why.sentence(name)),
        });
    }
    match &e.readout {
        Readout::Sum(shares) => {
            let terms = e.terms.iter().zip(shares).filter(|(_, share)| **share != 0.0);
            let terms: Vec<String> =
                terms.map(|(t, share)| format!("{} · {}", number(*share as f32, 6), at(t.alone))).collect();
            line(format!("{}: p = {} = {}", method.label, terms.join(" + "), at(e.position)));
        }
        Readout::Motion { rotation, translation } => {
            line(format!("{}: {}", method.label, method.text.equation));
            line(format!("R = quaternion {}, R v = {}", quadruple(rotation.to_array()), at(*rotation * e.rest)));
            line(format!("t = {}, p = {}", at(*translation), at(e.position)));
        }
        Readout::Terms(terms) => {
            line(format!("{}: {}", method.label, method.text.equation));
            for ReadoutTerm { label, share, vector } in terms {
                line(format!(
                    "{} · {label} = {} · {}",
                    number(*share as f32, 6),
                    number(*share as f32, 6),
                    at(*vector)
                ));
            }
            line(format!("p = {}", at(e.position)));
        }
    }
    out
}

/// Writes a line for each quantity, with all digits of every number; lengths are in metres.
pub(super) fn tsv(model: &Model, e: &Explanation, stored: &[String]) -> String {
    let mut out = String::from("quantity\tjoint\tweight\tstored\tx\ty\tz\tw\n");
    let mut row = |quantity: &str, who: [&str; 3], v: &[f64]| {
        let numbers: Vec<String> = v.iter().map(f64::to_string).collect();
        let who = who.map(|text| text.replace(['\t', '\n', '\r'], " ")).join("\t");
        _ = writeln!(out, "{quantity}\t{who}\t{}", numbers.join("\t"));
    };
    row("stored", [""; 3], &e.stored.to_array());
    for morph in &e.morphs {
        let names = &model.meshes[e.mesh.index()].morph_names;
        let name = names.get(morph.target).map_or("", String::as_str);
        row("morph", [name, &morph.weight.to_string(), ""], &morph.displacement.to_array());
    }
    row("v", [""; 3], &e.rest.to_array());
    for (term, stored) in e.terms.iter().zip(stored) {
        let (name, weight) = (&model.skeleton.names[term.node.index()], term.weight.to_string());
        let who = [name.as_str(), &weight, stored];
        row("inverse bind · v", who, &term.offset.to_array());
        let rows = term.matrix.matrix3.transpose();
        for (axis, t) in [rows.x_axis, rows.y_axis, rows.z_axis].into_iter().zip(term.matrix.translation.to_array()) {
            row("row of M", who, &axis.extend(t).to_array());
        }
        row("M v", who, &term.alone.to_array());
        if let Ok(form) = term.quaternion {
            row("R of the joint as a quaternion", who, &form.rotation.to_array());
            row("S of the joint", who, &form.scale.to_array());
            row("b", who, &form.translation.to_array());
            row("R S v′", who, &form.turned.to_array());
        }
    }
    if let Readout::Motion { rotation, translation } = &e.readout {
        row("R v", [""; 3], &(*rotation * e.rest).to_array());
        row("R as a quaternion", [""; 3], &rotation.to_array());
        row("t", [""; 3], &translation.to_array());
    }
    let rows = e.map.matrix3.transpose();
    for (axis, t) in [rows.x_axis, rows.y_axis, rows.z_axis].into_iter().zip(e.map.translation.to_array()) {
        row("row of the blended matrix", [""; 3], &axis.extend(t).to_array());
    }
    row("p", [""; 3], &e.position.to_array());
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skinscope_inspect::VertexRef;
    use skinscope_model::InstanceId;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_session::{Document, PlaybackCommand, SelectionCommand, Session};

    use super::*;

    #[test]
    fn places_follow_the_size_of_the_model() {
        assert_eq!([1.8, 280.0, 0.02].map(decimals), [4, 2, 6]);
    }

    #[test]
    fn both_texts_say_the_sum() {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(Tube { joints: 3, ..Tube::default() })), Vec::new(), None));
        session.apply(PlaybackCommand::Seek(0.4));
        session.apply(SelectionCommand::Pin(Some(VertexRef { instance: InstanceId(0), primitive: 0, vertex: 70 })));
        session.update_pose();
        let (model, e) = (session.model().unwrap(), session.picking().explanation().unwrap());
        let stored = vec!["a\tb".to_owned(); e.terms.len()];
        let table = tsv(model, &e, &stored);
        assert!(table.lines().all(|line| (7..=8).contains(&line.split('\t').count())), "{table}");
        let cells = |start: &str| -> Vec<Vec<f64>> {
            let lines = table.lines().filter(|line| line.starts_with(start));
            lines.map(|line| line.split('\t').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()).collect()
        };
        // The sum of weight times b + R S v′ is p, with R as it is written, a quaternion.
        let [scales, turns, positions] = ["S of the joint\t", "R of the joint as a quaternion\t", "b\t"].map(&cells);
        let offsets = cells("inverse bind · v\t");
        let three = |row: &[f64]| DVec3::new(row[4], row[5], row[6]);
        let mut sum = DVec3::ZERO;
        for (i, turn) in turns.iter().enumerate() {
            let turn = glam::DQuat::from_xyzw(turn[4], turn[5], turn[6], turn[7]);
            sum += turns[i][2] * (three(&positions[i]) + turn * (three(&scales[i]) * three(&offsets[i])));
        }
        assert!(turns.len() == 2 && sum.distance(three(&cells("p\t")[0])) < 1e-6, "{sum}");
        // So is the sum of weight times M v, but for the last digit.
        let alone = cells("M v\t");
        let p = &cells("p\t")[0];
        assert_eq!(alone.len(), 2);
        for axis in 4..7 {
            let sum: f64 = alone.iter().map(|row| row[2] * row[axis]).sum();
            assert!((sum - p[axis]).abs() < 1e-12, "{sum} for {}", p[axis]);
        }
        let written = text(model, session.view().method, &e, &stored, 4);
        let end = format!(" = {}", triple(e.position, 4));
        assert_eq!(written.lines().filter(|line| line.starts_with("  = b + R v′, b = (")).count(), 2, "{written}");
        assert!(
            written.starts_with("Vertex 70 of primitive 0 of mesh tube\n") && written.trim_end().ends_with(&end),
            "{written}"
        );
    }
}
