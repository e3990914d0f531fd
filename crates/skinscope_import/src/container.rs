//! Splits a file into JSON text and binary chunk (the GLB container), and checks the text before it is parsed.

use std::borrow::Cow;
use std::ops::Range;

use gltf::json;
use skinscope_base::json as text_of;
use skinscope_base::words::counted;

use super::bytes::Bytes;
use super::error::{Warnings, quoted};
use super::pointers::is_pointer;
use super::{ImportError, Limits, foreign};

/// Chunk types (glTF 2.0, 4.4.3).
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BIN_CHUNK: u32 = 0x004E_4942;

/// The most chunks of a GLB that are read: two have a meaning, and a few more are allowed.
const MOST_CHUNKS: usize = 1000;

/// A file, taken apart into JSON text and binary data.
#[derive(Debug)]
pub(super) struct Container<'a> {
    pub json: Cow<'a, [u8]>,
    /// The range of the JSON text in the file, bytes.
    pub json_range: Range<u64>,
    pub bin: Option<Bytes<'a>>,
    /// The range of the binary chunk in the file, bytes; empty where there is none.
    pub bin_range: Range<u64>,
}

/// A parsed document, and what is needed to find its parts in the text again.
#[derive(Debug)]
pub(super) struct Parsed {
    pub root: json::Root,
    /// For each animation: the index in the file of each channel of `root`; empty where no channel was left out.
    pub channels: Vec<Vec<usize>>,
    /// The text that was parsed, where that of the file was rewritten first so that the parser accepts it.
    pub plain: Option<String>,
}

/// Splits a GLB, or takes `bytes` for the JSON of a `.gltf`.
pub(super) fn split<'a>(bytes: Bytes<'a>, limits: &Limits, warnings: &Warnings) -> Result<Container<'a>, ImportError> {
    let is_glb = match bytes.part(0, 4) {
        Some(magic) => magic.read()?[..] == *b"glTF",
        None => false,
    };
    if !is_glb && let Some(error) = foreign::as_model(bytes)? {
        return Err(error);
    }
    let (json_range, bin_range) = if is_glb { split_glb(bytes, warnings)? } else { (0..bytes.len(), None) };
    Limits::check("JSON", "its length in bytes", json_range.end - json_range.start, limits.json_bytes)?;
    let chunk = |range: &Range<u64>| bytes.part(range.start, range.end - range.start);
    let text = chunk(&json_range).unwrap_or(bytes);
    let bin = bin_range.as_ref().and_then(chunk);
    Ok(Container { json: text.read()?, json_range, bin, bin_range: bin_range.unwrap_or_default() })
}

/// Returns the document's text without a byte order mark or padding around it.
pub(super) fn text<'t>(bytes: &'t [u8], warnings: &Warnings) -> Result<&'t str, ImportError> {
    let text = match bytes.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) => {
            warnings.add("JSON", "starts with a byte order mark, which was skipped");
            rest
        }
        None => bytes,
    };
    let padding = text.iter().rev().take_while(|b| **b == 0).count();
    if padding > 0 {
        warnings.add("JSON", "is padded with zeros instead of spaces, which were skipped");
    }
    let text = &text[..text.len() - padding];
    let first = text.iter().find(|b| !b.is_ascii_whitespace());
    if first != Some(&b'{') {
        let found = match first {
            None => "an empty file".to_owned(),
            Some(b'[') => "a JSON array".to_owned(),
            Some(_) => "something else".to_owned(),
        };
        return Err(ImportError::invalid("file", "a glTF file (a JSON object, or a GLB container)", found)
            .advise("choose a .gltf or .glb file"));
    }
    std::str::from_utf8(text)
        .map_err(|e| ImportError::invalid("JSON", "UTF-8 text", format!("other bytes at offset {}", e.valid_up_to())))
}

/// Reads two words of the container, if they are there.
fn words(bytes: Bytes, at: u64) -> Result<Option<[u32; 2]>, ImportError> {
    let Some(part) = bytes.part(at, 8) else { return Ok(None) };
    Ok(part.read()?.as_chunks().0.first_chunk().map(|words| words.map(u32::from_le_bytes)))
}

/// Finds the JSON chunk and the binary chunk of a GLB; both ranges are known to be inside of it.
fn split_glb(bytes: Bytes, warnings: &Warnings) -> Result<(Range<u64>, Option<Range<u64>>), ImportError> {
    let cut = |what: &str| {
        let all = counted(bytes.len(), "byte", "bytes");
        ImportError::invalid("GLB container", what, format!("the end of the file after {all}"))
            .advise("the file is cut off; copy or download it again")
    };
    let Some([version, length]) = words(bytes, 4)? else { return Err(cut("a header of 12 bytes")) };
    if version == 1 {
        return Err(foreign::old("1.0"));
    }
    if version != 2 {
        return Err(ImportError::invalid("GLB container", "version 2", format!("version {version}")));
    }
    let length = u64::from(length);
    let Some(container) = bytes.part(0, length) else {
        return Err(cut(&format!("the {} that its header states", counted(length, "byte", "bytes"))));
    };
    if length < bytes.len() {
        let ignored = counted(bytes.len() - length, "byte after its end was", "bytes after its end were");
        warnings.add("GLB container", format!("{ignored} ignored"));
    }
    let mut at = 12;
    let mut chunks: [Option<Range<u64>>; 2] = [None, None];
    for turn in 0.. {
        if at >= length {
            break;
        }
        if turn == MOST_CHUNKS {
            warnings.add("GLB container", format!("what follows its first {MOST_CHUNKS} chunks was ignored"));
            break;
        }
        let Some([size, kind]) = words(container, at)? else {
            return Err(cut(&format!("a chunk header at byte {at}")));
        };
        let data = at + 8..at + 8 + u64::from(size);
        if container.part(data.start, u64::from(size)).is_none() {
            return Err(ImportError::invalid(
                format!("GLB chunk at byte {at}"),
                format!("at most the {} left in the container", counted(length - at - 8, "byte", "bytes")),
                format!("a length of {size}"),
            )
            .advise("the file is cut off or broken; copy or download it again"));
        }
        match kind {
            JSON_CHUNK if at == 12 => chunks[0] = Some(data),
            BIN_CHUNK if chunks[1].is_none() && chunks[0].is_some() => chunks[1] = Some(data),
            _ => warnings.add("GLB container", format!("a chunk of unknown type {kind:#010x} was ignored")),
        }
        at += 8 + u64::from(size);
    }
    match chunks {
        [Some(json), bin] => Ok((json, bin)),
        [None, _] => Err(ImportError::invalid("GLB container", "a JSON chunk first", "none")),
    }
}

/// Parses the document, after its size and depth were checked.
pub(super) fn parse(text: &str, limits: &Limits, warnings: &Warnings) -> Result<Parsed, ImportError> {
    // What glTF 1.0 has breaks so many rules that the first of them says nothing.
    parse_new(text, limits, warnings).map_err(|error| match error {
        ImportError::Invalid { .. } => foreign::old_version(text).unwrap_or(error),
        other => other,
    })
}

fn parse_new(text: &str, limits: &Limits, warnings: &Warnings) -> Result<Parsed, ImportError> {
    let may_repeat_keys = measure(text, limits)?;
    // The parser refuses spellings of JSON that glTF allows, and says nothing of keys that a list of its own has twice. Both are rare, so
    // that only such texts are written anew.
    let plain = match json::Root::from_str(text) {
        Ok(root) => {
            let plain = if may_repeat_keys { text_of::plain(text) } else { None };
            match plain.filter(|plain| !plain.repeated.is_empty()) {
                Some(plain) => plain,
                None => return Ok(Parsed { root, channels: Vec::new(), plain: None }),
            }
        }
        // The parser takes half of a surrogate pair for a fault of syntax.
        Err(first) if !first.is_data() => match text_of::plain(text).filter(|plain| !plain.halves.is_empty()) {
            Some(plain) => plain,
            None => return Err(syntax(&first, text)),
        },
        Err(first) => match text_of::plain(text) {
            Some(plain) => plain,
            None => return parse_repaired(text, &first, warnings),
        },
    };
    for repeated in &plain.repeated {
        let location = if repeated.object.is_empty() { "JSON" } else { repeated.object.as_str() };
        warnings.add(location, format!("has the key {} more than once; the last counts", quoted(&repeated.key)));
    }
    for location in &plain.halves {
        let location = if location.is_empty() { "JSON" } else { location.as_str() };
        warnings.add(location, "has half of a surrogate pair, which is no character; read as U+FFFD");
    }
    let parsed = match json::Root::from_str(&plain.text) {
        Ok(root) => Ok(Parsed { root, channels: Vec::new(), plain: None }),
        Err(error) => parse_repaired(&plain.text, &error, warnings),
    };
    parsed.map(|parsed| Parsed { plain: Some(plain.text), ..parsed })
}

/// Parses a document that the parser refused with `first`, after what it demands beyond glTF was filled in.
fn parse_repaired(text: &str, first: &json::Error, warnings: &Warnings) -> Result<Parsed, ImportError> {
    // The parser demands fields that glTF does not; those are filled in and the text is parsed once more, else the
    // parser's message is shown.
    let Ok(mut value) = text.parse::<json::Value>() else { return Err(syntax(first, text)) };
    let mut channels = Vec::new();
    if repair(&mut value, &mut channels, warnings) {
        let root = json::deserialize::from_value(value).map_err(|e| syntax(&e, text))?;
        Ok(Parsed { root, channels, plain: None })
    } else {
        Err(syntax(first, text))
    }
}

fn syntax(error: &json::Error, text: &str) -> ImportError {
    let location = match (error.line(), error.column()) {
        (0, _) => "JSON".to_owned(),
        // Lines and columns may be those of another text here, and a name says more than a number of bytes.
        (line, column) if error.is_data() => match text_of::path_at(text, line, column) {
            location if location.is_empty() => "JSON".to_owned(),
            location => format!("JSON, {location}"),
        },
        (line, column) => format!("JSON, line {line}, column {column}"),
    };
    // The parser quotes the file, whatever its length.
    let mut found = error.to_string();
    if let Some(at) = found.rfind(" at line ") {
        found.truncate(at);
    }
    // Of a number it quotes what floats hold of it, which may look as if it were right.
    let number =
        Some(error).filter(|error| error.is_data()).and_then(|e| text_of::number_at(text, e.line(), e.column()));
    if let (Some(number), Some((before, rest))) = (number, found.split_once("floating point `"))
        && let Some((_, after)) = rest.split_once('`')
    {
        found = format!("{before}the number `{number}`{after}");
    }
    let found: String = found.chars().take(200).collect();
    ImportError::invalid(location, "a glTF 2.0 document", found)
}

/// Counts the objects, values and depth of the text in one loop without recursion, so that no text can exhaust the
/// parser. Returns whether an object may have a key twice.
fn measure(text: &str, limits: &Limits) -> Result<bool, ImportError> {
    let (mut depth, mut deepest, mut objects, mut values) = (0_usize, 0_usize, 0_usize, 0_usize);
    let mut keys = Keys::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => {
                let start = at;
                while let Some(byte) = bytes.get(at) {
                    at += 1;
                    match byte {
                        b'\\' => at += 1,
                        b'"' => break,
                        _ => {}
                    }
                }
                keys.string(bytes.get(start..at).unwrap_or_default());
            }
            b'{' | b'[' => {
                objects += usize::from(*byte == b'{');
                values += 1;
                depth += 1;
                deepest = deepest.max(depth);
                if deepest <= limits.json_depth {
                    keys.begin(*byte == b'{');
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                keys.end();
            }
            b',' => {
                values += 1;
                keys.comma();
            }
            _ => {}
        }
    }
    if deepest > limits.json_depth {
        let expected = format!("at most {} levels of nesting", limits.json_depth);
        return Err(ImportError::invalid("JSON", expected, deepest.to_string()));
    }
    Limits::check("JSON", "the number of objects", objects as u64, limits.json_objects as u64)?;
    Limits::check("JSON", "the number of values", values as u64, limits.json_values as u64)?;
    Ok(keys.may_repeat)
}

/// The keys of the objects that have begun and not ended, as they are spelt.
#[derive(Default)]
struct Keys<'t> {
    all: Vec<&'t [u8]>,
    /// For each object or array that has begun: whether it is an object, and how many keys there were before it.
    begun: Vec<(bool, usize)>,
    /// Whether the next string is a key.
    is_next: bool,
    /// Whether an object has a key twice, or one with an escape, which may be another way to spell one.
    may_repeat: bool,
}

impl<'t> Keys<'t> {
    fn begin(&mut self, is_object: bool) {
        self.begun.push((is_object, self.all.len()));
        self.is_next = is_object;
    }

    fn comma(&mut self) {
        self.is_next = self.begun.last().is_some_and(|(is_object, _)| *is_object);
    }

    fn string(&mut self, raw: &'t [u8]) {
        if std::mem::take(&mut self.is_next) {
            self.may_repeat |= raw.contains(&b'\\');
            self.all.push(raw);
        }
    }

    fn end(&mut self) {
        let Some((_, before)) = self.begun.pop() else { return };
        self.is_next = false;
        let own = self.all.get_mut(before..).unwrap_or_default();
        self.may_repeat |= if own.len() <= Self::FEW {
            own.iter().enumerate().any(|(i, key)| own[..i].contains(key))
        } else {
            own.sort_unstable();
            own.windows(2).any(|two| two[0] == two[1])
        };
        self.all.truncate(before);
    }

    /// As many keys are compared each with each.
    const FEW: usize = 8;
}

/// Fills in what the parser demands: channels may lack a target node (they are to be ignored), scenes may lack nodes, and animations that
/// lack a list are clips that move nothing.
/// Returns whether something changed; `kept` then says which channels each animation still has.
fn repair(value: &mut json::Value, kept: &mut Vec<Vec<usize>>, warnings: &Warnings) -> bool {
    let mut changed = false;
    let list = |v: &json::Value, key: &str| v.get(key).and_then(json::Value::as_array).map_or(0, Vec::len);
    for i in 0..list(value, "scenes") {
        if let Some(scene) = value["scenes"][i].as_object_mut().filter(|s| !s.contains_key("nodes")) {
            scene.insert("nodes".into(), json::Value::Array(Vec::new()));
            changed = true;
        }
    }
    for i in 0..list(value, "animations") {
        kept.push(Vec::new());
        if let Some(animation) = value["animations"][i].as_object_mut() {
            for list in
                ["channels", "samplers"].into_iter().filter(|list| !animation.contains_key(*list)).collect::<Vec<_>>()
            {
                animation.insert(list.into(), json::Value::Array(Vec::new()));
                changed = true;
            }
        }
        let Some(channels) = value["animations"][i].get_mut("channels").and_then(json::Value::as_array_mut) else {
            continue;
        };
        let (mut stays, mut left_out) = (Vec::with_capacity(channels.len()), 0);
        for target in channels.iter().map(|c| c.get("target")) {
            // Channels whose target is a pointer are read elsewhere.
            let is_pointer = target.is_some_and(is_pointer);
            let has_node = target.is_none_or(|t| !t.is_object() || t.get("node").is_some());
            left_out += usize::from(!is_pointer && !has_node);
            stays.push(!is_pointer && has_node);
        }
        let indices: Vec<usize> = (0..channels.len()).filter(|c| stays[*c]).collect();
        if indices.len() < channels.len() {
            changed = true;
            let mut at = stays.into_iter();
            channels.retain(|_| at.next().unwrap_or_default());
            kept[i] = indices;
        }
        if left_out > 0 {
            let ignored = counted(left_out, "channel without a target node was", "channels without a target node were");
            warnings.add(format!("animation {i}"), format!("{ignored} ignored"));
        }
    }
    changed
}
