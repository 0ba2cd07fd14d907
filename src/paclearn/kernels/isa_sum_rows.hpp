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

// Sums of a channel that is summed over pairs, likewise, in whole steps.
template <bool implied>
PACLEARN_INLINE WideCells sums_at(const BoundRow& row, std::size_t counted, std::size_t channel, std::size_t lane) {
    const std::size_t place = counted * row.n_paired + channel;
    WideSums both = *reinterpret_cast<const WideSums*>(row.sums + place * row.stratum_stride + lane);
    if (implied) both = *reinterpret_cast<const WideSums*>(row.whole_sums + place * row.whole_stride + lane) - both;
    const std::size_t s = implied ? row.n_groups * row.n_classes + counted : counted;
    return wide_cells(row, s, channel, __builtin_convertvector(both, Wide), lane);
}

// Sums of a channel over the rows of j, of k, and of all: all that is known of it.
struct Margins {
    Wide j, k, all;
};

template <bool implied>
PACLEARN_INLINE Margins margins_at(const BoundRow& row, std::size_t counted, std::size_t channel, std::size_t lane) {
    const std::size_t s = implied ? row.n_groups * row.n_classes + counted : counted;
    const std::size_t place = s * (row.n_channels + 1) + channel;
    const Wide k = load_wide(row.singles + place * row.singles_stride + lane) * row.step[channel];
    return {all_wide(row.singles_j[place] * row.step[channel]), k, all_wide(row.totals[place] * row.step[channel])};
}

// The most that a sum of the four cells' sums times some factors can be, where no cell has less than `least`. One cell decides
// the others, and the sum is linear in it.
PACLEARN_INLINE Wide most_of(const WideCells& factors, const Margins& margins, const WideCells& least) {
    const Wide slope = factors.of[0] - factors.of[1] - factors.of[2] + factors.of[3];
    const Wide apart = margins.all - margins.j - margins.k;  // of neither, less those of both
    const Wide low = least.of[3] - apart, high = margins.j - least.of[1], other = margins.k - least.of[2];
    const Wide both = slope > 0.0 ? (high < other ? high : other) : (low > least.of[0] ? low : least.of[0]);
    return factors.of[0] * both + factors.of[1] * (margins.j - both) + factors.of[2] * (margins.k - both) +
           factors.of[3] * (apart + both);
}

struct SquareBounds {
    template <bool implied>
    PACLEARN_INLINE static Wide of_group(const BoundRow& row, std::size_t g, std::size_t lane) {
        const WideCells n = rows_at<implied>(row, g, lane), sums = sums_at<implied>(row, g, 0, lane);
        Wide bound = all_wide(0);
        WideCells factors, least;
        for (std::size_t c = 0; c < 4; ++c) {
            const Wide size = size_of(sums.of[c]) * row.step[0], off = n.of[c] * row.error[0], rounded = n.of[c] * row.error[1];
            const Wide few = at_least(n.of[c] - 1, 0), s = size + off, surely = at_least(size - off, 0);
            const Wide shared = n.of[c] < 2.0 ? all_wide(0) : 1 / (n.of[c] * at_least(few, 1));
            const Wide mean = n.of[c] < 2.0 ? surely * surely : surely * surely * few * shared;  // times the sum: Cauchy
            factors.of[c] = -n.of[c] * shared;
            least.of[c] = at_least(mean - rounded, 0);
            bound -= factors.of[c] * (s * s + rounded);
        }
        return bound + most_of(factors, margins_at<implied>(row, g, 1, lane), least);
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
        WideCells n{}, weight{};
        Margins own{};
        for (std::size_t s = begin; s < end; ++s) {
            add(n, rows_at<implied>(row, s, lane), 1);
            add(weight, sums_at<implied>(row, s, 0, lane), row.step[0]);
            if (row.n_channels == 2) own = with(own, margins_at<implied>(row, s, 1, lane), 1);
        }
        Wide bound = all_wide(0);
        for (std::size_t s = row.n_classes == 2 ? begin + 1 : begin; s < end; ++s) {
            WideCells signs{};
            add(signs, sums_at<implied>(row, s, 0, lane), 2 * row.step[0]);
            add(signs, weight, -1);
            bound += of_class(row, signs, weight, n);
            if (row.n_channels < 2) continue;
            const Margins mine = margins_at<implied>(row, s, 1, lane);
            bound += of_own(row, signs, weight, n, mine, with(own, mine, -1));
        }
        return bound;
    }

    PACLEARN_INLINE static void add(WideCells& total, const WideCells& more, double factor) {
        for (std::size_t c = 0; c < 4; ++c) total.of[c] += more.of[c] * factor;
    }

    PACLEARN_INLINE static Margins with(const Margins& total, const Margins& more, double factor) {
        return {total.j + more.j * factor, total.k + more.k * factor, total.all + more.all * factor};
    }

    // Whether what rows take off is not looked at: the sign is not known, or they may take off all there is, and no cell has less
    // than nothing, or the cell is light.
    PACLEARN_INLINE static auto unknown(const BoundRow& row, Wide s, Wide weight, Wide n) {
        const Wide off = n * row.error[0];
        return (size_of(s) <= off + row.own) | (weight - off <= weight * kFewOthers);
    }

    // |s|, and the most that rows' own votes can add where they are not looked at.
    PACLEARN_INLINE static Wide of_class(const BoundRow& row, const WideCells& s, const WideCells& weight, const WideCells& n) {
        Wide bound = all_wide(0);
        for (std::size_t c = 0; c < 4; ++c) {
            const Wide more = unknown(row, s.of[c], weight.of[c], n.of[c]) ? all_wide(row.own) : all_wide(0);
            bound += n.of[c] < 1.0 ? all_wide(0) : size_of(s.of[c]) + n.of[c] * row.error[0] + more;
        }
        return bound;
    }

    // What rows of a class and of the rest add by their own votes: minus the sign of s times the one, and plus it times the
    // other, in units of the weight of the cell.
    PACLEARN_INLINE static Wide of_own(const BoundRow& row, const WideCells& s, const WideCells& weight, const WideCells& n,
                                       const Margins& mine, const Margins& rest) {
        Wide slack = all_wide(0);
        WideCells factors, others;
        for (std::size_t c = 0; c < 4; ++c) {
            const Wide off = n.of[c] * row.error[0];
            const auto none = unknown(row, s.of[c], weight.of[c], n.of[c]) | (n.of[c] < 1.0);
            const Wide share = none ? all_wide(0) : 1 / (none ? all_wide(1) : weight.of[c] - off);
            factors.of[c] = s.of[c] > 0.0 ? -share : share;
            others.of[c] = -factors.of[c];
            slack += share * (n.of[c] * row.error[1] + 2 * off * row.own);
        }
        const WideCells least{};
        return slack + most_of(factors, mine, least) + most_of(others, rest, least);
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
