//! Linear blending of four influences with registers of sixteen numbers (AVX-512): a matrix is one register, a row in
//! each quarter, and four vertices share each product. The results are those of [`super::batch`] to the bit: the same
//! operations in the same order.
//!
//! It stays because of its speed. For a million vertices on one thread of an EPYC, the loop of [`super::batch`] takes
//! 2.5 to 3.4 times as long for positions alone, 1.9 to 2.5 times with normals and 2.5 to 2.8 times with determinants
//! too (the fastest of 30 rounds in turn, by two runs). Below 1.3 times it would be removed.
//!
//! A vertex must wait some hundred cycles for its normal, most of them for a square root and a division, and the
//! processor has room for only so many waiting instructions. So the lengths of a block of vertices are collected, and
//! all its normals are normalised at the end.

use std::arch::x86_64::*;

use glam::{Vec3, Vec4};

use super::{Batch, BatchOut};

/// The number of vertices of a block, whose lengths are collected.
pub(super) const BLOCK: usize = 128;

/// A palette that [`Wide::deform`] can read, with a cache line for each joint. It exists only where the processor has
/// AVX-512.
pub(super) struct Wide(Vec<Rows>);

impl Wide {
    /// Converts packed rows; `None` where the processor has no AVX-512.
    #[expect(unsafe_code, reason = "that the processor has the instructions is known only now")]
    pub(super) fn new(palette: &[Vec4]) -> Option<Self> {
        if !is_x86_feature_detected!("avx512f") {
            return None;
        }
        // SAFETY: the processor has AVX-512.
        Some(Self(unsafe { joints(palette) }))
    }

    /// Deforms [`BLOCK`] vertices without tangents. Returns false where a matrix is not finite; `out` then holds
    /// nothing useful.
    #[expect(unsafe_code, reason = "that the processor has the instructions is known only now")]
    pub(super) fn deform(
        &self,
        (joints, weights): (&[[u16; 4]; BLOCK], &[[f32; 4]; BLOCK]),
        batch: &Batch,
        out: &mut BatchOut,
    ) -> bool {
        // SAFETY: there is no `Wide` on a processor without AVX-512.
        unsafe { block(&self.0, (joints, weights), batch, out) }
    }
}

/// Four rows, one in each quarter (x, y, z and the fourth column): those of one matrix and an unused one, or one row of
/// each of four vertices.
type Rows = __m512;

#[target_feature(enable = "avx512f")]
fn joints(palette: &[Vec4]) -> Vec<Rows> {
    let joint = |[x, y, z]: &[Vec4; 3]| whole(bytemuck::cast([*x, *y]), bytemuck::cast([*z, Vec4::ZERO]));
    palette.as_chunks::<3>().0.iter().map(joint).collect()
}

#[target_feature(enable = "avx512f")]
fn block(
    palette: &[Rows],
    (joints, weights): (&[[u16; 4]; BLOCK], &[[f32; 4]; BLOCK]),
    batch: &Batch,
    out: &mut BatchOut,
) -> bool {
    let Some(from) = batch.positions.as_chunks::<BLOCK>().0.first() else { return false };
    let Some(to) = out.positions.as_chunks_mut::<BLOCK>().0.first_mut() else { return false };
    let (from, to) = (from.as_chunks::<4>().0, to.as_chunks_mut::<4>().0);
    let mut normals =
        batch.normals.as_chunks::<BLOCK>().0.first().zip(out.normals.as_chunks_mut::<BLOCK>().0.first_mut());
    let (joints, weights) = (joints.as_chunks::<4>().0, weights.as_chunks::<4>().0);
    let (mut squares, mut determinants) = ([[0.0_f32; 4]; BLOCK / 4], [[0.0_f32; 4]; BLOCK / 4]);
    let mut unknown = 0;
    for g in 0..BLOCK / 4 {
        let m = columns(palette, &joints[g], &weights[g]);
        let at = transformed(m, &from[g]);
        unknown |= _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(at, at);
        store(at, &mut to[g]);
        if let Some((from, to)) = &mut normals {
            let (cofactors, sides) = cofactors(m);
            let [x, y, z] = load(&from.as_chunks::<4>().0[g]);
            let [a, b, c] = cofactors;
            let carried = sum(sum(_mm512_mul_ps(a, x), _mm512_mul_ps(b, y)), _mm512_mul_ps(c, z));
            store(carried, &mut to.as_chunks_mut::<4>().0[g]);
            let [x, y, z] = quarters(_mm512_mul_ps(carried, carried));
            squares[g] = bytemuck::cast(_mm_add_ps(_mm_add_ps(x, y), z));
            determinants[g] = bytemuck::cast(sides);
        }
    }
    if unknown != 0 {
        return false;
    }
    let normals: &mut [f32] = bytemuck::cast_slice_mut(out.normals);
    let kept = squares.as_chunks::<4>().0.iter().zip(determinants.as_chunks::<4>().0);
    for ((squares, determinants), normals) in kept.zip(normals.as_chunks_mut::<48>().0) {
        unit(squares, determinants, normals);
    }
    for (to, determinants) in out.determinants.as_chunks_mut::<4>().0.iter_mut().zip(&determinants) {
        *to = *determinants;
    }
    true
}

/// The blended matrices of four vertices, column by column.
#[inline]
#[target_feature(enable = "avx512f")]
fn columns(palette: &[Rows], joints: &[[u16; 4]; 4], weights: &[[f32; 4]; 4]) -> [Rows; 4] {
    let a = blended(palette, &joints[0], &weights[0]);
    let b = blended(palette, &joints[1], &weights[1]);
    let c = blended(palette, &joints[2], &weights[2]);
    let d = blended(palette, &joints[3], &weights[3]);
    let (ab, cd) = (_mm512_unpacklo_ps(a, b), _mm512_unpacklo_ps(c, d));
    let (ab2, cd2) = (_mm512_unpackhi_ps(a, b), _mm512_unpackhi_ps(c, d));
    [
        _mm512_shuffle_ps::<0b01_00_01_00>(ab, cd),
        _mm512_shuffle_ps::<0b11_10_11_10>(ab, cd),
        _mm512_shuffle_ps::<0b01_00_01_00>(ab2, cd2),
        _mm512_shuffle_ps::<0b11_10_11_10>(ab2, cd2),
    ]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn blended(palette: &[Rows], joints: &[u16; 4], weights: &[f32; 4]) -> __m512 {
    let part = |i: usize| _mm512_mul_ps(palette[joints[i] as usize], _mm512_set1_ps(weights[i]));
    sum(sum(part(0), part(1)), sum(part(2), part(3)))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn whole(low: __m256, high: __m256) -> __m512 {
    let low = _mm512_castpd256_pd512(_mm256_castps_pd(low));
    _mm512_castpd_ps(_mm512_insertf64x4::<1>(low, _mm256_castps_pd(high)))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn sum(a: __m512, b: __m512) -> __m512 {
    _mm512_add_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn transformed([a, b, c, d]: [Rows; 4], v: &[Vec3; 4]) -> Rows {
    let [x, y, z] = load(v);
    sum(sum(_mm512_mul_ps(a, x), _mm512_mul_ps(b, y)), sum(_mm512_mul_ps(c, z), d))
}

/// Columns of the cofactor matrices, and the determinants.
#[inline]
#[target_feature(enable = "avx512f")]
fn cofactors([a, b, c, _]: [Rows; 4]) -> ([Rows; 3], __m128) {
    // Where there was row x row y, of y z, of z x; and again.
    let turned = |rows| _mm512_shuffle_f32x4::<0b11_00_10_01>(rows, rows);
    let (a1, b1, c1) = (turned(a), turned(b), turned(c));
    let (a2, b2, c2) = (turned(a1), turned(b1), turned(c1));
    let minor = |p, q, r, s| _mm512_sub_ps(_mm512_mul_ps(p, q), _mm512_mul_ps(r, s));
    let out = [minor(b1, c2, c1, b2), minor(c1, a2, a1, c2), minor(a1, b2, b1, a2)];
    let [x, y, z] = out;
    let sides = sum(sum(_mm512_mul_ps(a, x), _mm512_mul_ps(b, y)), _mm512_mul_ps(c, z));
    (out, _mm512_castps512_ps128(sides))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn quarters(v: Rows) -> [__m128; 3] {
    [_mm512_castps512_ps128(v), _mm512_extractf32x4_ps::<1>(v), _mm512_extractf32x4_ps::<2>(v)]
}

/// Sixteen normals: see `unit` in [`super::batch`].
#[inline]
#[target_feature(enable = "avx512f")]
fn unit(squares: &[[f32; 4]; 4], determinants: &[[f32; 4]; 4], normals: &mut [f32; 48]) {
    let all = |four: &[[f32; 4]; 4]| {
        let [low, high]: [__m256; 2] = bytemuck::cast(*four);
        whole(low, high)
    };
    let per_length = _mm512_div_ps(_mm512_set1_ps(1.0), _mm512_sqrt_ps(all(squares)));
    let zero = _mm512_setzero_ps();
    let known = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(per_length, _mm512_set1_ps(f32::INFINITY))
        & _mm512_cmp_ps_mask::<_CMP_GT_OQ>(per_length, zero);
    let mirrored = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(all(determinants), zero);
    let scale = _mm512_maskz_mov_ps(known, per_length);
    let scale = _mm512_mask_sub_ps(scale, mirrored, zero, scale);
    let thirds = [
        _mm512_setr_epi32(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5),
        _mm512_setr_epi32(5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10),
        _mm512_setr_epi32(10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15),
    ];
    for (numbers, of) in normals.as_chunks_mut::<16>().0.iter_mut().zip(thirds) {
        let [low, high]: [__m256; 2] = bytemuck::cast(*numbers);
        let scaled = _mm512_mul_ps(whole(low, high), _mm512_permutexvar_ps(of, scale));
        // A vector that is not finite has no direction either.
        let scaled = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_ORD_Q>(scaled, scaled), scaled);
        let halves =
            [_mm512_castps512_ps256(scaled), _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(scaled)))];
        *numbers = bytemuck::cast(halves);
    }
}

/// Loads x, y and z of four vectors, each repeated in all quarters.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(four: &[Vec3; 4]) -> [__m512; 3] {
    let [a, b, c]: [__m128; 3] = bytemuck::cast(*four);
    let low = _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(a), b);
    let all = whole(low, _mm256_castps128_ps256(c));
    [
        _mm512_permutexvar_ps(_mm512_setr_epi32(0, 3, 6, 9, 0, 3, 6, 9, 0, 3, 6, 9, 0, 3, 6, 9), all),
        _mm512_permutexvar_ps(_mm512_setr_epi32(1, 4, 7, 10, 1, 4, 7, 10, 1, 4, 7, 10, 1, 4, 7, 10), all),
        _mm512_permutexvar_ps(_mm512_setr_epi32(2, 5, 8, 11, 2, 5, 8, 11, 2, 5, 8, 11, 2, 5, 8, 11), all),
    ]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(rows: Rows, out: &mut [Vec3; 4]) {
    let order = _mm512_setr_epi32(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, 0, 0, 0, 0);
    let all = _mm512_permutexvar_ps(order, rows);
    let low: [f32; 8] = bytemuck::cast(_mm512_castps512_ps256(all));
    let high: [f32; 4] = bytemuck::cast(_mm512_extractf32x4_ps::<2>(all));
    let (first, rest) = bytemuck::cast_slice_mut(out).split_at_mut(8);
    first.copy_from_slice(&low);
    rest.copy_from_slice(&high);
}
