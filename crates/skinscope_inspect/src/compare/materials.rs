//! Compares materials by name and contents; textures by the names of their images.

use skinscope_model::{Material, Model, TextureId};

use super::{Contents, Named, by_contents, hash_of_text};

pub(super) fn compare(a: &Model, b: &Model) -> Named {
    let [own, other] = [a, b].map(|model| model.materials.iter().map(|m| m.name.as_str()).collect::<Vec<_>>());
    let differ = |[here, there]: [usize; 2]| said(a, &a.materials[here]) != said(b, &b.materials[there]);
    let all = [a, b];
    let hash = |side: usize, index: usize| hash_of_text(&said(all[side], &all[side].materials[index]));
    by_contents(&own, &other, &Contents { hash: &hash, differ: &differ }).named(&own, &other)
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
