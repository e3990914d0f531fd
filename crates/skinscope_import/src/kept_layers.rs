//! The layers of weights that a file keeps in its extras: their text alone, which says nothing about the model itself.

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
}

/// Returns the text of `extras.skinscope.layers`, as it stands in the file; `None` where there is none.
pub(super) fn text_of(root: &json::Root) -> Option<Arc<str>> {
    let extras: Extras<'_> = serde_json::from_str(root.extras.as_ref()?.get()).ok()?;
    Some(Arc::from(extras.skinscope?.layers?.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_that_of_the_file_and_other_extras_are_none() {
        let text = |extras: &str| {
            let root = format!(r#"{{"asset":{{"version":"2.0"}},"extras":{extras}}}"#);
            text_of(&serde_json::from_str(&root).unwrap())
        };
        let found = text(r#"{"a":1,"skinscope":{"layers": {"schema" : 1.50} ,"b":2}}"#);
        assert_eq!(found.as_deref(), Some(r#"{"schema" : 1.50}"#));
        for other in ["null", "3", "[]", "{}", r#"{"skinscope":7}"#, r#"{"skinscope":{"layers":null}}"#] {
            assert_eq!(text(other), None, "{other}");
        }
    }
}
