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
use super::gates::Judged;
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
    /// What was found in each file in which something was found, by its path as it was given then.
    files: HashMap<String, Vec<Known>>,
}

/// A result of an earlier check: a finding, or that a file does not load or exceeds a limit of `--fail-over`.
struct Known {
    /// What it is known by.
    fingerprint: u64,
    severity: Severity,
    /// The rule of a finding; `None` where this version does not have it.
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
    gates: Option<Vec<Value>>,
    error: Option<IgnoredAny>,
}

/// A file in a report.
#[derive(Deserialize)]
#[serde(expecting = "a file with its path and findings")]
struct Item {
    path: String,
    findings: Vec<Value>,
    #[serde(default)]
    gates: Vec<Value>,
    error: Option<IgnoredAny>,
}

/// The member `files` of what is read.
enum Files {
    /// Those of a report. They are read one by one, since a report may be larger than the memory that its findings take here.
    Of(Vec<(String, Vec<Known>)>),
    /// How many files a part of a list has, in its last line.
    Count,
}

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
        Ok(Files::Count)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Files, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = items.next_element::<Item>()? {
            out.push(item.known());
        }
        Ok(Files::Of(out))
    }
}

impl Item {
    /// Returns its path and what was found in it.
    fn known(self) -> (String, Vec<Known>) {
        let Self { path, findings, gates, error } = self;
        let exceeded = gates.iter().filter_map(Known::exceeded).map(|rule| Known::of_file(&path, &rule));
        let unread = error.map(|_| Known::of_file(&path, sarif::UNREAD));
        let known = findings.iter().map(|finding| Known::of(&path, finding)).chain(exceeded).chain(unread).collect();
        (path, known)
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

    /// A result about a whole file, of a rule that SARIF alone has.
    fn of_file(path: &str, rule: &str) -> Self {
        Self { fingerprint: sarif::hash(rule, path), severity: Severity::Error, rule: None }
    }

    /// Returns the rule of a limit, of its JSON; `None` where it is not exceeded.
    fn exceeded(gate: &Value) -> Option<String> {
        Judged::of_json(gate).filter(|judged| !judged.passed()).map(|judged| judged.rule())
    }

    /// Takes what is the same, and was no better, from what is `left` of a baseline. Returns whether there was any.
    fn take_from(&self, left: &mut Vec<&Self>) -> bool {
        let place = left.iter().position(|k| k.fingerprint == self.fingerprint && k.severity >= self.severity);
        place.map(|place| left.remove(place)).is_some()
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
        let Written { schema, files, shard, file, findings, gates, error } = written;
        match (files, file) {
            (Some(_), _) if schema.is_some_and(|schema| schema != 1) => {
                return Err("a report of another schema than 1");
            }
            (Some(Files::Of(files)), _) if schema.is_some() => {
                files.into_iter().for_each(|(path, known)| self.insert(path, known));
            }
            (Some(Files::Count), _) if schema.is_some() => {
                return Err("a report whose `files` is a number and not a list of files");
            }
            (Some(Files::Count), _) if shard.is_some() => {}
            (None, Some(path)) if findings.is_some() || error.is_some() => {
                let (findings, gates) = (findings.unwrap_or_default(), gates.unwrap_or_default());
                let (path, known) = Item { path, findings, gates, error }.known();
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
    /// than before. The same is said of each limit that is exceeded, and of a file that does not load. Of other files it says how many
    /// findings are new and known, and how many of the baseline are gone, as far as their rules were run; `wanted`: the rules that were asked for.
    pub(super) fn mark(&self, item: &mut Value, wanted: Option<&[String]>) {
        let (path, ran) = (word(&item["path"]).to_owned(), report::ran(item, wanted));
        let mut left: Vec<&Known> = self.files.get(&path).into_iter().flatten().collect();
        if item.get("error").is_some() {
            item["known"] = Known::of_file(&path, sarif::UNREAD).take_from(&mut left).into();
            return;
        }
        for gate in item.get_mut("gates").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(rule) = Known::exceeded(gate) {
                gate["known"] = Known::of_file(&path, &rule).take_from(&mut left).into();
            }
        }
        let (mut new, mut known) = (0, 0);
        for finding in item["findings"].as_array_mut().into_iter().flatten() {
            let is_known = Known::of(&path, finding).take_from(&mut left);
            if let Some(fields) = finding.as_object_mut() {
                fields.insert("known".to_owned(), is_known.into());
            }
            if is_known {
                known += 1;
            } else {
                new += 1;
            }
        }
        let gone = left.iter().filter(|k| k.rule.is_some_and(|rule| ran.contains(&rule))).count();
        item["baseline"] = json!({ "new": new, "known": known, "gone": gone });
    }
}
