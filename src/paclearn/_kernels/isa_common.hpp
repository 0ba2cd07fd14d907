// The parts of an instruction set that are the same source, compiled anew in every isa_*.cpp.
// Static, so that no object file offers code for its own processor to the others.
#pragma once

#include "isa.hpp"

namespace paclearn {
namespace {

template <class Score>
float score_row_as(const ScoreRow& row, std::size_t first) {
    Lanes best = all(-1e30f);
    for (std::size_t lane = first; lane < row.n_lanes; lane += kLanes) {
        Lanes score = all(0);
        for (std::size_t g = 0; g < row.n_groups; ++g) {
            const std::size_t s = g * row.n_classes;
            Lanes rows[4] = {};  // of all classes, in the cells 11, 10, 01, 00 of (j, k)
            for (std::size_t y = 0; y < row.n_classes; ++y) {
                const Lanes both = load_counts(row.pairs + (s + y) * row.stratum_stride + lane);
                const Lanes k = load(row.singles + (s + y) * row.singles_stride + lane);
                rows[0] += both;
                rows[2] += k;
            }
            float total_j = 0, total = 0;
            for (std::size_t y = 0; y < row.n_classes; ++y) total_j += row.singles_j[s + y], total += row.totals[s + y];
            rows[1] = total_j - rows[0];
            rows[2] -= rows[0];
            rows[3] = (total - total_j) - rows[2];
            const Lanes weight[2] = {row.group_weight[g] * load(row.weights_k[0] + lane),
                                     row.group_weight[g] * load(row.weights_k[1] + lane)};
            // two classes: the score of one against the other serves both
            for (std::size_t y = row.n_classes == 2 ? 1 : 0; y < row.n_classes; ++y) {
                const Lanes both = load_counts(row.pairs + (s + y) * row.stratum_stride + lane);
                const Lanes only_k = load(row.singles + (s + y) * row.singles_stride + lane) - both;
                const Lanes only_j = row.singles_j[s + y] - both;
                const Lanes neither = (row.totals[s + y] - row.singles_j[s + y]) - only_k;
                score += Score::cell(both, rows[0], weight[1] * row.weight_j[1]) +
                         Score::cell(only_j, rows[1], weight[0] * row.weight_j[1]) +
                         Score::cell(only_k, rows[2], weight[1] * row.weight_j[0]) +
                         Score::cell(neither, rows[3], weight[0] * row.weight_j[0]);
            }
        }
        store(row.scores + lane, score);
        best = larger(best, score);
    }
    float largest = best[0];
    for (std::size_t i = 1; i < kLanes; ++i) largest = best[i] > largest ? best[i] : largest;
    return largest;
}

float score_row(const ScoreRow& row, std::size_t first) {
    switch (row.kind) {
        case ScoreKind::empirical: return score_row_as<EmpiricalScore>(row, first);
        case ScoreKind::product: return score_row_as<ProductScore>(row, first);
        default: return score_row_as<L2Score>(row, first);
    }
}

constexpr std::size_t kTile = 4;
constexpr std::size_t kChunk = 512;  // words of a plane at a time: a tile's eight stretches stay in the first cache

// Tile::count(a, b, n, out) gives out[4 i + j] = bits shared by a[i] and b[j].
template <class Tile>
void count_pairs_with(const PairBlock& block) {
    std::uint32_t tile[kTile * kTile];
    const Word* a[kTile];
    const Word* b[kTile];
    for (std::size_t s = 0; s < block.n_strata; ++s) {
        std::uint32_t* counts = block.counts + s * block.stratum_stride;
        const std::size_t end = block.strata[s + 1];
        bool first = true;
        for (std::size_t word = block.strata[s]; word < end || first; word += kChunk, first = false) {
            const std::size_t n = end - word < kChunk ? end - word : kChunk;
            for (std::size_t i = 0; i < block.n_a; i += kTile) {
                // of a square on the diagonal, the part below it is never asked for
                const std::size_t begin = block.first_a == block.first_b ? i : 0;
                for (std::size_t j = begin; j < block.n_b; j += kTile) {
                    for (std::size_t t = 0; t < kTile; ++t) {  // beyond the end, the last plane again
                        const std::size_t ia = i + t < block.n_a ? i + t : block.n_a - 1;
                        const std::size_t jb = j + t < block.n_b ? j + t : block.n_b - 1;
                        a[t] = block.planes + (block.first_a + ia) * block.stride + word;
                        b[t] = block.planes + (block.first_b + jb) * block.stride + word;
                    }
                    Tile::count(a, b, n, tile);
                    for (std::size_t t = 0; t < kTile && i + t < block.n_a; ++t)
                        for (std::size_t u = 0; u < kTile; ++u) {
                            std::uint32_t& count = counts[(i + t) * block.row_length + j + u];
                            count = first ? tile[kTile * t + u] : count + tile[kTile * t + u];
                        }
                }
            }
        }
    }
}

#if defined(__GNUC__)
#define PACLEARN_BITS(word) __builtin_popcountll(word)
#endif

// For processors without wide popcounts: one word after another, but a tile still loads each word once.
struct WordTile {
    static void count(const Word* const* a, const Word* const* b, std::size_t n, std::uint32_t* out) {
        for (std::size_t i = 0; i < kTile; ++i) {
            std::uint32_t sum[kTile] = {};
            for (std::size_t w = 0; w < n; ++w)
                for (std::size_t j = 0; j < kTile; ++j) sum[j] += PACLEARN_BITS(a[i][w] & b[j][w]);
            for (std::size_t j = 0; j < kTile; ++j) out[kTile * i + j] = sum[j];
        }
    }
};

std::int64_t popcount_of_and(const Word* a, const Word* b, std::size_t n) {
    std::int64_t total = 0;
    for (std::size_t w = 0; w < n; ++w) total += PACLEARN_BITS(a[w] & b[w]);
    return total;
}

// Without a fast bit gather, unmarked rows are cleared and stay where they are.
[[maybe_unused]] void clear_unmarked(const Word* words, const Word* mask, std::size_t n_words, Word* out) {
    for (std::size_t w = 0; w < n_words; ++w) out[w] = words[w] & mask[w];
}

}  // namespace
}  // namespace paclearn
