//! Runs a file through import and checker in this process, and returns the results in plain numbers.

use std::sync::atomic::AtomicBool;

use skinscope::import::{Options, Progress, import_bytes};
use skinscope::inspect::check::{CheckOptions, check};

/// A finding, with indices of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub rule: String,
    pub severity: String,
    /// Mesh and primitive.
    pub place: Option<(usize, usize)>,
    pub vertices: Vec<u32>,
    pub joints: Vec<usize>,
    pub message: String,
}

impl Found {
    pub fn is_info(&self) -> bool {
        self.severity == "info"
    }

    /// In a line, for whoever reads what went wrong.
    pub fn line(&self) -> String {
        let few = |list: Vec<String>| {
            let n = list.len();
            let more = if n > 12 { format!(" … {n}") } else { String::new() };
            format!("[{}{more}]", list.into_iter().take(12).collect::<Vec<_>>().join(" "))
        };
        format!(
            "{} {} {:?} v{} j{} {}",
            self.severity,
            self.rule,
            self.place,
            few(self.vertices.iter().map(u32::to_string).collect()),
            few(self.joints.iter().map(usize::to_string).collect()),
            self.message,
        )
    }
}

/// `Err`: the import's refusal.
pub fn findings(bytes: &[u8], name: &str) -> Result<Vec<Found>, String> {
    let import = import_bytes(bytes, name, &Options::default(), &Progress::silent()).map_err(|e| e.to_string())?;
    let model = &import.model;
    let report = check(model, &CheckOptions::default(), &AtomicBool::new(false)).unwrap();
    let found = |f: &skinscope::inspect::check::Finding| Found {
        rule: f.rule.into(),
        severity: f.severity.id().into(),
        place: f.mesh.map(|m| (m.index(), f.primitive.unwrap_or(usize::MAX))),
        vertices: f.vertices.clone(),
        joints: f.joints.iter().map(|j| model.skeleton.file_index[j.index()] as usize).collect(),
        message: f.message.clone(),
    };
    Ok(report.findings.iter().map(found).collect())
}
