//! Weights that a program gives to a primitive: they are checked row by row before anything changes.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::json;
use skinscope::cli::in_process::{Content, Failure};
use skinscope::edit::Sheet;
use skinscope::model::{MeshId, Model, NodeId, PrimitiveId, SkinId};
use skinscope::weights::Table;

use crate::primitive::find_skin;

/// How far the sum of a row may be from one; what is left is rounding, and is divided away.
const TOLERANCE: f64 = 1e-3;

/// Two weights of a locked joint that differ by less are the same: rounding to single precision.
const SAME: f64 = 1e-6;

/// Rows of weights.
pub(crate) struct NewWeights {
    /// Where each row begins, and where the last one ends.
    pub indptr: Vec<i64>,
    /// Joints, as columns of the skin.
    pub indices: Vec<i64>,
    pub data: Vec<f64>,
    /// The vertex of each row; `None`: all vertices, in their order.
    pub vertices: Option<Vec<i64>>,
}

/// Whose weights are set, and how.
pub(crate) struct Asked {
    /// The mesh of the file.
    pub mesh: u32,
    pub primitive: usize,
    pub skin: Option<SkinId>,
    /// Whether rows of any sum are divided by it.
    pub normalise: bool,
    /// The nodes of the file whose weights stay.
    pub locks: Vec<u32>,
    /// Where a model of several files is written.
    pub out: PathBuf,
}

fn failure(message: String) -> Failure {
    Failure { message, exit_code: 2 }
}

/// A primitive and the skin whose joints the columns are.
struct Target {
    at: PrimitiveId,
    /// The node of each column.
    joints: Vec<u32>,
    names: Vec<String>,
    /// The nodes whose weights stay.
    locked: BTreeSet<u32>,
}

impl Asked {
    /// Finds the primitive and the skin.
    fn target(&self, model: &Model) -> Result<Target, Failure> {
        let Self { mesh, primitive, .. } = *self;
        let found = model.file_meshes().find(|(id, _)| id.0 == mesh).map(|(id, _)| id);
        let unknown = || failure(format!("the file has no primitive {mesh},{primitive}"));
        let file: MeshId = found.ok_or_else(unknown)?;
        let (skin, own) = find_skin(model, file, self.skin).map_err(failure)?;
        let list = &model.meshes[own.index()];
        if primitive >= list.primitives.len() {
            return Err(unknown());
        }
        let at = PrimitiveId::new(own, list.holder(primitive));
        if list.primitives[at.primitive].stored_influences.is_none() {
            let why = format!("primitive {mesh},{primitive} has a skin and no weights; `bind` finds some");
            return Err(failure(why));
        }
        let index = |node: &NodeId| model.skeleton.file_index[node.index()];
        let nodes = &model.skins[skin.index()].joints;
        Ok(Target {
            at,
            joints: nodes.iter().map(|node| node.0).collect(),
            names: nodes.iter().map(|node| model.skeleton.names[node.index()].clone()).collect(),
            locked: nodes.iter().filter(|node| self.locks.contains(&index(node))).map(|node| node.0).collect(),
        })
    }
}

impl NewWeights {
    /// Sets these weights. Returns the model that has them, and the report as JSON. A row that a vertex has already leaves it as it is, to the
    /// bit.
    pub fn set(&self, content: &Content, asked: &Asked) -> Result<(Content, String), Failure> {
        let model = content.document.stored();
        let target = asked.target(model)?;
        let mut sheet = Sheet::of(model);
        let table = sheet.tables.iter_mut().find(|table| table.primitives.contains(&target.at));
        let table = table.ok_or_else(|| failure("the primitive has no weights".to_owned()))?;
        let rows = self.rows(table.vertices(), target.joints.len())?;
        self.knows_all(&target, table)?;
        let mut changed: Vec<(usize, Vec<(u32, f64)>)> = Vec::new();
        for (row, vertex) in rows.into_iter().enumerate() {
            changed.extend(self.row(row, vertex, (&target, asked), table)?.map(|shares| (vertex, shares)));
        }
        let most = changed.iter().map(|(_, shares)| shares.len()).max().unwrap_or(0);
        table.widen(most.div_ceil(4) * 4);
        for (vertex, shares) in &changed {
            table.put(*vertex, shares);
        }
        let (content, saved) = content.with_sheet(&sheet, &asked.out)?;
        let changes = &saved.changes;
        let changed = json!({
            "vertices": changes.vertices,
            "accessors": changes.accessors,
            "bytes": changes.bytes,
            "json_values": changes.json_values,
        });
        Ok((content, json!({ "schema": 1, "changed": changed }).to_string()))
    }

    /// Refuses joints that another skin of the mesh does not have: the numbers that are stored mean the joints of both.
    fn knows_all(&self, target: &Target, table: &Table) -> Result<(), Failure> {
        let known: BTreeSet<u32> = table.keys.iter().copied().collect();
        let mut used = self.indices.iter().zip(&self.data).filter(|(_, weight)| **weight != 0.0);
        match used.find(|(column, _)| !known.contains(&target.joints[**column as usize])) {
            None => Ok(()),
            Some((column, _)) => {
                let name = &target.names[*column as usize];
                Err(failure(format!("joint {column} ({name}) is none of another skin that shows the same weights")))
            }
        }
    }

    /// Checks the form, and returns the vertex of each row.
    fn rows(&self, count: usize, joints: usize) -> Result<Vec<usize>, Failure> {
        let Self { indptr, indices, data, vertices } = self;
        let rows = vertices.as_ref().map_or(count, Vec::len);
        if indptr.len() != rows + 1 {
            let have = indptr.len().saturating_sub(1);
            return Err(failure(format!("there are {have} rows of weights for {rows} vertices")));
        }
        if indices.len() != data.len() {
            return Err(failure(format!("there are {} joints for {} weights", indices.len(), data.len())));
        }
        let rises = indptr.is_sorted() && indptr[0] == 0 && indptr[rows] == indices.len() as i64;
        if !rises {
            let why = format!("indptr rises from 0 to the number of weights, {}, and this one does not", indices.len());
            return Err(failure(why));
        }
        if let Some(at) = indices.iter().position(|joint| !(0..joints as i64).contains(joint)) {
            let row = indptr.partition_point(|start| *start <= at as i64) - 1;
            let vertex = vertices.as_ref().map_or(row as i64, |vertices| vertices[row]);
            return Err(failure(format!("vertex {vertex}: joint {} is none of the {joints} of the skin", indices[at])));
        }
        let Some(vertices) = vertices else { return Ok((0..count).collect()) };
        let mut seen = vec![false; count];
        let mut out = Vec::with_capacity(vertices.len());
        for vertex in vertices {
            let index = usize::try_from(*vertex).ok().filter(|index| *index < count);
            let index = index.ok_or_else(|| failure(format!("there is no vertex {vertex} among the {count}")))?;
            if std::mem::replace(&mut seen[index], true) {
                return Err(failure(format!("vertex {vertex} is named twice")));
            }
            out.push(index);
        }
        Ok(out)
    }

    /// Checks a row; returns what the vertex gets, or `None` where it has that already.
    fn row(
        &self,
        row: usize,
        vertex: usize,
        (target, asked): (&Target, &Asked),
        table: &Table,
    ) -> Result<Option<Vec<(u32, f64)>>, Failure> {
        let range = self.indptr[row] as usize..self.indptr[row + 1] as usize;
        let refuse = |why: String| Err(failure(format!("vertex {vertex}: {why}")));
        let mut shares: Vec<(u32, f64)> = Vec::new();
        let mut seen = BTreeSet::new();
        for (joint, weight) in self.indices[range.clone()].iter().zip(&self.data[range]) {
            let (column, weight) = (*joint as usize, *weight);
            if !seen.insert(column) {
                return refuse(format!("joint {column} is there twice"));
            }
            if !weight.is_finite() {
                return refuse(format!("the weight of joint {column} is {weight}, which is no finite number"));
            }
            if weight < 0.0 {
                return refuse(format!("the weight of joint {column} is {weight}, below 0"));
            }
            let key = target.joints[column];
            if weight > 0.0 {
                // A joint that a skin has twice is one joint.
                match shares.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, sum)) => *sum += weight,
                    None => shares.push((key, weight)),
                }
            }
        }
        let mut before = Vec::new();
        table.shares(vertex, &mut before);
        if is_same(&shares, &before) {
            return Ok(None);
        }
        let sum: f64 = shares.iter().map(|(_, weight)| weight).sum();
        if sum <= 0.0 || !sum.is_finite() {
            return refuse("it has no weight".to_owned());
        }
        if !asked.normalise && (sum - 1.0).abs() > TOLERANCE {
            return refuse(format!("the weights sum to {sum}, not to 1; normalise=True divides by the sum"));
        }
        shares.iter_mut().for_each(|(_, weight)| *weight /= sum);
        target.changed_lock(&shares, &before).map_or(Ok(Some(shares)), refuse)
    }
}

impl Target {
    /// Says which locked joint a row would change.
    fn changed_lock(&self, shares: &[(u32, f64)], before: &[(u32, f64)]) -> Option<String> {
        let of = |list: &[(u32, f64)], key: u32| list.iter().find(|(known, _)| *known == key).map_or(0.0, |(_, w)| *w);
        let changed = self.locked.iter().find(|key| (of(shares, **key) - of(before, **key)).abs() > SAME)?;
        let column = self.joints.iter().position(|joint| joint == changed)?;
        let (was, is) = (of(before, *changed), of(shares, *changed));
        Some(format!("joint {column} ({}) is locked: its weight is {was}, and would be {is}", self.names[column]))
    }
}

/// Returns whether two lists give the same joints the same weights in single precision, in any order.
fn is_same(a: &[(u32, f64)], b: &[(u32, f64)]) -> bool {
    let has = |(key, weight): &(u32, f64)| b.iter().any(|(other, w)| other == key && *w as f32 == *weight as f32);
    a.len() == b.len() && a.iter().all(has)
}
