//! `check --html`: the findings with their pictures as one page that needs no other file.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use serde_json::Value;

use super::super::markup::shown;
use super::gates;
use super::report::{self, findings, word};
use crate::inspect::check::Severity;
use crate::inspect::rule_words;

/// The most vertices that are listed with a finding.
const MOST_VERTICES: usize = 24;

/// Returns the section about a file, of its JSON. `pictures`: a PNG for each finding that has one; `note`: what to say beside them.
pub(super) fn section(item: &Value, pictures: &[Option<Vec<u8>>], note: Option<&str>) -> String {
    let path = shown(word(&item["path"]));
    if let Some(error) = item["error"].as_str() {
        let error = shown(error);
        return format!(
            "<section>\n<h2>{path}</h2>\n<p class=\"counts\"><span class=\"error\">does not load</span></p>\n\
            <article class=\"error\"><div><h3>Does not load</h3><p>{error}</p></div></article>\n</section>\n"
        );
    }
    let mut out = format!("<section>\n<h2>{path}</h2>\n<p class=\"counts\">");
    for severity in [Severity::Error, Severity::Warning, Severity::Info] {
        let id = severity.id();
        let n = item["summary"][id].as_u64().unwrap_or(0);
        let class = if n == 0 { "none" } else { id };
        let plural = if n == 1 || severity == Severity::Info { "" } else { "s" };
        _ = write!(out, "<span class=\"{class}\">{n} {id}{plural}</span>");
    }
    out += "</p>\n";
    for judged in gates::of_item(item) {
        let class = if judged.passed() { "none" } else { "error" };
        _ = writeln!(out, "<p class=\"counts\"><span class=\"{class}\">{}</span></p>", shown(&judged.text()));
    }
    let figures = report::baseline(item).map(report::against_baseline);
    for remark in note.map(str::to_owned).into_iter().chain(figures).chain(report::symmetry(item)) {
        _ = writeln!(out, "<p class=\"note\">{}</p>", shown(&remark));
    }
    if findings(item).is_empty() {
        out += "<p>Nothing was found.</p>\n";
    }
    for (i, finding) in findings(item).iter().enumerate() {
        out += &article(finding, pictures.get(i).and_then(Option::as_deref));
    }
    out + "</section>\n"
}

fn article(finding: &Value, picture: Option<&[u8]>) -> String {
    let [rule, id, message, fix] = ["rule", "severity", "message", "fix"].map(|key| word(&finding[key]));
    let (label, id) = (rule_words(rule).map_or(rule, |(label, _)| label), shown(id));
    let (class, said) = if report::is_known(finding) { (" known", " · known") } else { ("", "") };
    let mut out = format!(
        "<article class=\"{id}{class}\"><div>\n<h3>{}</h3>\n<p class=\"rule\">{id}{said} · <code>{}</code></p>\n<p>{}</p>\n<p class=\"fix\">{}</p>\n<dl>\n",
        shown(label),
        shown(rule),
        shown(message),
        shown(fix),
    );
    for (name, value) in facts(finding) {
        _ = writeln!(out, "<dt>{name}</dt><dd>{}</dd>", shown(&value));
    }
    out += "</dl>\n</div>";
    if let Some(png) = picture {
        let alt = shown(message);
        _ = write!(out, "<img alt=\"{alt}\" src=\"data:image/png;base64,{}\">", STANDARD.encode(png));
    }
    out + "</article>\n"
}

/// Returns names and values of what is known about the location of a finding.
fn facts(finding: &Value) -> Vec<(&'static str, String)> {
    let (mut out, words) = (Vec::new(), &finding["words"]);
    if let (Some(mesh), Some(primitive)) = (finding["mesh"].as_u64(), finding["primitive"].as_u64()) {
        let name = word(&words["mesh"]);
        let separator = if name.is_empty() { "" } else { " " };
        out.push(("Mesh", format!("{mesh}{separator}{name}, primitive {primitive}")));
    }
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let vertices = list(&finding["vertices"]);
    if !vertices.is_empty() {
        let count = finding["vertex_count"].as_u64().map_or(vertices.len(), |count| count as usize);
        out.push(("Vertices", listed(vertices.iter().map(ToString::to_string), count)));
    }
    let joints = list(&finding["joints"]);
    if !joints.is_empty() {
        let named =
            joints.iter().zip(list(&words["joints"])).map(|(node, name)| format!("{} (node {node})", word(&name)));
        out.push(("Joints", listed(named, joints.len())));
    }
    if let Some(measure) = words["measure"].as_str() {
        out.push(("Measured", format!("{}: {measure}", word(&finding["measure"]["what"]))));
    }
    if let Some(pose) = words["pose"].as_str() {
        out.push(("Pose", pose.to_owned()));
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
    use super::*;
    use crate::import::ImportError;
    use crate::inspect::check::{Finding, FindingPose, Measure, Report, Share};
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
        let checked =
            report::Outcome::Checked { model: &model, report: &report, gates: &judged, rom: None, runtime: None };
        let page = section(&report::json("a<b>.glb", &checked), &[Some(vec![1, 2, 3])], Some("A < note."));
        let error = ImportError::Page { path: "p".into(), line: 1, column: 2, what: "node 3: no".into() };
        let refused = section(&report::json("bad.glb", &report::Outcome::Refused(&error)), &[], None);
        let text = [head("Skinscope check"), page, refused, TAIL.into()].concat();
        assert!(!text.contains("<script>") && text.contains("&lt;script&gt;alert(1)"), "{text}");
        assert!(text.contains("<h2>a&lt;b&gt;.glb</h2>") && text.contains("node 3: no"));
        assert!(
            text.contains("1 error<") && text.contains("0 warnings<") && text.contains("20, 21, 22, 23 and 6 more")
        );
        assert!(text.contains("data:image/png;base64,AQID") && text.contains("largest pull: 1.25 mm"));
        assert!(text.contains("&quot;one&quot; &amp; be done.") && text.contains("<p class=\"note\">A &lt; note.</p>"));
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
