//! What a file keeps in its extras for this program, layers of weights and what drives shapes: the texts alone, which say nothing about the
//! model itself.

use std::sync::Arc;

use gltf::json;
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Extras<'t> {
    #[serde(borrow)]
    skinscope: Option<Own<'t>>,
}

#[derive(Deserialize)]
struct Own<'t> {
    #[serde(borrow)]
    layers: Option<&'t RawValue>,
    #[serde(borrow)]
    shapes: Option<&'t RawValue>,
}

/// The texts that a file keeps, as they stand there.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// `extras.skinscope.layers`.
    pub layers: Option<Arc<str>>,
    /// `extras.skinscope.shapes`.
    pub shapes: Option<Arc<str>>,
}

/// Returns the texts of a file.
pub(super) fn texts_of(root: &json::Root) -> Kept {
    let extras = root.extras.as_ref().and_then(|extras| serde_json::from_str::<Extras<'_>>(extras.get()).ok());
    let Some(own) = extras.and_then(|extras| extras.skinscope) else { return Kept::default() };
    let text = |value: Option<&RawValue>| -> Option<Arc<str>> { Some(Arc::from(value?.get())) };
    Kept { layers: text(own.layers), shapes: text(own.shapes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_that_of_the_file_and_other_extras_are_none() {
        let text = |extras: &str| {
            let root = format!(r#"{{"asset":{{"version":"2.0"}},"extras":{extras}}}"#);
            texts_of(&serde_json::from_str(&root).unwrap())
        };
        let found = text(r#"{"a":1,"skinscope":{"layers": {"schema" : 1.50} ,"b":2}}"#);
        assert_eq!(found.layers.as_deref(), Some(r#"{"schema" : 1.50}"#));
        assert!(found.shapes.is_none());
        let found = text(r#"{"skinscope":{"shapes":{ "drivers":[]}}}"#);
        assert_eq!((found.layers, found.shapes.as_deref()), (None, Some(r#"{ "drivers":[]}"#)));
        for other in ["null", "3", "[]", "{}", r#"{"skinscope":7}"#, r#"{"skinscope":{"layers":null}}"#] {
            assert!(text(other).layers.is_none() && text(other).shapes.is_none(), "{other}");
        }
    }
}
