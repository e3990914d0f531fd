//! The sums from which the measures of a surface are computed, over all of its primitives.

use skinscope_deform::{Deformed, NORMAL_MODES};
use skinscope_model::{Model, NodeId};

use super::normals::NormalReading;
use super::read::PrimitiveReading;
use super::topology::NONE;
use super::{MeasuredPart, NormalModeMeasures, PartVolume, PrimitiveMeasures, Rest, SurfaceMeasures, table};
use crate::VertexRef;

/// Sums over primitives.
#[derive(Debug, Default)]
pub(super) struct Total {
    out: SurfaceMeasures,
    /// The number of edges and the sum of their ratios.
    edges: (usize, f64),
    /// The area as posed and at rest, square metres.
    area: [f64; 2],
    /// The volume as posed and at rest, cubic metres.
    volume: [f64; 2],
    /// For each joint: the volume of its region as posed and at rest, and a vertex of the region.
    regions: Vec<(NodeId, [f64; 2], VertexRef)>,
    normals: Option<(f64, f64, usize)>,
    /// The sums of errors and their number, by mode.
    modes: Vec<(f64, usize)>,
}

fn vertex_of(part: &MeasuredPart, vertex: u32) -> VertexRef {
    let (primitive, vertex) = part.source.stored(vertex);
    VertexRef { instance: part.instance, primitive, vertex: vertex as usize }
}

impl Total {
    /// Adds a primitive; the readings of its normals are those of what is shown, and of each mode.
    pub fn add(
        &mut self,
        model: &Model,
        part: &MeasuredPart,
        rest: &Rest,
        reading: PrimitiveReading,
        (normals, modes): (Option<NormalReading>, &[NormalReading]),
    ) {
        let out = &mut self.out;
        let is_first = out.primitives.is_empty();
        let mut keep = |slot: usize, is_worse: bool, at: Option<u32>| {
            if let Some(at) = at.filter(|_| is_worse || out.at[slot].is_none()) {
                out.at[slot] = Some(vertex_of(part, at));
            }
        };
        keep(0, reading.stretch[0] < out.stretch[0], reading.at_stretch[0]);
        keep(1, reading.stretch[1] > out.stretch[1], reading.at_stretch[1]);
        keep(2, reading.triangle[0] < out.triangle[0], reading.at_triangle[0]);
        keep(3, reading.triangle[1] > out.triangle[1], reading.at_triangle[1]);
        keep(4, false, reading.at_inverted);
        keep(5, reading.sharpest.to_degrees() > out.sharpest, reading.at_fold);
        if let Some(normals) = &normals {
            let before = self.normals.unwrap_or_default();
            keep(6, f64::from(normals.worst.0) > before.0, Some(normals.worst.1));
            let worst = before.0.max(normals.worst.0.into());
            self.normals = Some((worst, before.1 + normals.sum, before.2 + normals.count));
        }
        let join = |out: &mut [f32; 2], of: [f32; 2], measured: bool| match (measured, is_first) {
            (true, true) => *out = of,
            (true, false) => *out = [out[0].min(of[0]), out[1].max(of[1])],
            (false, true) => *out = [1.0; 2],
            (false, false) => {}
        };
        join(&mut out.stretch, reading.stretch, reading.edges > 0);
        join(&mut out.triangle, reading.triangle, reading.at_triangle[0].is_some());
        out.inverted += reading.inverted;
        out.folds += reading.folds;
        out.sharpest = out.sharpest.max(reading.sharpest.to_degrees());
        self.edges = (self.edges.0 + reading.edges, self.edges.1 + reading.stretch_sum);
        if let Some(area) = reading.area {
            self.area = [self.area[0] + area, self.area[1] + rest.sizes.area];
        }
        self.add_modes(part, modes);
        let parts = self.add_volumes(model, part, rest, &reading);
        self.out.primitives.push(PrimitiveMeasures {
            instance: part.instance,
            primitive: part.source.lists[0],
            stretch: reading.stretch,
            stretch_mean: mean(reading.stretch_sum, reading.edges),
            triangle: reading.triangle,
            area: reading.area.and_then(|area| ratio([area, rest.sizes.area])).unwrap_or(1.0),
            inverted: reading.inverted,
            folds: reading.folds,
            sharpest: reading.sharpest.to_degrees(),
            parts,
            normal_error: normals.map(|n| [n.worst.0.into(), n.sum / n.count.max(1) as f64]),
        });
    }

    /// Adds the readings of a primitive's normals in each mode.
    fn add_modes(&mut self, part: &MeasuredPart, modes: &[NormalReading]) {
        for (i, (mode, reading)) in NORMAL_MODES.iter().zip(modes).enumerate() {
            if self.out.normal_modes.len() <= i {
                let none = NormalModeMeasures { mode: mode.id, worst: 0.0, at: None, mean: 0.0, zero: 0 };
                self.out.normal_modes.push(none);
                self.modes.push((0.0, 0));
            }
            let (of, sums) = (&mut self.out.normal_modes[i], &mut self.modes[i]);
            if f64::from(reading.worst.0) > of.worst {
                (of.worst, of.at) = (reading.worst.0.into(), Some(vertex_of(part, reading.worst.1)));
            }
            *sums = (sums.0 + reading.sum, sums.1 + reading.count);
            of.mean = sums.0 / sums.1.max(1) as f64;
            of.zero += reading.zero;
        }
    }

    /// Adds the volumes of a primitive's closed parts, which it returns, and those of the regions of its joints.
    fn add_volumes(
        &mut self,
        model: &Model,
        part: &MeasuredPart,
        rest: &Rest,
        reading: &PrimitiveReading,
    ) -> Vec<PartVolume> {
        let topology = &part.topology;
        let volumes = topology.parts.iter().zip(&rest.sizes.part_volumes).zip(&reading.part_volumes);
        let first = |number: usize| topology.pieces.partition_point(|piece| (piece.part as usize) < number) as u32;
        let corner = |number| topology.welded_corners[topology.piece_of.partition_point(|of| *of < first(number))][0];
        let parts: Vec<PartVolume> = volumes
            .enumerate()
            .map(|(number, ((of, rest), posed))| PartVolume {
                primitive: part.source.stored(corner(number)).0,
                triangles: of.triangles,
                closed: of.closed,
                rest: *rest,
                posed: *posed,
            })
            .collect();
        for (posed, at_rest) in parts.iter().filter_map(|part| Some((part.posed, part.rest?))) {
            // A part that is stored inside out counts like any other.
            self.volume[0] += posed * at_rest.signum();
            self.volume[1] += at_rest.abs();
        }
        let skin = &model.skins[part.skin.index()].joints;
        let pieces = topology.pieces.iter().zip(&rest.sizes.piece_volumes).zip(&reading.piece_volumes);
        for (i, ((piece, at_rest), posed)) in (0_u32..).zip(pieces) {
            let (Some(at_rest), false) = (at_rest, piece.joint == NONE) else { continue };
            let Some(joint) = skin.get(piece.joint as usize) else { continue };
            let volumes = [posed * at_rest.signum(), at_rest.abs()];
            match self.regions.iter_mut().find(|(of, ..)| of == joint) {
                Some((_, sums, _)) => *sums = [sums[0] + volumes[0], sums[1] + volumes[1]],
                None => {
                    let first = topology.piece_of.partition_point(|of| *of < i);
                    let after = topology.piece_of.partition_point(|of| *of <= i);
                    // The triangle in the middle of its list is more likely in the middle of the region than the first.
                    let middle = topology.welded_corners[(first + after) / 2][0];
                    self.regions.push((*joint, volumes, vertex_of(part, middle)));
                }
            }
        }
        parts
    }

    /// Counts the vertices whose blended normal has length zero: those without a normal, and those that have one of the triangles in its
    /// place.
    pub(crate) fn add_zero_normals(&mut self, part: &MeasuredPart, deformed: &Deformed) {
        let used = &part.topology.used;
        for vertex in (0..deformed.normals.len()).filter(|vertex| deformed.is_normal_lost(*vertex)) {
            if used.get(vertex) == Some(&true) {
                self.out.zero_normals += 1;
                self.out.at[8].get_or_insert(vertex_of(part, vertex as u32));
            }
        }
    }

    /// Returns the measures of all that was added.
    pub(crate) fn finished(mut self) -> SurfaceMeasures {
        if self.out.primitives.is_empty() {
            (self.out.stretch, self.out.triangle) = ([1.0; 2], [1.0; 2]);
        }
        self.regions.sort_unstable_by_key(|(joint, ..)| *joint);
        let ratios = self.regions.iter().filter_map(|(joint, sums, at)| Some((*joint, ratio(*sums)?, *at)));
        let ratios: Vec<(NodeId, f64, VertexRef)> = ratios.collect();
        let regions: Vec<(NodeId, f64)> = ratios.iter().map(|(joint, ratio, _)| (*joint, *ratio)).collect();
        let worst = table::worst_region(&regions);
        self.out.at[7] = worst.and_then(|(worst, _)| ratios.iter().find(|(joint, ..)| *joint == worst)).map(|r| r.2);
        SurfaceMeasures {
            stretch_mean: mean(self.edges.1, self.edges.0),
            area: ratio(self.area).unwrap_or(1.0),
            volume: ratio(self.volume),
            regions,
            normal_error: self.normals.map(|(worst, sum, count)| [worst, sum / count.max(1) as f64]),
            ..self.out
        }
    }
}

/// Returns the mean of ratios; 1 where there are none.
fn mean(sum: f64, count: usize) -> f64 {
    if count > 0 { sum / count as f64 } else { 1.0 }
}

fn ratio([posed, rest]: [f64; 2]) -> Option<f64> {
    (rest > 0.0).then(|| posed / rest)
}
