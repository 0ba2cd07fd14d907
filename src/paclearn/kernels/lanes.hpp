// As many numbers at a time as fit one register of the instruction set at hand.
//
// The compiler's own vector type does the arithmetic, so a score is written once, as a formula, and works for lanes
// and for single doubles alike. Nothing here may use the standard library's templates: files that include it are
// compiled for processors that may not be the one that runs.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define PACLEARN_INLINE [[maybe_unused]] inline __attribute__((always_inline))

namespace paclearn {
namespace {  // every object file its own: none may offer code for its processor to the others

constexpr std::size_t kMostLanes = 16;  // of any instruction set: what rows of numbers are padded for
#if defined(__AVX512F__)
constexpr std::size_t kLanes = 16;
#elif defined(__AVX2__)
constexpr std::size_t kLanes = 8;
#else
constexpr std::size_t kLanes = 4;
#endif
constexpr std::size_t kLaneBytes = 4 * kLanes;
typedef float Lanes __attribute__((vector_size(kLaneBytes), aligned(4), may_alias));
typedef std::int32_t LaneMask __attribute__((vector_size(kLaneBytes), aligned(4), may_alias));
typedef std::uint32_t LaneCounts __attribute__((vector_size(kLaneBytes), aligned(4), may_alias));

PACLEARN_INLINE Lanes all(float value) { return Lanes{} + value; }
PACLEARN_INLINE Lanes load(const float* p) { return *reinterpret_cast<const Lanes*>(p); }
PACLEARN_INLINE void store(float* p, Lanes x) { *reinterpret_cast<Lanes*>(p) = x; }
PACLEARN_INLINE LaneCounts load_integers(const std::uint32_t* p) { return *reinterpret_cast<const LaneCounts*>(p); }
PACLEARN_INLINE Lanes as_floats(LaneCounts counts) {
    // counts stay below 2^31, and signed conversion is one instruction everywhere
    return __builtin_convertvector((LaneMask)counts, Lanes);
}

PACLEARN_INLINE Lanes magnitude(Lanes x) { return (Lanes)((LaneMask)x & (LaneMask{} + 0x7fffffff)); }
PACLEARN_INLINE double magnitude(double x) { return x < 0 ? -x : x; }

// x where the number is zero, y elsewhere
PACLEARN_INLINE Lanes where_zero(Lanes number, Lanes x, Lanes y) { return number == 0.0f ? x : y; }
PACLEARN_INLINE double where_zero(double number, double x, double y) { return number == 0 ? x : y; }

PACLEARN_INLINE Lanes smaller(Lanes x, Lanes y) { return x < y ? x : y; }
PACLEARN_INLINE double smaller(double x, double y) { return x < y ? x : y; }
PACLEARN_INLINE Lanes larger(Lanes x, Lanes y) { return x > y ? x : y; }
PACLEARN_INLINE double larger(double x, double y) { return x > y ? x : y; }

// 1/x for x >= 1. Lanes decide only whether a subset is looked at again, so twenty-some good bits are plenty.
PACLEARN_INLINE double inverse(double x) { return 1 / x; }
PACLEARN_INLINE Lanes inverse(Lanes x) {
#if defined(__AVX512F__)
    const Lanes guess = (Lanes)_mm512_rcp14_ps((__m512)x);
    return guess * (2.0f - x * guess);
#else
    return 1.0f / x;
#endif
}

PACLEARN_INLINE bool any_reaches(Lanes x, float least) {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(least), _CMP_GE_OQ) != 0;
#else
    typedef long long Halves __attribute__((vector_size(kLaneBytes)));
    const Halves reaches = (Halves)(x >= least);
    long long any = 0;
    for (std::size_t i = 0; i < kLanes / 2; ++i) any |= reaches[i];
    return any != 0;
#endif
}

}  // namespace
}  // namespace paclearn
