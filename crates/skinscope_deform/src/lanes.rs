//! Eight numbers at once, one for each of eight vertices: as two registers of four numbers on every processor, or as
//! one register where there is AVX2. Both do the same operations in the same order, so that the results are the same to
//! the bit.
//!
//! What is written for [`Lanes`] must be inlined into a function that may use the instructions, without closures that take or return
//! lanes: the compiler does not inline those, and each operation becomes a call.

use std::ops::{Add, Div, Mul, Neg, Sub};

use glam::{Mat4, Vec3A, Vec4};

/// How many vertices are worked on at once.
pub(super) const LANES: usize = 8;

/// A number for each of eight vertices.
pub(super) trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Whether something holds for each of the vertices.
    type Mask: Copy;

    /// Returns the same number for each.
    fn splat(v: f32) -> Self;
    fn load(from: &[f32; LANES]) -> Self;
    fn store(self, to: &mut [f32; LANES]);
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn less(self, than: Self) -> Self::Mask;
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn any(mask: Self::Mask) -> bool;
    /// Returns `yes` where the mask holds, and `no` where it does not.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Returns the x, y and z of eight of `positions`.
    fn gather(from: &[u32; LANES], positions: &[Vec3A]) -> [Self; 3];
    /// Returns the vectors that [`Lanes::gather`] would take apart.
    fn scatter(lanes: [Self; 3]) -> [Vec3A; LANES];
}

/// Two registers of four numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Halves([Vec4; 2]);

macro_rules! operator {
    ($trait:ident, $function:ident, $operator:tt) => {
        impl $trait for Halves {
            type Output = Self;

            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                let ([a, b], [c, d]) = (self.0, other.0);
                Self([a $operator c, b $operator d])
            }
        }
    };
}

operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

impl Neg for Halves {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self([-self.0[0], -self.0[1]])
    }
}

impl Lanes for Halves {
    type Mask = [glam::BVec4A; 2];

    #[inline(always)]
    fn splat(v: f32) -> Self {
        Self([Vec4::splat(v); 2])
    }

    #[inline(always)]
    fn load(from: &[f32; LANES]) -> Self {
        let [a, b, c, d, e, f, g, h] = *from;
        Self([Vec4::new(a, b, c, d), Vec4::new(e, f, g, h)])
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        let ([a, b, c, d], [e, f, g, h]) = (self.0[0].to_array(), self.0[1].to_array());
        *to = [a, b, c, d, e, f, g, h];
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self([self.0[0].abs(), self.0[1].abs()])
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = |v: Vec4| Vec4::new(v.x.sqrt(), v.y.sqrt(), v.z.sqrt(), v.w.sqrt());
        Self([root(self.0[0]), root(self.0[1])])
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self([self.0[0].min(other.0[0]), self.0[1].min(other.0[1])])
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self([self.0[0].max(other.0[0]), self.0[1].max(other.0[1])])
    }

    #[inline(always)]
    fn less(self, than: Self) -> Self::Mask {
        [self.0[0].cmplt(than.0[0]), self.0[1].cmplt(than.0[1])]
    }

    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        [a[0] & b[0], a[1] & b[1]]
    }

    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        mask[0].any() || mask[1].any()
    }

    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self([Vec4::select(mask[0], yes.0[0], no.0[0]), Vec4::select(mask[1], yes.0[1], no.0[1])])
    }

    #[inline(always)]
    fn gather(from: &[u32; LANES], positions: &[Vec3A]) -> [Self; 3] {
        let at = |lane: usize| positions[from[lane] as usize].extend(0.0);
        let a = Mat4::from_cols(at(0), at(1), at(2), at(3)).transpose();
        let b = Mat4::from_cols(at(4), at(5), at(6), at(7)).transpose();
        [Self([a.x_axis, b.x_axis]), Self([a.y_axis, b.y_axis]), Self([a.z_axis, b.z_axis])]
    }

    #[inline(always)]
    fn scatter([x, y, z]: [Self; 3]) -> [Vec3A; LANES] {
        let half = |i: usize| Mat4::from_cols(x.0[i], y.0[i], z.0[i], Vec4::ZERO).transpose();
        let (a, b) = (half(0), half(1));
        [a.x_axis, a.y_axis, a.z_axis, a.w_axis, b.x_axis, b.y_axis, b.z_axis, b.w_axis].map(Vec3A::from_vec4)
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use self::avx2::Whole;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;
    use std::ops::{Add, Div, Mul, Neg, Sub};

    use glam::{Vec3A, Vec4};

    use super::{LANES, Lanes};

    /// One register of eight numbers. It is used in functions alone that have the feature `avx2`.
    #[derive(Clone, Copy, Debug)]
    pub(in super::super) struct Whole(__m256);

    macro_rules! operator {
        ($trait:ident, $function:ident, $instruction:ident) => {
            impl $trait for Whole {
                type Output = Self;

                #[inline(always)]
                #[expect(unsafe_code, reason = "that the processor has the instructions is known only now")]
                fn $function(self, other: Self) -> Self {
                    // SAFETY: who uses this type has found AVX2.
                    Self(unsafe { $instruction(self.0, other.0) })
                }
            }
        };
    }

    operator!(Add, add, _mm256_add_ps);
    operator!(Sub, sub, _mm256_sub_ps);
    operator!(Mul, mul, _mm256_mul_ps);
    operator!(Div, div, _mm256_div_ps);

    impl Neg for Whole {
        type Output = Self;

        #[inline(always)]
        #[expect(unsafe_code, reason = "that the processor has the instructions is known only now")]
        fn neg(self) -> Self {
            // SAFETY: who uses this type has found AVX2.
            Self(unsafe { _mm256_xor_ps(self.0, _mm256_set1_ps(-0.0)) })
        }
    }

    #[expect(unsafe_code, reason = "that the processor has the instructions is known only now")]
    // SAFETY, of each block: who uses this type has found AVX2.
    impl Lanes for Whole {
        type Mask = __m256;

        #[inline(always)]
        fn splat(v: f32) -> Self {
            Self(unsafe { _mm256_set1_ps(v) })
        }

        #[inline(always)]
        fn load(from: &[f32; LANES]) -> Self {
            // SAFETY: the list has eight numbers.
            Self(unsafe { _mm256_loadu_ps(from.as_ptr()) })
        }

        #[inline(always)]
        fn store(self, to: &mut [f32; LANES]) {
            // SAFETY: the list has eight numbers.
            unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) };
        }

        #[inline(always)]
        fn abs(self) -> Self {
            Self(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(unsafe { _mm256_sqrt_ps(self.0) })
        }

        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Self(unsafe { _mm256_min_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Self(unsafe { _mm256_max_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn less(self, than: Self) -> Self::Mask {
            unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, than.0) }
        }

        #[inline(always)]
        fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
            unsafe { _mm256_and_ps(a, b) }
        }

        #[inline(always)]
        fn any(mask: Self::Mask) -> bool {
            unsafe { _mm256_movemask_ps(mask) != 0 }
        }

        #[inline(always)]
        fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
            Self(unsafe { _mm256_blendv_ps(no.0, yes.0, mask) })
        }

        #[inline(always)]
        fn gather(from: &[u32; LANES], positions: &[Vec3A]) -> [Self; 3] {
            let at = |lane: usize| __m128::from(positions[from[lane] as usize]);
            unsafe {
                // Vectors 0 to 3 in the lower halves, 4 to 7 in the upper ones.
                let (a, b) = (_mm256_set_m128(at(4), at(0)), _mm256_set_m128(at(5), at(1)));
                let (c, d) = (_mm256_set_m128(at(6), at(2)), _mm256_set_m128(at(7), at(3)));
                let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
                let (ab2, cd2) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
                [
                    Self(_mm256_shuffle_ps::<0b01_00_01_00>(ab, cd)),
                    Self(_mm256_shuffle_ps::<0b11_10_11_10>(ab, cd)),
                    Self(_mm256_shuffle_ps::<0b01_00_01_00>(ab2, cd2)),
                ]
            }
        }

        #[inline(always)]
        fn scatter([x, y, z]: [Self; 3]) -> [Vec3A; LANES] {
            unsafe {
                let nothing = _mm256_setzero_ps();
                let (xy, zw) = (_mm256_unpacklo_ps(x.0, y.0), _mm256_unpacklo_ps(z.0, nothing));
                let (xy2, zw2) = (_mm256_unpackhi_ps(x.0, y.0), _mm256_unpackhi_ps(z.0, nothing));
                let a = _mm256_shuffle_ps::<0b01_00_01_00>(xy, zw);
                let b = _mm256_shuffle_ps::<0b11_10_11_10>(xy, zw);
                let c = _mm256_shuffle_ps::<0b01_00_01_00>(xy2, zw2);
                let d = _mm256_shuffle_ps::<0b11_10_11_10>(xy2, zw2);
                let (e, f) = (_mm256_extractf128_ps::<1>(a), _mm256_extractf128_ps::<1>(b));
                let (g, h) = (_mm256_extractf128_ps::<1>(c), _mm256_extractf128_ps::<1>(d));
                let (a, b) = (_mm256_castps256_ps128(a), _mm256_castps256_ps128(b));
                let (c, d) = (_mm256_castps256_ps128(c), _mm256_castps256_ps128(d));
                [
                    Vec3A::from_vec4(Vec4::from(a)),
                    Vec3A::from_vec4(Vec4::from(b)),
                    Vec3A::from_vec4(Vec4::from(c)),
                    Vec3A::from_vec4(Vec4::from(d)),
                    Vec3A::from_vec4(Vec4::from(e)),
                    Vec3A::from_vec4(Vec4::from(f)),
                    Vec3A::from_vec4(Vec4::from(g)),
                    Vec3A::from_vec4(Vec4::from(h)),
                ]
            }
        }
    }
}
