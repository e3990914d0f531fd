//! Compares materials by name and contents; textures by the names of their images.

use super::{Named, by_name};
use skinscope_model::{Material, Model, TextureId};

pub(super) fn compare(a: &Model, b: &Model) -> Named {
    let names = |model: &Model| model.materials.iter().map(|m| m.name.clone()).collect::<Vec<_>>();
    let (own, other) = (names(a), names(b));
    let (pairs, removed, added) = by_name(own.iter().map(String::as_str), other.iter().map(String::as_str));
    let changed = pairs.iter().filter(|[here, there]| said(a, &a.materials[*here]) != said(b, &b.materials[*there]));
    Named {
        changed: changed.map(|[here, _]| own[*here].clone()).collect(),
        removed: removed.into_iter().map(|place| own[place].clone()).collect(),
        added: added.into_iter().map(|place| other[place].clone()).collect(),
        renamed: Vec::new(),
    }
}

/// Describes a material completely, with descriptions of its textures in place of their numbers.
fn said(model: &Model, material: &Material) -> String {
    let text = format!("{material:?}");
    // `TextureId(3)` stands for the file's number of it.
    let mut parts = text.split("TextureId(");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once(')').unwrap_or((part, ""));
        let texture = number.parse::<u32>().ok().and_then(|n| model.textures.get(TextureId(n).index()));
        let image = texture.and_then(|t| t.image).and_then(|i| model.images.get(i.index()));
        out += &format!("texture {:?} {:?}", texture.map(|t| t.sampler), image.map(|i| &i.name));
        out += rest;
    }
    out
}
