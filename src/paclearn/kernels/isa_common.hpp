// The parts of an instruction set that are the same source, compiled anew in every isa_*.cpp.
// Static, so that no object file offers code for its own processor to the others.
#pragma once

#include "isa.hpp"
#include "isa_qualities.hpp"
#include "isa_sum_rows.hpp"
#include "isa_sums.hpp"

namespace paclearn {
namespace {

// Rows in the four cells of two bits (j, k).
struct Cells {
    Lanes both, only_j, only_k, neither;
};

PACLEARN_INLINE Cells cells_of(Lanes both, Lanes k, float j, float total) {
    const Lanes only_k = k - both;
    return {both, j - both, only_k, (total - j) - only_k};
}

PACLEARN_INLINE void add(Cells& sum, const Cells& cells) {
    sum.both += cells.both;
    sum.only_j += cells.only_j;
    sum.only_k += cells.only_k;
    sum.neither += cells.neither;
}

// What stratum `counted` has at these lanes, or with `implied` what it leaves of the larger table.
template <bool implied>
PACLEARN_INLINE Cells cells_at(const ScoreRow& row, std::size_t counted, std::size_t lane) {
    const std::size_t s = implied ? row.n_groups * row.n_classes + counted : counted;
    LaneCounts both = load_integers(row.pairs + counted * row.stratum_stride + lane);
    if (implied) both = load_integers(row.whole + counted * row.whole_stride + lane) - both;
    return cells_of(as_floats(both), load(row.singles + s * row.singles_stride + lane), row.singles_j[s], row.totals[s]);
}

template <class Score>
PACLEARN_INLINE Lanes score_of(const ScoreRow& row, const Cells& positive, const Cells& rows, float group_weight,
                               std::size_t lane) {
    const Lanes weight[2] = {group_weight * load(row.weights_k[0] + lane), group_weight * load(row.weights_k[1] + lane)};
    return (Score::cell(positive.both, rows.both, weight[1] * row.weight_j[1]) +
            Score::cell(positive.only_j, rows.only_j, weight[0] * row.weight_j[1])) +
           (Score::cell(positive.only_k, rows.only_k, weight[1] * row.weight_j[0]) +
            Score::cell(positive.neither, rows.neither, weight[0] * row.weight_j[0]));
}

// Two classes: the score of one against the other serves both, and everything stays in registers.
struct TwoClasses {
    template <class Score, bool implied>
    PACLEARN_INLINE static Lanes score_group(const ScoreRow& row, std::size_t g, std::size_t lane) {
        Cells rows = cells_at<implied>(row, 2 * g, lane);
        const Cells positive = cells_at<implied>(row, 2 * g + 1, lane);
        add(rows, positive);
        return score_of<Score>(row, positive, rows, row.group_weight[implied ? row.n_groups + g : g], lane);
    }
};

// More of them: every class against all others.
struct ManyClasses {
    template <class Score, bool implied>
    PACLEARN_INLINE static Lanes score_group(const ScoreRow& row, std::size_t g, std::size_t lane) {
        const std::size_t begin = g * row.n_classes, end = begin + row.n_classes;
        Cells rows = cells_at<implied>(row, begin, lane);
        for (std::size_t s = begin + 1; s < end; ++s) add(rows, cells_at<implied>(row, s, lane));
        Lanes score = all(0);
        for (std::size_t s = begin; s < end; ++s)
            score += score_of<Score>(row, cells_at<implied>(row, s, lane), rows,
                                     row.group_weight[implied ? row.n_groups + g : g], lane);
        return score;
    }
};

PACLEARN_INLINE Lanes bound_of_cell(Lanes s) { return larger(magnitude(s), all(1)); }

// Of the four cells of two bits; s is what the second class has more than the first.
PACLEARN_INLINE Lanes bound_of_cells(Lanes both, Lanes k, float j, float total) {
    const Lanes only_k = k - both;
    return (bound_of_cell(both) + bound_of_cell(j - both)) + (bound_of_cell(only_k) + bound_of_cell((total - j) - only_k));
}

PACLEARN_INLINE Lanes excess_at(const std::uint32_t* pairs, std::size_t stride, std::size_t group) {
    return as_floats(load_integers(pairs + (2 * group + 1) * stride) - load_integers(pairs + 2 * group * stride));
}

// No score at these lanes is larger (see has_bound).
PACLEARN_INLINE Lanes bound_at(const ScoreRow& row, std::size_t lane) {
    Lanes sum = all(0);
    for (std::size_t g = 0; g < row.n_groups; ++g) {
        const Lanes both = excess_at(row.pairs + lane, row.stratum_stride, g);
        sum += bound_of_cells(both, load(row.excess + g * row.singles_stride + lane), row.excess_j[g],
                              row.excess_total[g]);
        if (!row.whole) continue;
        const std::size_t rest = row.n_groups + g;
        sum += bound_of_cells(excess_at(row.whole + lane, row.whole_stride, g) - both,
                              load(row.excess + rest * row.singles_stride + lane), row.excess_j[rest],
                              row.excess_total[rest]);
    }
    return sum;
}

template <class Score, class Classes>
std::size_t score_row_as(const ScoreRow& row) {
    const bool bounded = has_bound(row.kind, row.n_classes);
    std::size_t n_close = 0;
    for (std::size_t lane = row.first / kLanes * kLanes; lane < row.end; lane += kLanes) {
        if (bounded && !any_reaches(bound_at(row, lane), row.close)) continue;
        Lanes score = all(0);
        for (std::size_t g = 0; g < row.n_groups; ++g) {
            score += Classes::template score_group<Score, false>(row, g, lane);
            if (row.whole) score += Classes::template score_group<Score, true>(row, g, lane);
        }
        if (!any_reaches(score, row.close)) continue;
        for (std::size_t i = lane < row.first ? row.first - lane : 0; i < kLanes && lane + i < row.end; ++i)
            if (score[i] >= row.close) row.found[n_close++] = static_cast<std::uint32_t>(lane + i);
    }
    return n_close;
}

template <class Score>
std::size_t score_row_by(const ScoreRow& row) {
    return row.n_classes == 2 ? score_row_as<Score, TwoClasses>(row) : score_row_as<Score, ManyClasses>(row);
}

std::size_t score_row(const ScoreRow& row) {
    switch (row.kind) {
        case ScoreKind::empirical: return score_row_by<EmpiricalScore>(row);
        case ScoreKind::product: return score_row_by<ProductScore>(row);
        default: return score_row_by<L2Score>(row);
    }
}

constexpr std::size_t kTile = 4;
constexpr std::size_t kChunk = 512;  // words of a plane at a time: a tile's eight stretches stay in the first cache

typedef std::uint32_t TileRow __attribute__((vector_size(16), aligned(4), may_alias));

// Four planes from number `i` of n on; beyond the end, the last one again.
PACLEARN_INLINE void four_planes(const Word* planes, std::size_t stride, std::size_t i, std::size_t n, const Word** four) {
    for (std::size_t t = 0; t < kTile; ++t) four[t] = planes + (i + t < n ? i + t : n - 1) * stride;
}

PACLEARN_INLINE void put_tile(const std::uint32_t* tile, std::size_t n_rows, bool add, std::uint32_t* counts,
                              std::size_t row_length) {
    for (std::size_t t = 0; t < n_rows; ++t) {
        TileRow& row = *reinterpret_cast<TileRow*>(counts + t * row_length);
        const TileRow found = *reinterpret_cast<const TileRow*>(tile + kTile * t);
        row = add ? row + found : found;
    }
}

// Words [word, word + n) of a block, all of them in one stratum.
template <class Tile>
void count_chunk(const PairBlock& block, std::size_t word, std::size_t n, bool add, std::uint32_t* counts) {
    const Word* planes_a = block.planes + block.first_a * block.stride + word;
    const Word* planes_b = block.planes + block.first_b * block.stride + word;
    alignas(64) std::uint32_t tile[kTile * kTile];  // a store across two lines takes three times as long
    const Word* a[kTile];
    const Word* b[kTile];
    for (std::size_t i = 0; i < block.n_a; i += kTile) {
        four_planes(planes_a, block.stride, i, block.n_a, a);
        const std::size_t n_rows = block.n_a - i < kTile ? block.n_a - i : kTile;
        // of a block on the diagonal, the part below it is never asked for
        for (std::size_t j = block.first_a == block.first_b ? i : 0; j < block.n_b; j += kTile) {
            four_planes(planes_b, block.stride, j, block.n_b, b);
            Tile::count(a, b, n, tile);
            put_tile(tile, n_rows, add, counts + i * block.row_length + j, block.row_length);
        }
    }
}

// Tile::count(a, b, n, out) gives out[4 i + j] = bits shared by a[i] and b[j]; n is at most kChunk.
template <class Tile>
void count_pairs_with(const PairBlock& block) {
    for (std::size_t s = 0; s < block.n_strata; ++s) {
        const std::size_t begin = block.strata[s], end = block.strata[s + 1];
        std::size_t word = begin;
        do {  // an empty stratum, too, has its zeros written
            const std::size_t n = end - word < kChunk ? end - word : kChunk;
            count_chunk<Tile>(block, word, n, word > begin, block.counts + s * block.stratum_stride);
            word += kChunk;
        } while (word < end);
    }
}

#if defined(__GNUC__)
#define PACLEARN_BITS(word) static_cast<std::uint32_t>(__builtin_popcountll(word))
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

// Two planes after another, where that is counted in vectors.
template <std::uint32_t (*shared_bits)(const Word*, const Word*, std::size_t)>
struct PairTile {
    static void count(const Word* const* a, const Word* const* b, std::size_t n, std::uint32_t* out) {
        for (std::size_t i = 0; i < kTile; ++i)
            for (std::size_t j = 0; j < kTile; ++j) out[kTile * i + j] = shared_bits(a[i], b[j], n);
    }
};

std::int64_t popcount_of_and(const Word* a, const Word* b, std::size_t n) {
    std::int64_t total = 0;
    for (std::size_t w = 0; w < n; ++w) total += PACLEARN_BITS(a[w] & b[w]);
    return total;
}

// Without a fast bit gather, unmarked rows are cleared and stay where they are.
[[maybe_unused]] void clear_unmarked(const Squeeze& task) {
    for (std::size_t p = 0; p < task.n_planes; ++p) {
        const Word* words = task.planes + p * task.stride;
        Word* out = task.out + p * task.out_stride;
        for (std::size_t w = 0; w < task.n_words; ++w) out[w] = words[w] & task.mask[w];
    }
}

}  // namespace
}  // namespace paclearn
