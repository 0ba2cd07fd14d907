// Bounds of a row of pairs of bits from sums of rounded numbers, eight at a time, compiled anew in every isa_*.cpp. What a cell
// adds is written out in sum_scores.cpp.
#pragma once

#include "isa.hpp"

namespace paclearn {
namespace {

constexpr std::size_t kWide = 8;
typedef double Wide __attribute__((vector_size(64), aligned(8), may_alias));
typedef std::int64_t WideSums __attribute__((vector_size(64), aligned(8), may_alias));
typedef std::uint32_t WideCounts __attribute__((vector_size(32), aligned(4), may_alias));

PACLEARN_INLINE Wide all_wide(double x) { return Wide{} + x; }
PACLEARN_INLINE Wide load_wide(const double* p) { return *reinterpret_cast<const Wide*>(p); }
PACLEARN_INLINE Wide at_least(Wide x, double least) { return x > least ? x : all_wide(least); }
PACLEARN_INLINE Wide size_of(Wide x) { return x < 0.0 ? -x : x; }

// In the four cells of two bits (j, k): both, only j, only k, neither.
struct WideCells {
    Wide of[4];
};

PACLEARN_INLINE WideCells wide_cells(const BoundRow& row, std::size_t s, std::size_t channel, Wide both, std::size_t lane) {
    const std::size_t place = s * (row.n_channels + 1) + channel;
    const Wide k = load_wide(row.singles + place * row.singles_stride + lane);
    const double j = row.singles_j[place];
    return {{both, j - both, k - both, (row.totals[place] - j) - (k - both)}};
}

// Rows of a stratum, or with `implied` those it leaves of the larger table.
template <bool implied>
PACLEARN_INLINE WideCells rows_at(const BoundRow& row, std::size_t counted, std::size_t lane) {
    WideCounts both = *reinterpret_cast<const WideCounts*>(row.pairs + counted * row.stratum_stride + lane);
    if (implied) both = *reinterpret_cast<const WideCounts*>(row.whole + counted * row.whole_stride + lane) - both;
    const std::size_t s = implied ? row.n_groups * row.n_classes + counted : counted;
    return wide_cells(row, s, row.n_channels, __builtin_convertvector(both, Wide), lane);
}

// Sums of a channel, likewise, in whole steps.
template <bool implied>
PACLEARN_INLINE WideCells sums_at(const BoundRow& row, std::size_t counted, std::size_t channel, std::size_t lane) {
    const std::size_t place = counted * row.n_channels + channel;
    WideSums both = *reinterpret_cast<const WideSums*>(row.sums + place * row.stratum_stride + lane);
    if (implied) both = *reinterpret_cast<const WideSums*>(row.whole_sums + place * row.whole_stride + lane) - both;
    const std::size_t s = implied ? row.n_groups * row.n_classes + counted : counted;
    return wide_cells(row, s, channel, __builtin_convertvector(both, Wide), lane);
}

struct SquareBounds {
    template <bool implied>
    PACLEARN_INLINE static Wide of_group(const BoundRow& row, std::size_t g, std::size_t lane) {
        const WideCells n = rows_at<implied>(row, g, lane);
        const WideCells sums = sums_at<implied>(row, g, 0, lane), squares = sums_at<implied>(row, g, 1, lane);
        Wide bound = all_wide(0);
        for (std::size_t c = 0; c < 4; ++c) {
            const Wide s = size_of(sums.of[c]) * row.step[0] + n.of[c] * row.error[0];
            const Wide q = at_least(squares.of[c] * row.step[1] - n.of[c] * row.error[1], 0);
            bound += n.of[c] < 2.0 ? all_wide(0) : (s * s - q) / at_least(n.of[c] - 1, 1);
        }
        return bound;
    }
};

struct WeightedBounds {
    template <bool implied>
    PACLEARN_INLINE static Wide of_group(const BoundRow& row, std::size_t g, std::size_t lane) {
        const WideCells n = rows_at<implied>(row, g, lane), weights = sums_at<implied>(row, g, 0, lane);
        const WideCells sums = sums_at<implied>(row, g, 1, lane), squares = sums_at<implied>(row, g, 2, lane);
        Wide bound = all_wide(0);
        for (std::size_t c = 0; c < 4; ++c) {
            const Wide w = weights.of[c] * row.step[0], off = n.of[c] * row.error[0];
            const Wide s = size_of(sums.of[c]) * row.step[1] + n.of[c] * row.error[1];
            const Wide q = at_least(squares.of[c] * row.step[2] - n.of[c] * row.error[2], 0);
            bound += n.of[c] < 1.0 ? all_wide(0) : of_cell(s * s - q, w + off, w - off - row.own, (w + off) * row.peak);
        }
        return bound;
    }

    PACLEARN_INLINE static Wide of_cell(Wide squares, Wide most, Wide least, Wide top) {
        const Wide few = most * kFewOthers, some = squares / (least > few ? least : most), none = squares / most;
        const Wide found = squares > 0.0 ? (some < top ? some : top) : none;
        return least < few ? top : found;
    }
};

struct VoteBounds {
    template <bool implied>
    PACLEARN_INLINE static Wide of_group(const BoundRow& row, std::size_t g, std::size_t lane) {
        const std::size_t begin = g * row.n_classes, end = begin + row.n_classes;
        WideCells n{}, weight{}, own{};
        for (std::size_t s = begin; s < end; ++s) {
            add(n, rows_at<implied>(row, s, lane), 1);
            add(weight, sums_at<implied>(row, s, 0, lane), row.step[0]);
            if (row.n_channels == 2) add(own, sums_at<implied>(row, s, 1, lane), row.step[1]);
        }
        Wide bound = all_wide(0);
        for (std::size_t s = row.n_classes == 2 ? begin + 1 : begin; s < end; ++s) {
            WideCells mine{}, mine_own{};
            add(mine, sums_at<implied>(row, s, 0, lane), 2 * row.step[0]);
            if (row.n_channels == 2) add(mine_own, sums_at<implied>(row, s, 1, lane), 2 * row.step[1]);
            for (std::size_t c = 0; c < 4; ++c) {
                const Wide found = of_cell(row, mine.of[c] - weight.of[c], weight.of[c], mine_own.of[c] - own.of[c], n.of[c]);
                bound += n.of[c] < 1.0 ? all_wide(0) : found;
            }
        }
        return bound;
    }

    PACLEARN_INLINE static void add(WideCells& total, const WideCells& more, double factor) {
        for (std::size_t c = 0; c < 4; ++c) total.of[c] += more.of[c] * factor;
    }

    PACLEARN_INLINE static Wide of_cell(const BoundRow& row, Wide s, Wide weight, Wide signs, Wide n) {
        const Wide off = n * row.error[0], least = weight - off, size = size_of(s);
        Wide more = all_wide(0);
        if (row.n_channels == 2) {
            const Wide top = (s > 0.0 ? -signs : signs) + n * row.error[1];
            const Wide shared = top / at_least(top > 0.0 ? least : weight + off, 1e-300);
            more = shared < row.own ? shared : all_wide(row.own);
        }
        more = size > off ? more : all_wide(row.own);
        more = least > weight * kFewOthers ? more : all_wide(row.own);
        return at_least(size + off + more, 0);
    }
};

template <class Bounds>
void bound_row_by(const BoundRow& row) {
    for (std::size_t lane = row.first / kWide * kWide; lane < row.end; lane += kWide) {
        Wide bound = all_wide(0);
        for (std::size_t g = 0; g < row.n_groups; ++g) {
            bound += Bounds::template of_group<false>(row, g, lane);
            if (row.whole) bound += Bounds::template of_group<true>(row, g, lane);
        }
        *reinterpret_cast<Wide*>(row.bounds + lane) = bound;
    }
}

void bound_row(const BoundRow& row) {
    if (row.votes) return bound_row_by<VoteBounds>(row);
    return row.n_channels == 2 ? bound_row_by<SquareBounds>(row) : bound_row_by<WeightedBounds>(row);
}

}  // namespace
}  // namespace paclearn
