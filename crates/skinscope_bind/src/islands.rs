//! The pieces of a surface that no edge joins.

use skinscope_base::math::DisjointSets;

use crate::shape::Shape;

/// The pieces, largest area first. Places that no triangle has belong to none.
pub(crate) struct Islands {
    /// For each place its piece; [`NONE`] for places of no triangle.
    pub of: Vec<u32>,
    /// The places of each piece, rising.
    pub places: Vec<Vec<u32>>,
}

/// Stands for no piece.
pub const NONE: u32 = u32::MAX;

impl Islands {
    /// Finds the pieces of a shape.
    pub fn of(shape: &Shape) -> Self {
        let count = shape.points.len() as u32;
        let mut sets = DisjointSets::new(shape.points.len());
        for [a, b, c] in &shape.triangles {
            sets.join(*a, *b);
            sets.join(*b, *c);
        }
        let (group_of, groups) = sets.numbered();
        let mut places: Vec<Vec<u32>> = vec![Vec::new(); groups];
        let used = (0..count).filter(|place| shape.is_of_surface(*place));
        used.for_each(|place| places[group_of[place as usize] as usize].push(place));
        places.retain(|piece| !piece.is_empty());
        let area = |piece: &Vec<u32>| piece.iter().map(|place| shape.areas[*place as usize]).sum::<f64>();
        places.sort_by(|a, b| area(b).total_cmp(&area(a)).then(a[0].cmp(&b[0])));
        let mut of = vec![NONE; shape.points.len()];
        for (number, piece) in (0..).zip(&places) {
            piece.iter().for_each(|place| of[*place as usize] = number);
        }
        Self { of, places }
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }
}
