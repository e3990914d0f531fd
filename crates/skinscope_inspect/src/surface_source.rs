//! What is measured as one surface: a vertex list of a mesh as it is, or all skinned ones of a mesh joined, since files cut
//! a surface at its materials. Vertices that a cut has doubled are one vertex again, so that the measures are those of the
//! uncut surface.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use glam::{Vec3, Vec4};
use skinscope_deform::Deformed;
use skinscope_model::{Influences, InfluencesRef, Mesh, MeshId, Model, MorphTarget, Primitive, Topology};

/// The vertices and triangles of a measured surface.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceSource {
    /// The primitives of the mesh that have its vertices, rising.
    pub lists: Vec<usize>,
    /// What is measured in their place, where that is not just all of a single one.
    joined: Option<Arc<Joined>>,
}

/// Vertices and triangles of some vertex lists in one list.
#[derive(Debug)]
struct Joined {
    primitive: Primitive,
    /// The weights of its vertices; `None` where they are those of the single list, whose vertices it has.
    influences: Option<Influences>,
    /// For each vertex: the index of its list in [`SurfaceSource::lists`], and its number there.
    from: Vec<(u32, u32)>,
    /// For each list and each of its stored vertices: the vertex here.
    at: Vec<Vec<u32>>,
}

impl SurfaceSource {
    /// Returns the skinned surfaces of a mesh: all of it as one, or with `by_primitive` each primitive of the file alone.
    /// Where `parted` has vectors for the vertices of a primitive, only vertices with one vector can be one.
    pub fn all(
        model: &Model,
        id: MeshId,
        by_primitive: bool,
        parted: &dyn Fn(usize) -> Option<Vec<Vec4>>,
    ) -> Vec<Self> {
        let mesh = &model.meshes[id.index()];
        let lists: Vec<usize> =
            mesh.vertex_lists().filter(|(_, p)| p.stored_influences.is_some()).map(|(n, _)| n).collect();
        if by_primitive {
            return lists.iter().flat_map(|list| parts_of(mesh, *list)).collect();
        }
        if lists.len() > 1 {
            let joined = Some(Arc::new(Joined::of(model, id, &lists, parted)));
            return vec![Self { lists, joined }];
        }
        lists.into_iter().map(|list| Self { lists: vec![list], joined: drawn_once(mesh, list).map(Arc::new) }).collect()
    }

    /// Returns the vertices and triangles in one primitive of `mesh`.
    pub fn primitive<'a>(&'a self, mesh: &'a Mesh) -> &'a Primitive {
        self.joined.as_ref().map_or_else(|| &mesh.primitives[self.lists[0]], |joined| &joined.primitive)
    }

    /// Returns the weights of its vertices. `own` are those of the first list.
    pub fn influences<'a>(&'a self, own: InfluencesRef<'a>) -> InfluencesRef<'a> {
        let joined = self.joined.as_ref().and_then(|joined| joined.influences.as_ref());
        joined.map_or(own, Influences::as_stored)
    }

    /// Returns the primitive that has a vertex of the surface, and its number there.
    pub fn stored(&self, vertex: u32) -> (usize, u32) {
        match self.joined.as_ref().and_then(|joined| joined.from.get(vertex as usize)) {
            Some((list, vertex)) => (self.lists[*list as usize], *vertex),
            None => (self.lists[0], vertex),
        }
    }

    /// Returns the primitive that has most of some vertices, which rise, of several the first, and their numbers there.
    pub(crate) fn most_of(&self, vertices: &[u32]) -> (usize, Vec<u32>) {
        let of_list = |list: &usize| {
            let stored = vertices.iter().map(|vertex| self.stored(*vertex));
            let mut own: Vec<u32> = stored.filter(|(of, _)| of == list).map(|(_, vertex)| vertex).collect();
            own.sort_unstable();
            (*list, own)
        };
        let all = self.lists.iter().rev().map(of_list).max_by_key(|(_, own)| own.len());
        all.unwrap_or((self.lists[0], Vec::new()))
    }

    /// Returns whether the vertices of several lists are joined, so that what was deformed has to be gathered.
    pub(crate) fn is_gathered(&self) -> bool {
        self.lists.len() > 1
    }

    /// Writes the deformed vertices of the lists, which are in their order, to `out` in that of the surface.
    pub fn gather(&self, lists: &[&Deformed], out: &mut Deformed) {
        let Some(joined) = &self.joined else { return };
        fn fill<'a, T: Copy + 'a>(
            from: &[(u32, u32)],
            lists: &[&'a Deformed],
            list: impl Fn(&'a Deformed) -> &'a Vec<T>,
            out: &mut Vec<T>,
        ) {
            out.clear();
            if lists.iter().all(|of| !list(of).is_empty() || of.positions.is_empty()) {
                out.extend(from.iter().map(|(n, vertex)| list(lists[*n as usize])[*vertex as usize]));
            }
        }
        fill(&joined.from, lists, |of| &of.positions, &mut out.positions);
        fill(&joined.from, lists, |of| &of.normals, &mut out.normals);
        fill(&joined.from, lists, |of| &of.determinants, &mut out.determinants);
        fill(&joined.from, lists, |of| &of.carries, &mut out.carries);
        out.filled.clear();
        if lists.iter().any(|of| !of.filled.is_empty()) {
            let is_filled = |(n, vertex): &(u32, u32)| lists[*n as usize].filled.binary_search(vertex).is_ok();
            out.filled.extend((0..).zip(&joined.from).filter(|(_, from)| is_filled(from)).map(|(vertex, _)| vertex));
        }
    }

    /// Returns the vectors of the vertices of the surface; `of` are those of each list. Empty where a list has none.
    pub fn vectors(&self, of: &[&[Vec4]]) -> Vec<Vec4> {
        let Some(joined) = self.joined.as_ref().filter(|_| of.iter().all(|list| !list.is_empty())) else {
            return Vec::new();
        };
        joined
            .from
            .iter()
            .map(|(n, vertex)| of[*n as usize].get(*vertex as usize).copied().unwrap_or_default())
            .collect()
    }

    /// Returns the numbers of each list's stored vertices, by primitive; `values` are those of the surface.
    pub fn scatter(&self, values: Vec<f32>) -> Vec<(usize, Vec<f32>)> {
        match self.joined.as_ref().filter(|_| self.is_gathered()) {
            None => vec![(self.lists[0], values)],
            Some(joined) => {
                let of_list = |at: &Vec<u32>| at.iter().map(|vertex| values[*vertex as usize]).collect();
                self.lists.iter().copied().zip(joined.at.iter().map(of_list)).collect()
            }
        }
    }
}

/// Returns the primitives of the file whose vertices are in a list, each with its own triangles.
fn parts_of(mesh: &Mesh, list: usize) -> Vec<SurfaceSource> {
    let p = &mesh.primitives[list];
    if p.parts.is_empty() {
        return vec![SurfaceSource { lists: vec![list], joined: None }];
    }
    let of_part = |part: skinscope_model::Part| {
        let primitive = Primitive { indices: p.indices[part.indices].to_vec(), parts: Vec::new(), ..p.clone() };
        let joined = Joined { primitive, influences: None, from: Vec::new(), at: Vec::new() };
        SurfaceSource { lists: vec![list], joined: Some(Arc::new(joined)) }
    };
    mesh.parts(list).map(of_part).collect()
}

/// Returns a vertex list with each of its triangles once; `None` where each is there once, or no other primitive shares the
/// vertices. Exporters draw a surface twice for an outline or a second layer of material.
fn drawn_once(mesh: &Mesh, list: usize) -> Option<Joined> {
    let p = &mesh.primitives[list];
    let all = p.indices.as_chunks::<3>().0;
    let once = without_repeats((!p.parts.is_empty()).then(|| all.iter().copied()).into_iter().flatten());
    if p.parts.is_empty() || once.len() == all.len() {
        return None;
    }
    let primitive = Primitive { indices: once.into_flattened(), parts: Vec::new(), ..p.clone() };
    Some(Joined { primitive, influences: None, from: Vec::new(), at: Vec::new() })
}

/// Returns the triangles without those that are there before, whichever corner comes first.
fn without_repeats(triangles: impl Iterator<Item = [u32; 3]>) -> Vec<[u32; 3]> {
    let mut seen = HashSet::new();
    let key = |corners: &[u32; 3]| {
        let least = (0..3).min_by_key(|i| corners[*i]).unwrap_or(0);
        let mut key = *corners;
        key.rotate_left(least);
        key
    };
    triangles.filter(|corners| seen.insert(key(corners))).collect()
}

/// Returns how many corners of triangles stand at each stored vertex of a primitive.
fn corners_at(p: &Primitive) -> Vec<u32> {
    let mut out = vec![0; p.stored_vertices];
    p.stored_triangles().flatten().for_each(|vertex| out[vertex as usize] += 1);
    out
}

/// What two vertices of different lists have alike where a cut has made them of one.
#[derive(PartialEq, Eq, Hash)]
struct VertexKey {
    numbers: Vec<u32>,
    pairs: Vec<(u16, u32)>,
    /// How many such vertices come before it in its list.
    turn: u32,
}

impl Joined {
    fn of(model: &Model, id: MeshId, lists: &[usize], parted: &dyn Fn(usize) -> Option<Vec<Vec4>>) -> Self {
        let mesh = &model.meshes[id.index()];
        let sources: Vec<&Primitive> = lists.iter().map(|list| &mesh.primitives[*list]).collect();
        let mut known: HashMap<VertexKey, u32> = HashMap::new();
        let (mut from, mut at) = (Vec::new(), Vec::new());
        let corners: Vec<Vec<u32>> = sources.iter().map(|source| corners_at(source)).collect();
        // Where each triangle has corners of its own, a cut has doubled none.
        let may_be_doubled = corners.iter().flatten().any(|count| *count > 1);
        for (n, (list, source)) in (0..).zip(lists.iter().zip(&sources)) {
            let vectors = parted(*list);
            let Some(influences) = model.influences(id, *list) else { continue };
            let mut turns: HashMap<VertexKey, u32> = HashMap::new();
            let mut own = Vec::with_capacity(source.stored_vertices);
            for (vertex, at_vertex) in corners[n as usize].iter().enumerate() {
                // A vertex that no triangle uses is none of another list.
                if !may_be_doubled || *at_vertex == 0 {
                    from.push((n, vertex as u32));
                    own.push(from.len() as u32 - 1);
                    continue;
                }
                let key = |turn| vertex_key(source, influences, vectors.as_deref(), (vertex, turn));
                let turn = turns.entry(key(0)).or_default();
                let key = key(*turn);
                *turn += 1;
                own.push(*known.entry(key).or_insert_with(|| {
                    from.push((n, vertex as u32));
                    from.len() as u32 - 1
                }));
            }
            at.push(own);
        }
        let (primitive, influences) = joined(model, id, (lists, &sources), (&from, &at));
        Self { primitive, influences: Some(influences), from, at }
    }
}

fn vertex_key(
    p: &Primitive,
    influences: InfluencesRef<'_>,
    vectors: Option<&[Vec4]>,
    (vertex, turn): (usize, u32),
) -> VertexKey {
    let mut numbers = Vec::new();
    // Adding zero turns −0 into +0.
    let mut add = |list: &[f32]| numbers.extend(list.iter().map(|number| (*number + 0.0).to_bits()));
    let at = |list: &[Vec3]| list.get(vertex).copied().unwrap_or_default().to_array();
    add(&at(&p.positions));
    add(&at(&p.normals));
    p.uvs.iter().for_each(|uvs| add(&uvs.get(vertex).copied().unwrap_or_default().to_array()));
    p.morphs.iter().for_each(|target| add(&at(&target.positions)));
    add(&vectors.and_then(|list| list.get(vertex)).copied().unwrap_or_default().to_array());
    let (joints, weights) = influences.of(vertex);
    let pairs = joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
    VertexKey { numbers, pairs: pairs.map(|(joint, weight)| (*joint, weight.to_bits())).collect(), turn }
}

/// Returns the vertices that `from` names, and the triangles of all lists with their corners there.
fn joined(
    model: &Model,
    id: MeshId,
    (lists, sources): (&[usize], &[&Primitive]),
    (from, at): (&[(u32, u32)], &[Vec<u32>]),
) -> (Primitive, Influences) {
    fn gathered<T: Copy + Default>(from: &[(u32, u32)], lists: &[&Vec<T>]) -> Vec<T> {
        if lists.iter().all(|list| list.is_empty()) {
            return Vec::new();
        }
        from.iter().map(|(n, vertex)| lists[*n as usize].get(*vertex as usize).copied().unwrap_or_default()).collect()
    }
    let of =
        |list: &dyn Fn(&Primitive) -> &Vec<Vec3>| gathered(from, &sources.iter().map(|p| list(p)).collect::<Vec<_>>());
    let triangles = sources
        .iter()
        .zip(at)
        .flat_map(|(p, at)| p.stored_triangles().map(|corners| corners.map(|vertex| at[vertex as usize])));
    let targets = sources.iter().map(|p| p.morphs.len()).max().unwrap_or(0);
    let target = |n: usize| {
        let lists: Vec<&Vec<Vec3>> = sources.iter().map(|p| &p.morphs[n].positions).collect();
        MorphTarget { positions: gathered(from, &lists), ..MorphTarget::default() }
    };
    let rows: Vec<InfluencesRef<'_>> = lists.iter().filter_map(|list| model.influences(id, *list)).collect();
    let per_vertex = rows.iter().map(|influences| influences.per_vertex).max().unwrap_or(0);
    let mut influences = Influences { per_vertex, ..Influences::default() };
    for (i, (n, vertex)) in (1..).zip(from) {
        let (joints, weights) = rows[*n as usize].of(*vertex as usize);
        influences.joints.extend_from_slice(joints);
        influences.weights.extend_from_slice(weights);
        influences.joints.resize(i * per_vertex, 0);
        influences.weights.resize(i * per_vertex, 0.0);
    }
    let primitive = Primitive {
        topology: Topology::Triangles,
        indices: without_repeats(triangles).into_flattened(),
        positions: of(&|p| &p.positions),
        normals: of(&|p| &p.normals),
        morphs: (0..targets).map(target).collect(),
        stored_vertices: from.len(),
        ..Primitive::default()
    };
    (primitive, influences)
}
