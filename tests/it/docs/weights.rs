//! The tables of what changes weights: operations and brushes.

use skinscope::edit::OPERATIONS;
use skinscope::weights::{BRUSHES, Need};

use super::{code, table};

pub(super) fn operations() -> String {
    let rows = OPERATIONS.iter().map(|operation| {
        let option = format!("--{} {}", operation.id, operation.argument);
        [operation.label.to_owned(), code(option.trim_end()), operation.help.to_owned()]
    });
    table(["operation", "option", "what it does"], rows)
}

pub(super) fn brushes() -> String {
    let need = |need: &Need| match need {
        Need::Joint => "`joint`",
        Need::To => "`to`",
        Need::Value => "`value`",
        Need::Factor => "`factor`",
    };
    let rows = BRUSHES.iter().map(|brush| {
        let needs = brush.needs.iter().map(need).collect::<Vec<_>>().join(", ");
        [brush.label.to_owned(), code(brush.id), needs, brush.help.to_owned()]
    });
    table(["brush", "`\"brush\"`", "needs", "what it does"], rows)
}

#[test]
fn every_brush_has_a_picture() {
    let page = include_str!("../../../docs/paint.md");
    for brush in BRUSHES {
        let (id, label) = (brush.id, brush.label);
        assert!(
            page.contains(&format!("![The brush {label}: ")) && page.contains(&format!("(images/brush-{id}.png)")),
            "{id}"
        );
    }
}
