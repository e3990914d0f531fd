//! `check --baseline`: what an earlier check has found is known, so that a pipeline fails for what is new alone.

use std::collections::HashMap;
use std::fmt::{self, Display};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::super::CliError;
use super::names::is_stdin;
use super::report::{self, word};
use super::{lines, sarif};
use crate::inspect::check::{RULES, Severity};
use crate::inspect::rom::ROM_RULES;

/// The argument that names a baseline.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct BaselineArgs {
    /// Take the findings in this report of an earlier check (JSON, or lines of JSON) as known: they are told, and do not count for
    /// --fail-on
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
}

impl BaselineArgs {
    /// Returns the file, which no output may replace.
    pub(super) fn file(&self) -> Option<&Path> {
        self.baseline.as_deref()
    }

    /// Reads the baseline, if one is named.
    pub(super) fn read(&self) -> Result<Option<Baseline>, CliError> {
        self.file().map(Baseline::read).transpose()
    }
}

/// What an earlier check has found.
pub(super) struct Baseline {
    /// What was found in each file that had findings, by its path as it was given then.
    files: HashMap<String, Vec<Known>>,
}

/// A finding of an earlier check.
struct Known {
    /// What it is known by.
    fingerprint: u64,
    severity: Severity,
    /// Its rule; `None` where this version does not have it.
    rule: Option<&'static str>,
}

/// What a baseline is made of: a report of `check --json`, or a line of `check --json-lines`, of which the last may say that a part of a list
/// is done.
#[derive(Deserialize)]
#[serde(expecting = "a report of `check --json` or a line of `check --json-lines`")]
struct Written {
    schema: Option<u64>,
    files: Option<Files>,
    shard: Option<IgnoredAny>,
    file: Option<String>,
    findings: Option<Vec<Value>>,
    error: Option<IgnoredAny>,
}

/// A file in a report.
#[derive(Deserialize)]
#[serde(expecting = "a file with its path and findings")]
struct Item {
    path: String,
    findings: Vec<Value>,
}

/// The files of a report. They are read one by one, since a report may be larger than the memory that its findings take here. The last
/// line of a part of a list has a number in their place.
struct Files(Vec<(String, Vec<Known>)>);

impl<'de> Deserialize<'de> for Files {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FilesVisitor)
    }
}

struct FilesVisitor;

impl<'de> Visitor<'de> for FilesVisitor {
    type Value = Files;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of files")
    }

    fn visit_u64<E>(self, _count: u64) -> Result<Files, E> {
        Ok(Files(Vec::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Files, A::Error> {
        let mut out = Vec::new();
        while let Some(Item { path, findings }) = items.next_element()? {
            let known = Known::all(&path, &findings);
            out.push((path, known));
        }
        Ok(Files(out))
    }
}

impl Known {
    fn of(path: &str, finding: &Value) -> Self {
        let rule = word(&finding["rule"]);
        let mut ids = RULES.iter().map(|rule| rule.id).chain(ROM_RULES.iter().map(|rule| rule.id));
        Self {
            fingerprint: sarif::fingerprint(path, finding),
            severity: report::severity(finding).unwrap_or(Severity::Error),
            rule: ids.find(|id| *id == rule),
        }
    }

    fn all(path: &str, findings: &[Value]) -> Vec<Self> {
        findings.iter().map(|finding| Self::of(path, finding)).collect()
    }
}

impl Baseline {
    fn read(path: &Path) -> Result<Self, CliError> {
        let wrong =
            |why: &dyn Display| CliError::Usage(format!("{}: cannot be read as a baseline: {why}", path.display()));
        if is_stdin(path) {
            return Err(wrong(&"it is standard input, and not a file"));
        }
        let input = lines::open(path).map_err(|error| wrong(&error))?;
        let (mut out, mut is_empty) = (Self { files: HashMap::new() }, true);
        for written in serde_json::Deserializer::from_reader(BufReader::new(input)).into_iter::<Written>() {
            out.add(written.map_err(|error| wrong(&error))?).map_err(|why| wrong(&why))?;
            is_empty = false;
        }
        if is_empty { Err(wrong(&"there is nothing in it")) } else { Ok(out) }
    }

    fn add(&mut self, written: Written) -> Result<(), &'static str> {
        let Written { schema, files, shard, file, findings, error } = written;
        match (files, file) {
            (Some(_), _) if schema.is_some_and(|schema| schema != 1) => {
                return Err("a report of another schema than 1");
            }
            (Some(Files(files)), _) if schema.is_some() || shard.is_some() => {
                files.into_iter().for_each(|(path, known)| self.insert(path, known));
            }
            (None, Some(path)) if findings.is_some() || error.is_some() => {
                let known = Known::all(&path, &findings.unwrap_or_default());
                self.insert(path, known);
            }
            _ => return Err("neither a report of `check --json` nor lines of `check --json-lines`"),
        }
        Ok(())
    }

    /// Takes what was found in a file. Of two lines about one file the later one counts.
    fn insert(&mut self, path: String, known: Vec<Known>) {
        if known.is_empty() {
            self.files.remove(&path);
        } else {
            self.files.insert(path, known);
        }
    }

    /// Says of each finding in the JSON of a file whether it is `known`: as many of one fingerprint as there were before, if they are no worse
    /// than before. Of the file it says how many are new and known, and how many of the baseline are gone, as far as their rules were run;
    /// `wanted`: the rules that were asked for.
    pub(super) fn mark(&self, item: &mut Value, wanted: Option<&[String]>) {
        if item.get("error").is_some() {
            return;
        }
        let (path, ran) = (word(&item["path"]).to_owned(), report::ran(item, wanted));
        let mut left: Vec<&Known> = self.files.get(&path).into_iter().flatten().collect();
        let (mut new, mut known) = (0, 0);
        for finding in item["findings"].as_array_mut().into_iter().flatten() {
            let Known { fingerprint, severity, .. } = Known::of(&path, finding);
            let place = left.iter().position(|k| k.fingerprint == fingerprint && k.severity >= severity);
            if let Some(fields) = finding.as_object_mut() {
                fields.insert("known".to_owned(), place.is_some().into());
            }
            match place {
                Some(place) => {
                    left.remove(place);
                    known += 1;
                }
                None => new += 1,
            }
        }
        let gone = left.iter().filter(|k| k.rule.is_some_and(|rule| ran.contains(&rule))).count();
        item["baseline"] = json!({ "new": new, "known": known, "gone": gone });
    }
}
