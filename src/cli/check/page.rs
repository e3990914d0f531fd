//! `check --html`: the findings with their pictures as one page that needs no other file.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::super::markup::shown;
use super::gates::Judged;
use crate::inspect::check::{Finding, FindingPose, Report, Severity};
use crate::inspect::rule_words;
use crate::model::Model;

/// The most vertices that are listed with a finding.
const MOST_VERTICES: usize = 24;

/// The result that the page shows of one file.
#[derive(Debug)]
pub(super) enum Outcome<'a> {
    /// The reason why it did not load.
    Refused(&'a str),
    /// The findings, how the file stands to the limits of `--fail-over`, and a PNG for each finding that has a picture.
    Checked {
        model: &'a Model,
        report: &'a Report,
        gates: &'a [Judged],
        pictures: &'a [Option<Vec<u8>>],
        note: Option<&'a str>,
    },
}

/// Returns the section about the file at `path`.
pub(super) fn section(path: &str, outcome: &Outcome) -> String {
    let path = shown(path);
    match outcome {
        Outcome::Refused(error) => {
            let error = shown(error);
            format!(
                "<section>\n<h2>{path}</h2>\n<p class=\"counts\"><span class=\"error\">does not load</span></p>\n\
                <article class=\"error\"><div><h3>Does not load</h3><p>{error}</p></div></article>\n</section>\n"
            )
        }
        Outcome::Checked { model, report, gates, pictures, note } => {
            let mut out = format!("<section>\n<h2>{path}</h2>\n<p class=\"counts\">");
            for severity in [Severity::Error, Severity::Warning, Severity::Info] {
                let (n, id) = (report.count(severity), severity.id());
                let class = if n == 0 { "none" } else { id };
                let plural = if n == 1 || severity == Severity::Info { "" } else { "s" };
                _ = write!(out, "<span class=\"{class}\">{n} {id}{plural}</span>");
            }
            out += "</p>\n";
            for judged in *gates {
                let class = if judged.passed() { "none" } else { "error" };
                _ = writeln!(out, "<p class=\"counts\"><span class=\"{class}\">{}</span></p>", shown(&judged.text()));
            }
            if let Some(note) = note {
                _ = writeln!(out, "<p class=\"note\">{}</p>", shown(note));
            }
            if let Some(remark) = super::report::symmetry(report) {
                _ = writeln!(out, "<p class=\"note\">{}</p>", shown(&remark));
            }
            if report.findings.is_empty() {
                out += "<p>Nothing was found.</p>\n";
            }
            for (i, finding) in report.findings.iter().enumerate() {
                out += &article(model, finding, pictures.get(i).and_then(Option::as_deref));
            }
            out + "</section>\n"
        }
    }
}

fn article(model: &Model, finding: &Finding, picture: Option<&[u8]>) -> String {
    let label = rule_words(finding.rule).map_or(finding.rule, |(label, _)| label);
    let id = finding.severity.id();
    let mut out = format!(
        "<article class=\"{id}\"><div>\n<h3>{}</h3>\n<p class=\"rule\">{id} · <code>{}</code></p>\n<p>{}</p>\n<p class=\"fix\">{}</p>\n<dl>\n",
        shown(label),
        shown(finding.rule),
        shown(&finding.message),
        shown(&finding.fix),
    );
    for (name, value) in facts(model, finding) {
        _ = writeln!(out, "<dt>{name}</dt><dd>{}</dd>", shown(&value));
    }
    out += "</dl>\n</div>";
    if let Some(png) = picture {
        let alt = shown(&finding.message);
        _ = write!(out, "<img alt=\"{alt}\" src=\"data:image/png;base64,{}\">", STANDARD.encode(png));
    }
    out + "</article>\n"
}

/// Returns names and values of what is known about the location of a finding.
fn facts(model: &Model, finding: &Finding) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    let skeleton = &model.skeleton;
    let node =
        |n: &crate::model::NodeId| format!("{} (node {})", skeleton.names[n.index()], skeleton.file_index[n.index()]);
    if let (Some(mesh), Some(primitive)) = (finding.mesh, finding.primitive) {
        let name = model.meshes.get(mesh.index()).map_or("", |m| m.name.as_str());
        let separator = if name.is_empty() { "" } else { " " };
        out.push(("Mesh", format!("{}{separator}{name}, primitive {primitive}", model.file_mesh(mesh).0)));
    }
    if !finding.vertices.is_empty() {
        out.push(("Vertices", listed(finding.vertices.iter().map(ToString::to_string), finding.vertices.len())));
    }
    if !finding.joints.is_empty() {
        out.push(("Joints", listed(finding.joints.iter().map(node), finding.joints.len())));
    }
    if let Some(measure) = finding.measure {
        out.push(("Measured", format!("{}: {}", measure.what, measure.text())));
    }
    match finding.pose {
        FindingPose::Rest => {}
        FindingPose::Turned { joint, axis, angle } => {
            let [x, y, z] = axis.to_array();
            let degrees = angle.to_degrees();
            out.push(("Pose", format!("{} turned by {degrees:.0}° about ({x:.2}, {y:.2}, {z:.2})", node(&joint))));
        }
        FindingPose::Clip { clip, time_secs } => {
            let name = model.clips.get(clip.index()).map_or("", |c| c.name.as_str());
            out.push(("Pose", format!("clip {} {name} at {time_secs:.3} s", clip.0)));
        }
    }
    out
}

/// Writes the first items of a list, and how many more there are.
fn listed(items: impl Iterator<Item = String>, count: usize) -> String {
    let mut out = items.take(MOST_VERTICES).collect::<Vec<_>>().join(", ");
    if count > MOST_VERTICES {
        _ = write!(out, " and {} more", count - MOST_VERTICES);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::super::markup::{TAIL, head};
    use super::super::gates;
    use super::*;
    use crate::inspect::check::{Measure, Share};
    use crate::model::test_shapes::{Tube, tube};
    use crate::model::{MeshId, NodeId};

    fn finding() -> Finding {
        Finding {
            rule: "weights-zero",
            severity: Severity::Error,
            mesh: Some(MeshId(0)),
            primitive: Some(0),
            vertices: (0..30).collect(),
            joints: vec![NodeId(1)],
            message: "30 vertices <script>alert(1)</script> have no weight.".into(),
            fix: "Give them \"one\" & be done.".into(),
            measure: Some(Measure { what: "largest pull", value: 1.25, unit: "mm" }),
            pose: FindingPose::Rest,
        }
    }

    #[test]
    fn a_page_says_what_was_found_and_runs_nothing_that_a_file_says() {
        let model = tube(Tube::default());
        let shares = vec![Share { gate: "unweighted", percent: 2.5, vertices: 30 }];
        let report = Report { findings: vec![finding()], shares, ..Report::default() };
        let limits = ["unweighted=1%", "unweighted=3%"].map(|text| gates::limit(text).unwrap());
        let judged = gates::judged(&limits, &report);
        let pictures = [Some(vec![1, 2, 3])];
        let (model, report, pictures) = (&model, &report, &pictures[..]);
        let checked = Outcome::Checked { model, report, gates: &judged, pictures, note: None };
        let refused = section("bad.glb", &Outcome::Refused("node 3: no"));
        let text = [head("Skinscope check"), section("a<b>.glb", &checked), refused, TAIL.into()].concat();
        assert!(!text.contains("<script>") && text.contains("&lt;script&gt;alert(1)"), "{text}");
        assert!(text.contains("<h2>a&lt;b&gt;.glb</h2>") && text.contains("node 3: no"));
        assert!(
            text.contains("1 error<") && text.contains("0 warnings<") && text.contains("20, 21, 22, 23 and 6 more")
        );
        assert!(text.contains("data:image/png;base64,AQID") && text.contains("largest pull: 1.25 mm"));
        assert!(text.contains("&quot;one&quot; &amp; be done."));
        assert!(
            text.contains("<span class=\"error\">Unweighted surface: 2.5 % of the surface, over the limit of 1 %<")
        );
        assert!(
            text.contains("<span class=\"none\">Unweighted surface: 2.5 % of the surface, within the limit of 3 %<")
        );
        // There is one of each, opened and closed.
        for tag in ["main", "body", "html", "style"] {
            assert_eq!((text.matches(&format!("<{tag}")).count(), text.matches(&format!("</{tag}>")).count()), (1, 1));
        }
    }
}
