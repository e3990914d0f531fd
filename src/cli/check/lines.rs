//! `check --json-lines`: a line of JSON for each file, which says all that reports are made of, and is read again by `report merge`.

use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::path::Path;

use serde_json::{Value, json};
use skinscope_base::encoding;

use super::gates;
use super::names::is_stdin;
use super::report::{findings, is_known, severity};
use super::shard::Shard;
use crate::inspect::check::Severity;

/// What a line says beside the result of its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting<'a> {
    /// The least severity that fails; `None`: none does.
    pub least: Option<Severity>,
    /// The rules that were asked for; `None`: all.
    pub rules: Option<&'a [String]>,
    /// The part of a list that the file is in.
    pub shard: Option<Shard>,
}

/// A line that was read.
pub(super) enum Line {
    File(FileLine),
    /// A part of a list is done; it had so many files.
    Closing {
        shard: Shard,
        files: u64,
    },
}

/// The line of a file.
pub(super) struct FileLine {
    /// The result of the file as `check --json` has it.
    pub item: Value,
    pub least: Option<Severity>,
    pub rules: Option<Vec<String>>,
    pub shard: Option<Shard>,
}

/// What lines are read from, more than once.
pub(super) trait Input: Read + Seek {}

impl<T: Read + Seek> Input for T {}

/// Opens lines. What cannot be read twice, such as a pipe, is read into memory, and so is a file with a byte order mark, as shells of Windows
/// write one.
pub(super) fn open(path: &Path) -> std::io::Result<Box<dyn Input>> {
    let mut bytes = Vec::new();
    if is_stdin(path) {
        std::io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        let mut file = File::open(path)?;
        if file.metadata()?.is_file() {
            file.by_ref().take(3).read_to_end(&mut bytes)?;
            file.rewind()?;
            if !encoding::is_utf_16(&bytes) && !bytes.starts_with(encoding::MARK) {
                return Ok(Box::new(file));
            }
            bytes.clear();
        }
        file.read_to_end(&mut bytes)?;
    }
    Ok(Box::new(Cursor::new(encoding::utf8(&bytes).into_owned())))
}

/// Returns how many findings of a file have a severity that fails, without those that a baseline knows.
pub(super) fn failing(item: &Value, least: Option<Severity>) -> usize {
    let is_bad = |f: &Value| least.is_some_and(|least| severity(f).is_some_and(|severity| severity >= least));
    let fails = |f: &&Value| is_bad(f) && !is_known(f);
    findings(item).iter().filter(fails).count()
}

/// Returns how many limits of `--fail-over` a file exceeds.
pub(super) fn exceeded(item: &Value) -> usize {
    gates::of_item(item).iter().filter(|judged| !judged.passed()).count()
}

/// Returns the word for how a check of this file alone would end.
fn exit(item: &Value, least: Option<Severity>) -> &'static str {
    match item.get("error") {
        Some(_) => "error",
        None if failing(item, least) + exceeded(item) > 0 => "findings",
        None => "ok",
    }
}

/// Returns the result of a file as a line of its own, with a line break: an object with the member `file` instead of `path`, and `exit`.
/// Where the file does not load, it has little more than these and `error`.
pub(super) fn line(item: &Value, setting: &Setting) -> String {
    let mut fields = item.clone();
    if let Some(fields) = fields.as_object_mut() {
        if item.get("error").is_some() {
            fields.retain(|name, _| ["error", "known"].contains(&name.as_str()));
        }
        fields.remove("path");
    }
    fields["file"] = item["path"].clone();
    fields["exit"] = exit(item, setting.least).into();
    fields["fail_on"] = setting.least.map_or("never", Severity::id).into();
    if let Some(rules) = setting.rules {
        fields["rules"] = json!(rules);
    }
    if let Some(shard) = setting.shard {
        fields["shard"] = shard.to_string().into();
    }
    format!("{fields}\n")
}

/// Returns the last line of a part of a list, without which it was not checked to its end.
pub(super) fn closing(shard: Shard, files: usize) -> String {
    format!("{}\n", json!({ "shard": shard.to_string(), "files": files }))
}

/// Reads a line; `None` where it is none that `check --json-lines` writes, or not all of one.
pub(super) fn parse(text: &[u8]) -> Option<Line> {
    let mut value: Value = serde_json::from_slice(text).ok()?;
    let fields = value.as_object_mut()?;
    let shard = match fields.remove("shard") {
        None => None,
        Some(shard) => Some(Shard::parse(shard.as_str()?).ok()?),
    };
    let Some(path) = fields.remove("file") else {
        return Some(Line::Closing { shard: shard?, files: fields.get("files")?.as_u64()? });
    };
    path.as_str()?;
    let least = match fields.remove("fail_on").as_ref().and_then(Value::as_str) {
        Some("never") => None,
        said => Severity::ALL.into_iter().find(|severity| said == Some(severity.id())).or(Some(Severity::Error)),
    };
    let rules = fields.remove("rules").and_then(|rules| serde_json::from_value(rules).ok());
    fields.remove("exit");
    fields.insert("path".to_owned(), path);
    if fields.get("error").is_some_and(Value::is_string) {
        fields.insert("findings".to_owned(), json!([]));
        fields.insert("summary".to_owned(), json!({ "error": 0, "warning": 0, "info": 0 }));
    } else if !fields.get("findings").is_some_and(Value::is_array) {
        return None;
    }
    Some(Line::File(FileLine { item: value, least, rules, shard }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written_and_says_how_its_file_ends() {
        let finding =
            |severity: &str| json!({ "rule": "weights-sum", "severity": severity, "message": "m", "fix": "f" });
        let item = |findings: Value| json!({ "path": "a.glb", "findings": findings, "summary": {} });
        let refused = json!({ "path": "a.glb", "findings": [], "summary": { "error": 0, "warning": 0, "info": 0 }, "error": "why" });
        let over = json!({ "path": "a.glb", "findings": [], "summary": {},
            "gates": [{ "gate": "seams", "percent": 2.0, "limit": 1.0, "passed": false, "vertices": 3 }] });
        let rules = ["weights-sum".to_owned()];
        let (error, warning) = (Some(Severity::Error), Some(Severity::Warning));
        for (item, least, exit) in [
            (item(json!([])), error, "ok"),
            (item(json!([finding("warning")])), error, "ok"),
            (item(json!([finding("warning")])), warning, "findings"),
            (item(json!([finding("error")])), None, "ok"),
            (over, None, "findings"),
            (refused, error, "error"),
        ] {
            let shard = Some(Shard { count: 4, index: 2 });
            let text = line(&item, &Setting { least, rules: Some(&rules), shard });
            let fields: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(
                (&fields["exit"], &fields["shard"], &fields["file"]),
                (&json!(exit), &json!("2/4"), &json!("a.glb"))
            );
            let Some(Line::File(read)) = parse(text.trim_end().as_bytes()) else { panic!("{text}") };
            assert_eq!((read.item, read.least, read.shard), (item, least, shard), "{text}");
            assert_eq!(read.rules.as_deref(), Some(&rules[..]));
            assert!(parse(&text.as_bytes()[..text.len() - 3]).is_none(), "a line that is cut off is none");
        }
        let closing = closing(Shard { count: 4, index: 2 }, 7);
        assert!(matches!(
            parse(closing.as_bytes()),
            Some(Line::Closing { shard: Shard { count: 4, index: 2 }, files: 7 })
        ));
        for none in ["", "{}", "[1]", "7", "{\"file\":1}", "{\"file\":\"a\"}", "{\"shard\":\"9/4\",\"files\":1}"] {
            assert!(parse(none.as_bytes()).is_none(), "{none}");
        }
    }
}
