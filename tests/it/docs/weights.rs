//! The tables of what changes weights: operations, brushes and automatic binding.

use skinscope::bind::{BINDERS, RULES};
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

pub(super) fn binders() -> String {
    let rows = BINDERS.iter().map(|binder| [binder.label.to_owned(), code(binder.id), binder.help.to_owned()]);
    table(["method", "`--method`", "what it does"], rows)
}

pub(super) fn numbers_of_binders() -> String {
    let rows = BINDERS.iter().flat_map(|binder| {
        binder.parameters.iter().map(|parameter| {
            let [least, most] = parameter.range;
            let range = format!("{least} to {most}, {} by default", parameter.default);
            let option = code(&format!("{}=N", parameter.id));
            [binder.label.to_owned(), parameter.label.to_owned(), option, range, parameter.help.to_owned()]
        })
    });
    table(["method", "number", "`--set`", "range", "what it does"], rows)
}

pub(super) fn rules_of_binding() -> String {
    let rows = RULES.iter().map(|rule| [rule.label.to_owned(), code(rule.id), rule.help.to_owned()]);
    table(["rule", "`--without`", "what it does"], rows)
}

#[test]
fn every_method_of_binding_is_explained() {
    let page = include_str!("../../../docs/bind.md");
    for binder in BINDERS {
        assert!(page.contains(&format!("\n- **{}** ", binder.id)), "{}", binder.id);
    }
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
