// x86-64 with AVX-512 and vpopcntdq: the bits of eight words are counted by one instruction.
#include "isa_codes.hpp"
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

// Four vectors of eight partial sums -> in each quarter, four sums of a quarter of the parts. The parts of a chunk stay
// below 2^15, so they can be packed to sixteen bits and added in pairs: four instructions do
// what takes eleven with shifts and 64-bit additions.
inline __m512i quarter_sums(const __m512i* sums) {
    const __m512i low = _mm512_packus_epi32(sums[0], sums[1]);  // the odd words are zero
    const __m512i high = _mm512_packus_epi32(sums[2], sums[3]);
    return _mm512_madd_epi16(_mm512_packus_epi32(low, high), _mm512_set1_epi16(1));
}

// Sixteen vectors of eight partial sums -> sixteen sums, in order.
inline __m512i sixteen_sums(const __m512i* sums) {
    static_assert(kChunk / kVectorWords * kWordBits < 1u << 15);
    __m512i rows[kTile], halves[2];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kTile; ++i) rows[i] = quarter_sums(sums + kTile * i);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i)
        halves[i] = _mm512_add_epi32(_mm512_shuffle_i32x4(rows[2 * i], rows[2 * i + 1], 0x88),
                                     _mm512_shuffle_i32x4(rows[2 * i], rows[2 * i + 1], 0xdd));
    return _mm512_add_epi32(_mm512_shuffle_i32x4(halves[0], halves[1], 0x88),
                            _mm512_shuffle_i32x4(halves[0], halves[1], 0xdd));
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

inline __m512i load_numbers(const std::int16_t* p) {
    __m512i x = _mm512_load_si512(p);
    asm("" : "+v"(x));  // as above
    return x;
}

// Compilers copy a sum before they add to it, and soon have no registers left.
inline void add_products(__m512i& sum, __m512i a, __m512i b) { asm("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b)); }

// Four vectors of sixteen partial sums -> in each quarter, four sums of a quarter of the parts.
inline __m512i quarters_of(const __m512i* sums) {
    const __m512i low = _mm512_add_epi32(_mm512_unpacklo_epi32(sums[0], sums[1]), _mm512_unpackhi_epi32(sums[0], sums[1]));
    const __m512i high = _mm512_add_epi32(_mm512_unpacklo_epi32(sums[2], sums[3]), _mm512_unpackhi_epi32(sums[2], sums[3]));
    return _mm512_add_epi32(_mm512_unpacklo_epi64(low, high), _mm512_unpackhi_epi64(low, high));
}

inline __m512i add_halves(__m512i x, __m512i y) {
    return _mm512_add_epi32(_mm512_shuffle_i32x4(x, y, 0x88), _mm512_shuffle_i32x4(x, y, 0xdd));
}

constexpr std::size_t kSumTileRows = 6;

}  // namespace

// Twenty-four sums, four operands b and one a: 29 of the 32 registers. Its own symbol, as above.
extern "C" __attribute__((noinline)) void paclearn_sum_tile_avx512(const std::int16_t* a, const std::int16_t* b, std::size_t n,
                                                                   std::int32_t* out) {
    __m512i sums[kSumTileRows * kSumTile], rows[kSumTileRows];
#pragma GCC unroll 24
    for (std::size_t i = 0; i < kSumTileRows * kSumTile; ++i) sums[i] = _mm512_setzero_si512();
    for (std::size_t r = 0; r < n; r += 32) {
        const __m512i x0 = load_numbers(b + r), x1 = load_numbers(b + kSumRows + r);
        const __m512i x2 = load_numbers(b + 2 * kSumRows + r), x3 = load_numbers(b + 3 * kSumRows + r);
#pragma GCC unroll 6
        for (std::size_t i = 0; i < kSumTileRows; ++i) {
            const __m512i y = load_numbers(a + i * kSumRows + r);
            add_products(sums[4 * i + 0], y, x0);
            add_products(sums[4 * i + 1], y, x1);
            add_products(sums[4 * i + 2], y, x2);
            add_products(sums[4 * i + 3], y, x3);
        }
    }
#pragma GCC unroll 6
    for (std::size_t i = 0; i < kSumTileRows; ++i) rows[i] = quarters_of(sums + kSumTile * i);
    const __m512i last = add_halves(rows[4], rows[5]);
    _mm512_store_si512(out, add_halves(add_halves(rows[0], rows[1]), add_halves(rows[2], rows[3])));
    _mm256_store_si256(reinterpret_cast<__m256i*>(out + 16), _mm512_castsi512_si256(add_halves(last, last)));
}

namespace {

struct WideTiles {
    static constexpr std::size_t kRows = kSumTileRows;
    static void sum(const std::int16_t* a, const std::int16_t* b, std::size_t n, std::int32_t* out) {
        paclearn_sum_tile_avx512(a, b, n, out);
    }
};

void widen(const Word* plane, const std::int16_t* numbers, std::size_t n_words, std::int16_t* out) {
    for (std::size_t row = 0; row < n_words * kWordBits; row += 32) {
        const auto has = static_cast<__mmask32>(plane[row / kWordBits] >> row % kWordBits);
        _mm512_store_si512(out + row, _mm512_maskz_mov_epi16(has, _mm512_load_si512(numbers + row)));
    }
}

// Two sets of sums, so that additions need not wait for each other.
struct MaskedLanes {
    template <std::size_t N>
    static void add(const Word* mask, const double* values, std::size_t stride, std::size_t n_words, double* sums) {
        __m512d found[2][N] = {};
        for (std::size_t w = 0; w < n_words; ++w)
#pragma GCC unroll 8
            for (std::size_t byte = 0; byte < 8; ++byte)
                for (std::size_t v = 0; v < N; ++v) {
                    __m512d& sum = found[byte % 2][v];
                    const __m512d more = _mm512_loadu_pd(values + v * stride + w * kWordBits + 8 * byte);
                    sum = _mm512_mask_add_pd(sum, static_cast<__mmask8>(mask[w] >> 8 * byte), sum, more);
                }
        for (std::size_t v = 0; v < N; ++v) sums[v] += _mm512_reduce_add_pd(_mm512_add_pd(found[0][v], found[1][v]));
    }
};

}  // namespace

const InstructionSet avx512_set{"avx512", true, count_pairs_with<WideTile>, squeeze, score_row, popcount_of_and, quality_row,
                                sum_pairs_with<WideTiles>, bound_row, widen, add_masked_with<MaskedLanes>, find_words, find_in_rows, any_beyond};

}  // namespace paclearn
