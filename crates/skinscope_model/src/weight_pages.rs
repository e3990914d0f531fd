//! Other weights for all vertices of a primitive at once, page by page on all cores, without lists of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::weight_edits::{EditedInfluences, PAGE, Page, PageBits, is_same_row};
use super::{BuildError, InfluencesRef, Model, PrimitiveId};

/// The bit of a float that says whether it is negative.
const SIGN: u32 = 1 << 31;

/// The edited weights of a primitive while they change. Pages that no other model has are changed where they are.
#[derive(Debug)]
pub struct WeightPages {
    at: PrimitiveId,
    pages: Vec<Option<Arc<Page>>>,
    /// So many joints every skin that shows the primitive has.
    joints: usize,
    /// Whether a row had a weight that is not finite, or a joint beyond the skin.
    is_refused: AtomicBool,
}

/// Some pages of a primitive that follow one another, each with the weights of 16 vertices.
#[derive(Debug)]
pub struct PagePiece<'a> {
    rules: Rules<'a>,
    first: usize,
    pages: &'a mut [Option<Arc<Page>>],
}

/// What holds for the rows of all pages.
#[derive(Clone, Copy, Debug)]
struct Rules<'a> {
    stored: InfluencesRef<'a>,
    joints: usize,
    is_refused: &'a AtomicBool,
}

impl Model {
    /// Takes the edited weights of a primitive out of the model, so that they are changed and put back ([`Model::put_pages`]). `None` where rows
    /// have to be changed one by one ([`Model::with_weights`]): vertices were split off for tangents, the file has weights that cannot be used,
    /// or a vertex has room for another number of pairs than `per_vertex`.
    pub fn take_pages(&mut self, at: PrimitiveId, per_vertex: usize) -> Option<WeightPages> {
        let primitive = self.meshes.get(at.mesh.index())?.primitives.get(at.primitive)?;
        let stored = primitive.as_stored().influences?;
        let is_plain =
            primitive.split_from.is_empty() && stored.not_finite.is_empty() && stored.out_of_range.is_empty();
        if !is_plain || per_vertex == 0 || stored.per_vertex != per_vertex {
            return None;
        }
        let count = stored.vertices().div_ceil(PAGE);
        let joints = self.fewest_joints(at.mesh);
        let edits = self.edits_mut();
        let pages = match edits.get(&at) {
            Some(edited) if edited.per_vertex != per_vertex => return None,
            _ => match edits.remove(&at).map(Arc::try_unwrap) {
                Some(Ok(own)) => own.pages,
                Some(Err(shared)) => shared.pages.clone(),
                None => vec![None; count],
            },
        };
        Some(WeightPages { at, pages, joints, is_refused: AtomicBool::new(false) })
    }

    /// Cuts the pages of a primitive into pieces of so many pages, which may be changed at once.
    pub fn pieces_of<'a>(&'a self, pages: &'a mut WeightPages, size: usize) -> Vec<PagePiece<'a>> {
        let WeightPages { at, pages, joints, is_refused } = pages;
        let primitive = &self.meshes[at.mesh.index()].primitives[at.primitive];
        let Some(stored) = primitive.as_stored().influences else { return Vec::new() };
        let (rules, size) = (Rules { stored, joints: *joints, is_refused }, size.max(1));
        let pieces = pages.chunks_mut(size).enumerate();
        pieces.map(|(i, pages)| PagePiece { rules, first: i * size, pages }).collect()
    }

    /// Puts the edited weights of a primitive back.
    ///
    /// # Errors
    /// A weight that a vertex was given is not finite, or the skin does not have a joint. Such rows have those of the file.
    pub fn put_pages(&mut self, pages: WeightPages) -> Result<(), BuildError> {
        let WeightPages { at, pages, is_refused, .. } = pages;
        let stored = self.meshes[at.mesh.index()].primitives[at.primitive].as_stored().influences;
        if let Some(stored) = stored.filter(|_| pages.iter().any(Option::is_some)) {
            let (not_finite, out_of_range) = (Vec::new(), Vec::new());
            let edited = EditedInfluences { per_vertex: stored.per_vertex, pages, not_finite, out_of_range };
            self.edits_mut().insert(at, Arc::new(edited));
        }
        if is_refused.into_inner() {
            let location = format!("mesh {}, primitive {}", self.file_mesh(at.mesh).0, at.primitive);
            let what = "a change of weights holds numbers that are not finite, or names a joint beyond the skin";
            return Err(BuildError { location, what: what.to_owned() });
        }
        Ok(())
    }
}

impl PagePiece<'_> {
    /// Gives some vertices of a page other pairs; `page` is its number among those of the piece, and `changed` has a bit for each of its vertices.
    /// A function changes the joints and weights of those vertices: it gets those that all vertices of the page have.
    pub fn change(&mut self, page: usize, changed: u16, fill: &mut impl FnMut(&mut [u16], &mut [f32])) {
        let base = (self.first + page) * PAGE;
        let rules = self.rules;
        if let Some(own) = self.pages[page].as_mut().and_then(Arc::get_mut) {
            own.edited = rules.change(own, base, changed, fill);
        } else {
            let mut new = match self.pages[page].as_deref() {
                Some(shared) => shared.clone(),
                None => {
                    let vertices = base..(base + PAGE).min(rules.stored.vertices());
                    Page::of(rules.stored.stored_rows(vertices), rules.stored.per_vertex, 0)
                }
            };
            new.edited = rules.change(&mut new, base, changed, fill);
            self.pages[page] = Some(Arc::new(new));
        }
        if self.pages[page].as_ref().is_some_and(|page| page.edited == 0) {
            self.pages[page] = None;
        }
    }
}

impl Rules<'_> {
    /// Changes rows of a page, and returns which of its rows are edited then.
    #[inline]
    fn change(
        &self,
        page: &mut Page,
        base: usize,
        changed: PageBits,
        fill: &mut impl FnMut(&mut [u16], &mut [f32]),
    ) -> PageBits {
        let (edited, per_vertex) = (page.edited, page.per_vertex);
        let (joints, weights) = page.rows_mut();
        let joints = &mut joints[..weights.len()];
        fill(joints, weights);
        let stored = self.stored.stored_rows(base..base + weights.len() / per_vertex);
        // The loops are written so that the compiler uses wide instructions.
        let largest = weights.iter().fold(0, |most, weight| most.max(weight.to_bits() & !SIGN));
        let highest = joints.iter().fold(0, |most, joint| most.max(*joint));
        if !f32::from_bits(largest).is_finite() || usize::from(highest) >= self.joints {
            self.refuse((joints, weights), stored, per_vertex);
        }
        match per_vertex {
            4 => edited_rows::<4>((joints, weights), stored, changed, edited),
            _ => edited_rows_of((joints, weights), stored, (changed, per_vertex), edited),
        }
    }

    /// Gives rows that cannot be used the weights of the file.
    #[cold]
    fn refuse(&self, (joints, weights): (&mut [u16], &mut [f32]), stored: (&[u16], &[f32]), per_vertex: usize) {
        let rows = joints.chunks_exact_mut(per_vertex).zip(weights.chunks_exact_mut(per_vertex));
        let stored = stored.0.chunks_exact(per_vertex).zip(stored.1.chunks_exact(per_vertex));
        for ((joints, weights), (stored_joints, stored_weights)) in rows.zip(stored) {
            let is_known = |joint: &u16| usize::from(*joint) < self.joints;
            if !(weights.iter().all(|weight| weight.is_finite()) && joints.iter().all(is_known)) {
                self.is_refused.store(true, Ordering::Relaxed);
                joints.copy_from_slice(stored_joints);
                weights.copy_from_slice(stored_weights);
            }
        }
    }
}

/// Returns which rows of a page are edited: of those that have changed, those that differ from the file; the others as before.
#[inline]
fn edited_rows<const N: usize>(
    (joints, weights): (&[u16], &[f32]),
    stored: (&[u16], &[f32]),
    changed: PageBits,
    edited: PageBits,
) -> PageBits {
    let rows = joints.as_chunks::<N>().0.iter().zip(weights.as_chunks::<N>().0);
    let stored = stored.0.as_chunks::<N>().0.iter().zip(stored.1.as_chunks::<N>().0);
    let differ = rows.zip(stored).enumerate().fold(0, |bits, (vertex, ((joints, weights), (of_file, stored)))| {
        // Most vertices that change have other weights than in the file, so that their joints need not be looked up.
        let is_stored = weights.map(f32::to_bits) == stored.map(f32::to_bits) && joints == of_file;
        bits | PageBits::from(!is_stored) << vertex
    });
    edited & !changed | differ & changed
}

/// Does the same for rows of any number of pairs.
fn edited_rows_of(
    (joints, weights): (&[u16], &[f32]),
    stored: (&[u16], &[f32]),
    (changed, per_vertex): (PageBits, usize),
    edited: PageBits,
) -> PageBits {
    let rows = joints.chunks_exact(per_vertex).zip(weights.chunks_exact(per_vertex));
    let stored = stored.0.chunks_exact(per_vertex).zip(stored.1.chunks_exact(per_vertex));
    let differ = rows
        .zip(stored)
        .enumerate()
        .fold(0, |bits, (vertex, (row, stored))| bits | PageBits::from(!is_same_row(row, stored)) << vertex);
    edited & !changed | differ & changed
}
