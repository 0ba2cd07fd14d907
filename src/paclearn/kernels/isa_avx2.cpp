// x86-64 with AVX2 and BMI2 (compiled with -mavx2 -mbmi2 -mpopcnt): bytes are looked up, sixteen in one instruction.
#include "isa_codes.hpp"
#include "isa_common.hpp"
#include "squeeze_bmi2.hpp"

namespace paclearn {
namespace {

constexpr std::size_t kVectorWords = 4;

inline __m256i load_words(const Word* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }

// Bits in every byte.
inline __m256i bits_of_bytes(__m256i x) {
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3,
                                           2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(x, low)),
                           _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
}

inline std::uint32_t sum_of_words(__m256i x) {
    alignas(32) std::uint64_t words[kVectorWords];
    _mm256_store_si256(reinterpret_cast<__m256i*>(words), x);
    return static_cast<std::uint32_t>(words[0] + words[1] + words[2] + words[3]);
}

// A full adder for 256 columns of bits at once: a + b + c = 2 carry + sum.
inline void add_bits(__m256i a, __m256i b, __m256i c, __m256i& carry, __m256i& sum) {
    const __m256i half = _mm256_xor_si256(a, b);
    carry = _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(half, c));
    sum = _mm256_xor_si256(half, c);
}

// Harley and Seal: eight vectors are added as bits, and only every eighth is looked up.
std::uint32_t shared_bits(const Word* a, const Word* b, std::size_t n) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i ones = zero, twos = zero, fours = zero, eights = zero;
    std::size_t w = 0;
    const auto both = [&](std::size_t i) {
        return _mm256_and_si256(load_words(a + w + i * kVectorWords), load_words(b + w + i * kVectorWords));
    };
    for (; w + 8 * kVectorWords <= n; w += 8 * kVectorWords) {
        __m256i two_a, two_b, four_a, four_b, eight;
        add_bits(ones, both(0), both(1), two_a, ones);
        add_bits(ones, both(2), both(3), two_b, ones);
        add_bits(twos, two_a, two_b, four_a, twos);
        add_bits(ones, both(4), both(5), two_a, ones);
        add_bits(ones, both(6), both(7), two_b, ones);
        add_bits(twos, two_a, two_b, four_b, twos);
        add_bits(fours, four_a, four_b, eight, fours);
        eights = _mm256_add_epi64(eights, _mm256_sad_epu8(bits_of_bytes(eight), zero));
    }
    __m256i bytes = zero;  // at most seven vectors are left, so no byte overflows
    for (; w < n; w += kVectorWords) bytes = _mm256_add_epi8(bytes, bits_of_bytes(both(0)));
    __m256i total = _mm256_add_epi64(_mm256_slli_epi64(eights, 3), _mm256_sad_epu8(bytes, zero));
    total = _mm256_add_epi64(total, _mm256_slli_epi64(_mm256_sad_epu8(bits_of_bytes(fours), zero), 2));
    total = _mm256_add_epi64(total, _mm256_slli_epi64(_mm256_sad_epu8(bits_of_bytes(twos), zero), 1));
    return sum_of_words(_mm256_add_epi64(total, _mm256_sad_epu8(bits_of_bytes(ones), zero)));
}

inline __m256i load_numbers(const std::int16_t* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }

inline std::int32_t sum_of_numbers(__m256i x) {
    alignas(32) std::int32_t parts[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(parts), x);
    std::int32_t sum = 0;
    for (const std::int32_t part : parts) sum += part;
    return sum;
}

// Two rows of a tile at a time: eight sums, four operands b and one a fit the sixteen registers.
struct HalfTiles {
    static constexpr std::size_t kRows = kSumTile;
    static void sum(const std::int16_t* a, const std::int16_t* b, std::size_t n, std::int32_t* out) {
        for (std::size_t i = 0; i < kSumTile; i += 2) sum_two(a + i * kSumRows, b, n, out + kSumTile * i);
    }

    static void sum_two(const std::int16_t* a, const std::int16_t* b, std::size_t n, std::int32_t* out) {
        __m256i sums[2 * kSumTile];
#pragma GCC unroll 8
        for (__m256i& sum : sums) sum = _mm256_setzero_si256();
        for (std::size_t r = 0; r < n; r += 16) {
            const __m256i x[2] = {load_numbers(a + r), load_numbers(a + kSumRows + r)};
#pragma GCC unroll 4
            for (std::size_t j = 0; j < kSumTile; ++j) {
                const __m256i y = load_numbers(b + j * kSumRows + r);
                sums[j] = _mm256_add_epi32(sums[j], _mm256_madd_epi16(x[0], y));
                sums[kSumTile + j] = _mm256_add_epi32(sums[kSumTile + j], _mm256_madd_epi16(x[1], y));
            }
        }
#pragma GCC unroll 8
        for (std::size_t i = 0; i < 2 * kSumTile; ++i) out[i] = sum_of_numbers(sums[i]);
    }
};

void widen(const Word* plane, const std::int16_t* numbers, std::size_t n_words, std::int16_t* out) {
    const __m256i bits = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, -32768);
    for (std::size_t row = 0; row < n_words * kWordBits; row += 16) {
        const auto sixteen = static_cast<std::int16_t>(plane[row / kWordBits] >> row % kWordBits);
        const __m256i has = _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16(sixteen), bits), bits);
        _mm256_store_si256(reinterpret_cast<__m256i*>(out + row), _mm256_and_si256(has, load_numbers(numbers + row)));
    }
}

constexpr std::int64_t kAll = -1;
alignas(32) constexpr std::int64_t kSpread[16][4] = {
    {0, 0, 0, 0},    {kAll, 0, 0, 0},    {0, kAll, 0, 0},    {kAll, kAll, 0, 0},
    {0, 0, kAll, 0}, {kAll, 0, kAll, 0}, {0, kAll, kAll, 0}, {kAll, kAll, kAll, 0},
    {0, 0, 0, kAll}, {kAll, 0, 0, kAll}, {0, kAll, 0, kAll}, {kAll, kAll, 0, kAll},
    {0, 0, kAll, kAll}, {kAll, 0, kAll, kAll}, {0, kAll, kAll, kAll}, {kAll, kAll, kAll, kAll}};

// Two sets of sums, so that additions need not wait for each other.
struct MaskedLanes {
    template <std::size_t N>
    static void add(const Word* mask, const double* values, std::size_t stride, std::size_t n_words, double* sums) {
        __m256d found[2][N] = {};
        for (std::size_t w = 0; w < n_words; ++w) add_word<N>(mask[w], values + w * kWordBits, stride, found);
        for (std::size_t v = 0; v < N; ++v) {
            alignas(32) double lanes[4];
            _mm256_store_pd(lanes, _mm256_add_pd(found[0][v], found[1][v]));
            sums[v] += (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
        }
    }

    template <std::size_t N>
    PACLEARN_INLINE static void add_word(Word mask, const double* values, std::size_t stride, __m256d (&found)[2][N]) {
#pragma GCC unroll 16
        for (std::size_t row = 0; row < kWordBits; row += 4, mask >>= 4) {
            const __m256d has = _mm256_load_pd(reinterpret_cast<const double*>(kSpread[mask & 15]));
            for (std::size_t v = 0; v < N; ++v) {
                __m256d& sum = found[row / 4 % 2][v];
                sum = _mm256_add_pd(sum, _mm256_and_pd(has, _mm256_loadu_pd(values + v * stride + row)));
            }
        }
    }
};

}  // namespace

const InstructionSet avx2_set{"avx2", true, count_pairs_with<PairTile<shared_bits>>, squeeze, score_row, popcount_of_and, quality_row,
                              sum_pairs_with<HalfTiles>, bound_row, widen, add_masked_with<MaskedLanes>, find_words, find_in_rows, any_beyond};

}  // namespace paclearn
