// Sums of numbers over the rows that two planes share: the part of an instruction set that such sums need, compiled anew in
// every isa_*.cpp.
#pragma once

#include "isa.hpp"

namespace paclearn {
namespace {

PACLEARN_INLINE void add_tile(const std::int32_t* tile, std::size_t n_rows, std::int64_t worth, std::int64_t* sums,
                              std::size_t row_length) {
    for (std::size_t t = 0; t < n_rows; ++t)
        for (std::size_t u = 0; u < kSumTile; ++u)
            sums[t * row_length + u] += static_cast<std::int64_t>(tile[kSumTile * t + u]) * worth;
}

// Tile::sum(a, b, n, out) gives out[4 i + j] = sum of a[i] b[j] for its kRows and four columns, each kSumRows numbers behind
// the one before; n is at most that.
template <class Tile>
void sum_pairs_with(const SumBlock& block) {
    static_assert(kSumPadding % Tile::kRows == 0 && kSumPadding % kSumTile == 0);
    alignas(64) std::int32_t tile[Tile::kRows * kSumTile];
    for (std::size_t i = 0; i < block.n_a; i += Tile::kRows)
        for (std::size_t j = block.diagonal ? i / kSumTile * kSumTile : 0; j < block.n_b; j += kSumTile) {
            Tile::sum(block.a + i * kSumRows, block.b + j * kSumRows, block.n_rows, tile);
            add_tile(tile, std::min(Tile::kRows, block.n_a - i), block.worth, block.sums + i * block.row_length + j,
                     block.row_length);
        }
}

// One sum after another: compilers know how to do that.
struct PlainSums {
    static constexpr std::size_t kRows = kSumTile;
    static void sum(const std::int16_t* a, const std::int16_t* b, std::size_t n, std::int32_t* out) {
        for (std::size_t i = 0; i < kSumTile; ++i)
            for (std::size_t j = 0; j < kSumTile; ++j) {
                std::int32_t sum = 0;
                for (std::size_t r = 0; r < n; ++r) sum += a[i * kSumRows + r] * b[j * kSumRows + r];
                out[kSumTile * i + j] = sum;
            }
    }
};

[[maybe_unused]] void widen_words(const Word* plane, const std::int16_t* numbers, std::size_t n_words, std::int16_t* out) {
    for (std::size_t w = 0; w < n_words; ++w)
        for (std::size_t b = 0; b < kWordBits; ++b) {
            const std::size_t row = w * kWordBits + b;
            out[row] = static_cast<std::int16_t>(numbers[row] & -static_cast<std::int32_t>(plane[w] >> b & 1));
        }
}

// Up to three kinds of values at a time, so that a mask is spread over lanes once for all of them.
template <class Lanes>
void add_masked_with(const Word* mask, const double* values, std::size_t stride, std::size_t n_values, std::size_t n_words,
                     double* sums) {
    for (; n_values > 2; n_values -= 3, values += 3 * stride, sums += 3)
        Lanes::template add<3>(mask, values, stride, n_words, sums);
    if (n_values == 2) Lanes::template add<2>(mask, values, stride, n_words, sums);
    if (n_values == 1) Lanes::template add<1>(mask, values, stride, n_words, sums);
}

struct PlainLanes {
    template <std::size_t N>
    static void add(const Word* mask, const double* values, std::size_t stride, std::size_t n_words, double* sums) {
        for (std::size_t w = 0; w < n_words; ++w)
            for (Word left = mask[w]; left != 0; left &= left - 1) {
                const double* at = values + w * kWordBits + static_cast<std::size_t>(__builtin_ctzll(left));
                for (std::size_t v = 0; v < N; ++v) sums[v] += at[v * stride];
            }
    }
};

}  // namespace
}  // namespace paclearn
