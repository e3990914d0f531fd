//! Edits JSON text in place: text that is not changed is written again to the byte.
//!
//! A value is kept as the text that it was read from until something below it is asked for; then it is opened, one
//! level deep, with its white space. Key order, duplicate keys, escapes and the way numbers are written stay. Nothing
//! here recurses: a value's end is found by counting brackets.

use std::borrow::Cow;

use super::WriteError;

/// A value in a JSON text.
#[derive(Clone, Debug)]
pub enum Node<'t> {
    /// A text that has not been opened, or that was set here.
    Text(Cow<'t, str>),
    /// An object that was opened.
    Object(List<'t>),
    /// An array that was opened.
    Array(List<'t>),
}

/// The items of an object or an array.
#[derive(Clone, Debug, Default)]
pub struct List<'t> {
    items: Vec<Item<'t>>,
    /// White space between the brackets where there is no item.
    empty: Cow<'t, str>,
}

/// An item with the white space around it.
#[derive(Clone, Debug)]
struct Item<'t> {
    before: Cow<'t, str>,
    /// The key as written, with its quotes, and the text from there to the value; both empty in an array.
    key: Cow<'t, str>,
    colon: Cow<'t, str>,
    value: Node<'t>,
    after: Cow<'t, str>,
}

/// A step from a value to one below it.
#[derive(Clone, Copy, Debug)]
pub enum PathStep<'k> {
    /// The member of an object; of several with one key the last, as parsers do.
    Key(&'k str),
    /// The item of an array.
    At(usize),
}

impl<'t> Node<'t> {
    /// Makes a value from its text, without the white space around it.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    /// Returns the value at a path, which is opened on the way; `None` where there is none.
    ///
    /// # Errors
    /// The text is no JSON there.
    pub fn find(&mut self, path: &[PathStep]) -> Result<Option<&mut Node<'t>>, WriteError> {
        let mut at = self;
        for step in path {
            at.open()?;
            let item = match (at, step) {
                (Node::Object(list), PathStep::Key(key)) => list.items.iter_mut().rev().find(|item| item.is_named(key)),
                (Node::Array(list), PathStep::At(index)) => list.items.get_mut(*index),
                _ => None,
            };
            match item {
                Some(item) => at = &mut item.value,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// Returns how many items an array or members an object has; 0 for another value.
    ///
    /// # Errors
    /// The text is no JSON there.
    pub fn count(&mut self) -> Result<usize, WriteError> {
        self.open()?;
        Ok(match self {
            Self::Object(list) | Self::Array(list) => list.items.len(),
            Self::Text(_) => 0,
        })
    }

    /// Replaces this value.
    pub fn set(&mut self, text: String) {
        *self = Self::Text(Cow::Owned(text));
    }

    /// Sets a member of an object: replaces the value of that name, or adds a member after the others.
    ///
    /// # Errors
    /// The text is no JSON there, or no object.
    pub(crate) fn set_member(&mut self, key: &str, text: String) -> Result<(), WriteError> {
        if let Some(found) = self.find(&[PathStep::Key(key)])? {
            found.set(text);
            return Ok(());
        }
        let Self::Object(list) = self else { return Err(WriteError::Json("an object".to_owned())) };
        list.push(serde_json::Value::from(key).to_string(), text);
        Ok(())
    }

    /// Adds an item to an array.
    ///
    /// # Errors
    /// The text is no JSON there, or no array.
    pub fn push(&mut self, text: String) -> Result<(), WriteError> {
        self.open()?;
        let Self::Array(list) = self else { return Err(WriteError::Json("an array".to_owned())) };
        list.push(String::new(), text);
        Ok(())
    }

    /// Removes all members of that name from an object; returns whether there was one.
    ///
    /// # Errors
    /// The text is no JSON there.
    pub(crate) fn remove_member(&mut self, key: &str) -> Result<bool, WriteError> {
        self.open()?;
        let Self::Object(list) = self else { return Ok(false) };
        Ok(list.remove(|item| item.is_named(key)))
    }

    /// Removes an item of an array; returns whether it was there.
    ///
    /// # Errors
    /// The text is no JSON there.
    pub(crate) fn remove_item(&mut self, index: usize) -> Result<bool, WriteError> {
        self.open()?;
        let Self::Array(list) = self else { return Ok(false) };
        let mut at = 0..;
        Ok(list.remove(|_| at.next() == Some(index)))
    }

    /// Removes the items of an array that are the string `text`; returns whether there was one.
    ///
    /// # Errors
    /// The text is no JSON there.
    pub(crate) fn remove_string(&mut self, text: &str) -> Result<bool, WriteError> {
        self.open()?;
        let Self::Array(list) = self else { return Ok(false) };
        Ok(list.remove(|item| matches!(&item.value, Node::Text(raw) if means(raw, text))))
    }

    /// Returns the value's text.
    #[must_use]
    pub(crate) fn to_text(&self) -> String {
        let mut out = String::new();
        // The parts that are still to be written, last first.
        let mut open: Vec<Part> = vec![Part::Node(self)];
        while let Some(part) = open.pop() {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Node(Node::Text(text)) => out.push_str(text),
                Part::Node(Node::Object(list)) => list.write(["{", "}"], &mut open),
                Part::Node(Node::Array(list)) => list.write(["[", "]"], &mut open),
            }
        }
        out
    }

    /// Reads the items of an object or array, if that has not been done.
    fn open(&mut self) -> Result<(), WriteError> {
        let opened = match self {
            Self::Text(Cow::Borrowed(text)) => open(text)?,
            // A value that was set here is small.
            Self::Text(Cow::Owned(text)) => open(text)?.map(Node::into_owned),
            _ => None,
        };
        if let Some(opened) = opened {
            *self = opened;
        }
        Ok(())
    }

    /// Returns the same value without a borrow of the text that it was read from. One level is open at most.
    fn into_owned<'o>(self) -> Node<'o> {
        let own = |text: Cow<str>| Cow::Owned(text.into_owned());
        let list = |list: List| List {
            items: list
                .items
                .into_iter()
                .map(|item| Item {
                    before: own(item.before),
                    key: own(item.key),
                    colon: own(item.colon),
                    value: Node::Text(Cow::Owned(item.value.to_text())),
                    after: own(item.after),
                })
                .collect(),
            empty: own(list.empty),
        };
        match self {
            Self::Text(text) => Node::Text(own(text)),
            Self::Object(items) => Node::Object(list(items)),
            Self::Array(items) => Node::Array(list(items)),
        }
    }
}

/// A part that [`Node::to_text`] has still to write.
enum Part<'n, 't> {
    Text(&'n str),
    Node(&'n Node<'t>),
}

impl<'t> List<'t> {
    /// Adds an item with the same white space around it as the last one has.
    fn push(&mut self, key: String, text: String) {
        let colon = if key.is_empty() { "" } else { ":" };
        let (before, colon, after) = match self.items.last_mut() {
            Some(last) => {
                let after = std::mem::take(&mut last.after);
                let colon = if last.colon.is_empty() { Cow::Borrowed(colon) } else { last.colon.clone() };
                (last.before.clone(), colon, after)
            }
            None => (Cow::Borrowed(""), Cow::Borrowed(colon), Cow::Borrowed("")),
        };
        self.items.push(Item { before, key: Cow::Owned(key), colon, value: Node::Text(Cow::Owned(text)), after });
    }

    fn remove(&mut self, mut is_it: impl FnMut(&Item) -> bool) -> bool {
        let before = self.items.len();
        let end = self.items.last().map(|last| last.after.clone());
        self.items.retain(|item| !is_it(item));
        // The closing bracket stays where it was.
        if let (Some(last), Some(end)) = (self.items.last_mut(), end) {
            last.after = end;
        }
        self.items.len() < before
    }

    fn write<'n>(&'n self, [begin, end]: [&'static str; 2], open: &mut Vec<Part<'n, 't>>) {
        open.push(Part::Text(end));
        if self.items.is_empty() {
            open.push(Part::Text(&self.empty));
        }
        for (i, item) in self.items.iter().enumerate().rev() {
            open.push(Part::Text(&item.after));
            open.push(Part::Node(&item.value));
            open.push(Part::Text(&item.colon));
            open.push(Part::Text(&item.key));
            open.push(Part::Text(&item.before));
            if i > 0 {
                open.push(Part::Text(","));
            }
        }
        open.push(Part::Text(begin));
    }
}

impl Item<'_> {
    fn is_named(&self, key: &str) -> bool {
        means(&self.key, key)
    }
}

/// Returns an integer that is not negative, which a file may write as `12`, `12.0` or `1.2e1`.
pub(super) fn whole(value: &serde_json::Value) -> Option<u64> {
    let decimal = || value.as_f64().filter(|n| n.fract() == 0.0 && (0.0..9e15).contains(n));
    value.as_u64().or_else(|| decimal().map(|n| n as u64))
}

/// Returns whether a string as written in JSON means this text.
fn means(raw: &str, text: &str) -> bool {
    let inner = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inner {
        Some(inner) if !inner.contains('\\') => inner == text,
        Some(_) => serde_json::from_str::<String>(raw).is_ok_and(|said| said == text),
        None => false,
    }
}

/// A cursor in a text.
struct Scan<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scan<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn bad(&self) -> WriteError {
        WriteError::Json(format!("JSON at byte {} of a value", self.at))
    }

    /// Reads white space.
    fn space(&mut self) -> &'t str {
        let start = self.at;
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// Reads a string, with its quotes.
    fn string(&mut self) -> Result<&'t str, WriteError> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.bad());
        }
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'\\') => self.at += 2,
                Some(b'"') => break,
                Some(_) => self.at += 1,
                None => return Err(self.bad()),
            }
        }
        self.at += 1;
        self.text.get(start..self.at).ok_or_else(|| self.bad())
    }

    /// Reads a value of any kind.
    fn value(&mut self) -> Result<&'t str, WriteError> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                Some(b'"') => _ = self.string()?,
                Some(b'{' | b'[') => {
                    depth += 1;
                    self.at += 1;
                }
                Some(b'}' | b']') if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                Some(b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r') | None if depth == 0 => break,
                Some(_) => self.at += 1,
                None => return Err(self.bad()),
            }
            if depth == 0 && matches!(self.text.as_bytes()[self.at - 1], b'"' | b'}' | b']') {
                break;
            }
        }
        if self.at == start { Err(self.bad()) } else { Ok(&self.text[start..self.at]) }
    }
}

/// Opens a value one level deep; `None` where it is neither object nor array.
fn open(text: &str) -> Result<Option<Node<'_>>, WriteError> {
    let is_object = match text.as_bytes().first() {
        Some(b'{') => true,
        Some(b'[') => false,
        _ => return Ok(None),
    };
    let close = if is_object { b'}' } else { b']' };
    let mut scan = Scan { text, at: 1 };
    let mut list = List::default();
    let mut before = scan.space();
    if scan.peek() == Some(close) {
        list.empty = Cow::Borrowed(before);
    } else {
        loop {
            let (key, colon) = if is_object {
                let key = scan.string()?;
                let start = scan.at;
                scan.space();
                if scan.peek() != Some(b':') {
                    return Err(scan.bad());
                }
                scan.at += 1;
                scan.space();
                (key, &text[start..scan.at])
            } else {
                ("", "")
            };
            let value = Node::of(scan.value()?);
            let after = scan.space();
            let [before_it, key, colon, after] = [before, key, colon, after].map(Cow::Borrowed);
            list.items.push(Item { before: before_it, key, colon, value, after });
            match scan.peek() {
                Some(b',') => scan.at += 1,
                Some(end) if end == close => break,
                _ => return Err(scan.bad()),
            }
            before = scan.space();
        }
    }
    if scan.at + 1 != text.len() {
        return Err(scan.bad());
    }
    Ok(Some(if is_object { Node::Object(list) } else { Node::Array(list) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, edit: impl FnOnce(&mut Node) -> Result<(), WriteError>) -> String {
        let mut node = Node::of(text);
        edit(&mut node).unwrap();
        node.to_text()
    }

    #[test]
    fn what_is_only_looked_at_is_written_as_it_was() {
        let text =
            "{ \"a\" :\t[1, 2.50e+1 , { \"x\\u0041\\\"\": [ ] } ],\n  \"a\":{ },\"b\" : \"]}\\\\\" , \"c\":[[[]]]\r\n}";
        let out = edited(text, |node| {
            assert!(node.find(&[PathStep::Key("a"), PathStep::Key("none")])?.is_none());
            assert!(node.find(&[PathStep::Key("c"), PathStep::At(0), PathStep::At(0), PathStep::At(0)])?.is_none());
            assert_eq!(node.find(&[PathStep::Key("b")])?.map(|b| b.to_text()), Some("\"]}\\\\\"".to_owned()));
            assert_eq!(node.count()?, 4);
            Ok(())
        });
        assert_eq!(out, text);
        let mut first = Node::of("[{\"xA\\\"\": 5}]");
        assert!(first.find(&[PathStep::At(0), PathStep::Key("xA\"")]).unwrap().is_some());
    }

    #[test]
    fn a_value_that_is_set_changes_nothing_around_it() {
        let out = edited("{\"n\": [ 1,  2 ,3 ], \"é\":null}", |node| {
            node.find(&[PathStep::Key("n"), PathStep::At(1)])?.unwrap().set("22".into());
            node.set_member("é", "true".into())
        });
        assert_eq!(out, "{\"n\": [ 1,  22 ,3 ], \"é\":true}");
        // Of two members of one name the last counts.
        assert_eq!(edited("{\"a\":1,\"a\":2}", |n| n.set_member("a", "3".into())), "{\"a\":1,\"a\":3}");
    }

    #[test]
    fn new_items_stand_as_those_before_them() {
        let out = edited("{\n  \"a\": 1,\n  \"list\": [\n    1,\n    2\n  ]\n}\n".trim_end(), |node| {
            node.find(&[PathStep::Key("list")])?.unwrap().push("3".into())?;
            node.set_member("z", "[]".into())
        });
        assert_eq!(out, "{\n  \"a\": 1,\n  \"list\": [\n    1,\n    2,\n    3\n  ],\n  \"z\": []\n}");
        let out = edited("{\"a\":[ ],\"b\":{}}", |node| {
            node.find(&[PathStep::Key("a")])?.unwrap().push("{}".into())?;
            node.find(&[PathStep::Key("b")])?.unwrap().set_member("k\"", "1".into())?;
            node.find(&[PathStep::Key("a"), PathStep::At(0)])?.unwrap().set_member("x", "2".into())
        });
        assert_eq!(out, "{\"a\":[{\"x\":2}],\"b\":{\"k\\\"\":1}}");
    }

    #[test]
    fn what_is_removed_takes_its_comma_along() {
        let list = "[ \"A\", \"B\" ,\"C\"\n]";
        assert_eq!(edited(list, |n| n.remove_string("A").map(|_| ())), "[ \"B\" ,\"C\"\n]");
        assert_eq!(edited(list, |n| n.remove_string("B").map(|_| ())), "[ \"A\",\"C\"\n]");
        assert_eq!(edited(list, |n| n.remove_string("C").map(|_| ())), "[ \"A\", \"B\"\n]");
        assert_eq!(edited("[\"A\"]", |n| n.remove_string("A").map(|_| ())), "[]");
        let out = edited("{\"a\":1,\"b\":2,\"a\":3}", |n| {
            assert!(n.remove_member("a")? && !n.remove_member("c")?);
            Ok(())
        });
        assert_eq!(out, "{\"b\":2}");
    }

    #[test]
    fn text_that_is_no_json_is_refused_and_never_followed_without_end() {
        for text in ["{", "{\"a\"}", "{\"a\":}", "[1,]", "[1 2]", "{\"a\":1,}", "[\"x]", "[1]]", "{\"a\":\"\\", "[}"] {
            assert!(Node::of(text).count().is_err(), "{text}");
        }
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(Node::of(&deep).count().unwrap(), 1);
    }
}
