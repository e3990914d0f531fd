//! Differences between two models: hierarchy, rest poses, weights, inverse bind matrices, clips, materials, and how far
//! the posed surfaces are apart.
//!
//! Order alone is no difference: nodes, clips and materials are matched by name, vertices by order where they lie in
//! the same places, else by place and texture coordinates; weights by joint. A node that has another name and stands in the same
//! place of the tree, with the same transform at rest or the same inverse bind matrix, is one that was renamed.

mod clips;
mod materials;
mod nodes;
mod posed;
mod surfaces;
mod weights;

use clips::ClipPairs;
use nodes::Nodes;
use skinscope_model::Model;
use surfaces::Pair;

pub use posed::Apart;

/// Names that only one of two models has, or whose contents differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Names that only the second model has; a name that it has more often is listed as often.
    pub added: Vec<String>,
    /// Names that only the first model has.
    pub removed: Vec<String>,
    /// Names that both have, with different contents.
    pub changed: Vec<String>,
    /// What has another name in the second model: both names. Only nodes are recognised.
    pub renamed: Vec<[String; 2]>,
}

impl Named {
    fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty() && self.renamed.is_empty()
    }
}

/// The differences of a primitive.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The number of the mesh in the first model.
    pub mesh: usize,
    /// The number of the primitive in the first model.
    pub primitive: usize,
    /// How many vertices differ.
    pub vertices: usize,
    /// The largest difference of a weight; 0 for surfaces.
    pub largest: f64,
}

/// All differences between two models.
#[derive(Clone, Debug, Default)]
pub struct Differences {
    /// Differences of nodes; changed are those that have another parent or another rest transform, by their names in the first model.
    pub nodes: Named,
    /// The primitives whose weights differ.
    pub weights: Vec<Part>,
    /// The primitives whose surface differs: vertices that lie elsewhere, or triangles.
    pub surface: Vec<Part>,
    /// How many inverse bind matrices differ.
    pub inverse_binds: usize,
    /// Differences of clips.
    pub clips: Named,
    /// Differences of materials.
    pub materials: Named,
    /// The place where the posed surfaces are farthest apart.
    pub posed: Apart,
}

impl Differences {
    /// Returns whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let named = [&self.nodes, &self.clips, &self.materials].into_iter().all(Named::is_empty);
        named && self.weights.is_empty() && self.surface.is_empty() && self.inverse_binds == 0 && !self.posed.is_seen
    }
}

/// Compares two models. The cost is linear in vertices, times 33 for each clip.
#[must_use]
pub fn compare(a: &Model, b: &Model) -> Differences {
    let nodes = Nodes::of(a, b);
    let pairs = Pair::all(a, b, &nodes);
    let clips = ClipPairs::of(a, b, &nodes);
    let mut out = Differences {
        nodes: nodes.named(a, b),
        inverse_binds: weights::inverse_binds(a, b, &nodes),
        clips: clips.named(a, b),
        materials: materials::compare(a, b),
        surface: surfaces::differing(a, b, &pairs),
        ..Differences::default()
    };
    out.weights = pairs.iter().filter_map(|pair| weights::of_pair(a, b, pair, &nodes)).collect();
    out.posed = posed::farthest(a, b, &pairs, &clips);
    out
}

/// Pairs the items of two lists by name: of several with one name the first with the first, and so on. Also returns the
/// items of each that are left over.
fn by_name<'n>(
    a: impl Iterator<Item = &'n str>,
    b: impl Iterator<Item = &'n str>,
) -> (Vec<[usize; 2]>, Vec<usize>, Vec<usize>) {
    let mut places: std::collections::HashMap<&str, std::collections::VecDeque<usize>> =
        std::collections::HashMap::new();
    let mut count = 0;
    for (place, name) in b.enumerate() {
        places.entry(name).or_default().push_back(place);
        count += 1;
    }
    let (mut pairs, mut removed, mut taken) = (Vec::new(), Vec::new(), vec![false; count]);
    for (place, name) in a.enumerate() {
        match places.get_mut(name).and_then(std::collections::VecDeque::pop_front) {
            Some(other) => {
                taken[other] = true;
                pairs.push([place, other]);
            }
            None => removed.push(place),
        }
    }
    let added = (0..count).filter(|place| !taken[*place]).collect();
    (pairs, removed, added)
}
