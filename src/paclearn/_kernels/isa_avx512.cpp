// x86-64 with AVX-512 and vpopcntdq: the bits of eight words are counted by one instruction.
#include "isa_common.hpp"
#include "squeeze_bmi2.hpp"

namespace paclearn {
namespace {

constexpr std::size_t kVectorWords = 8;
constexpr std::size_t kSums = kTile * kTile;

// The operand stays in a register: gcc would otherwise fold the load into each of its four uses and wait for all.
inline __m512i load_pinned(const Word* p) {
    __m512i x = _mm512_load_si512(p);
    asm("" : "+v"(x));
    return x;
}

inline void add_shared(__m512i& sum, __m512i a, __m512i b) {
    sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_and_si512(a, b)));
}

// Sixteen vectors of eight partial sums -> sixteen sums, in order. Each step adds half of one vector to half of
// another, so fifteen additions do what would otherwise take sixteen horizontal ones.
inline __m512i sixteen_sums(const __m512i* sums) {
    __m512i eight[8], four[4], two[2];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i)  // sums stay below 2^32: two share a 64-bit lane, i low and i + 8 high
        eight[i] = _mm512_or_si512(sums[i], _mm512_slli_epi64(sums[i + 8], 32));
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i)
        four[i] = _mm512_add_epi64(_mm512_unpacklo_epi64(eight[2 * i], eight[2 * i + 1]),
                                   _mm512_unpackhi_epi64(eight[2 * i], eight[2 * i + 1]));
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i)
        two[i] = _mm512_add_epi64(_mm512_shuffle_i64x2(four[2 * i], four[2 * i + 1], 0x88),
                                  _mm512_shuffle_i64x2(four[2 * i], four[2 * i + 1], 0xdd));
    const __m512i one = _mm512_add_epi64(_mm512_shuffle_i64x2(two[0], two[1], 0x88),
                                         _mm512_shuffle_i64x2(two[0], two[1], 0xdd));
    const __m512i low_then_high = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    return _mm512_permutexvar_epi32(low_then_high, one);
}

}  // namespace

// Sixteen sums, four operands b and one a: 21 of the 32 registers. Its own symbol, so that a test can read the loop.
extern "C" __attribute__((noinline)) void paclearn_tile_avx512(const Word* const* a, const Word* const* b, std::size_t n,
                                                               std::uint32_t* out) {
    __m512i sums[kSums];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kSums; ++i) sums[i] = _mm512_setzero_si512();
    const Word *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
    const Word *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
    for (std::size_t w = 0; w < n; w += kVectorWords) {
        const __m512i x0 = load_pinned(b0 + w), x1 = load_pinned(b1 + w);
        const __m512i x2 = load_pinned(b2 + w), x3 = load_pinned(b3 + w);
        const Word* const row[kTile] = {a0 + w, a1 + w, a2 + w, a3 + w};
#pragma GCC unroll 4
        for (std::size_t i = 0; i < kTile; ++i) {
            const __m512i y = load_pinned(row[i]);
            add_shared(sums[4 * i + 0], y, x0);
            add_shared(sums[4 * i + 1], y, x1);
            add_shared(sums[4 * i + 2], y, x2);
            add_shared(sums[4 * i + 3], y, x3);
        }
    }
    _mm512_storeu_si512(out, sixteen_sums(sums));
}

namespace {

struct WideTile {
    static void count(const Word* const* a, const Word* const* b, std::size_t n, std::uint32_t* out) {
        paclearn_tile_avx512(a, b, n, out);
    }
};

}  // namespace

const InstructionSet avx512_set{"avx512", true, count_pairs_with<WideTile>, squeeze, score_row, popcount_of_and};

}  // namespace paclearn
