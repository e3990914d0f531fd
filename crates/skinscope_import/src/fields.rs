//! Checked reading of the JSON of extensions, which the parser does not interpret. A field that is missing has its
//! default; one of the wrong type causes a warning and has its default, one outside of its range causes a warning and
//! has the nearest number inside.

use serde_json::{Map, Value};

use super::Reader;

/// Returns an integer that is not negative: `12`, or `12.0` or `1.2e1`, which mean the same (glTF 2.0, 2.7, rule 5).
pub(super) fn whole(value: &Value) -> Option<u64> {
    // Beyond 2^53 a decimal does not say which integer it is.
    let decimal = || value.as_f64().filter(|n| n.fract() == 0.0 && (0.0..9e15).contains(n));
    value.as_u64().or_else(|| decimal().map(|n| n as u64))
}

/// The JSON object of one extension, and its location for messages.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    pub reader: &'a Reader<'a>,
    /// The location of the object that has the extension, such as `material 3`.
    pub location: &'a str,
    /// The text before the name of a field, such as `KHR_materials_sheen`.
    pub prefix: &'a str,
    pub map: &'a Map<String, Value>,
}

/// The range of numbers that a field may have.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub least: f32,
    pub most: f32,
}

impl Range {
    pub const UNIT: Self = Self { least: 0.0, most: 1.0 };
    pub(crate) const POSITIVE: Self = Self { least: 0.0, most: f32::MAX };
    pub(crate) const ANY: Self = Self { least: f32::MIN, most: f32::MAX };
}

impl<'a> Fields<'a> {
    /// Returns the extension `name` of `extensions`, if it is there and an object.
    pub fn of(
        reader: &'a Reader<'a>,
        location: &'a str,
        name: &'a str,
        extensions: Option<&'a Map<String, Value>>,
    ) -> Option<Self> {
        match extensions?.get(name)? {
            Value::Object(map) => Some(Self { reader, location, prefix: name, map }),
            _ => {
                reader.warnings.add(location, format!("{name} is no object; it is left out"));
                None
            }
        }
    }

    pub fn warn(&self, field: &str, message: impl std::fmt::Display) {
        self.reader.warnings.add(self.location, format!("{}.{field} {message}", self.prefix));
    }

    /// Reads a number.
    pub fn number(&self, field: &str, default: f32, range: Range) -> f32 {
        let Some(value) = self.map.get(field) else { return default };
        let Some(number) = value.as_f64() else {
            self.warn(field, format_args!("is no number; read as {default}"));
            return default;
        };
        self.inside(field, number, range)
    }

    fn inside(&self, field: &str, number: f64, Range { least, most }: Range) -> f32 {
        if (f64::from(least)..=f64::from(most)).contains(&number) {
            return number as f32;
        }
        let repaired = number.clamp(f64::from(least), f64::from(most)) as f32;
        self.warn(field, format_args!("is {number}, outside its range; read as {repaired}"));
        repaired
    }

    /// Reads a list of `N` numbers.
    pub fn numbers<const N: usize>(&self, field: &str, default: [f32; N], range: Range) -> [f32; N] {
        let Some(value) = self.map.get(field) else { return default };
        let list = value.as_array().filter(|list| list.len() == N);
        let numbers: Option<Vec<f64>> = list.and_then(|list| list.iter().map(Value::as_f64).collect());
        let Some(numbers) = numbers.and_then(|n| <[f64; N]>::try_from(n).ok()) else {
            self.warn(field, format_args!("is no list of {N} numbers; read as {default:?}"));
            return default;
        };
        numbers.map(|n| self.inside(field, n, range))
    }

    /// Reads an index into a list of the file, such as that of a texture.
    pub fn index(&self, field: &str) -> Option<usize> {
        let value = self.map.get(field)?;
        let index = whole(value).and_then(|n| usize::try_from(n).ok());
        if index.is_none() {
            self.warn(field, "is no whole number; it is left out");
        }
        index
    }

    /// Reads an object inside of this one.
    pub fn object(&self, field: &str) -> Option<&'a Map<String, Value>> {
        let value = self.map.get(field)?;
        let object = value.as_object();
        if object.is_none() {
            self.warn(field, "is no object; it is left out");
        }
        object
    }

    /// Reads a list inside of this object; empty where there is none.
    pub fn list(&self, field: &str) -> &'a [Value] {
        match self.map.get(field) {
            None => &[],
            Some(Value::Array(list)) => list,
            Some(_) => {
                self.warn(field, "is no list; it is left out");
                &[]
            }
        }
    }
}
