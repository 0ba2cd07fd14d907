// Conjunctions of a row of pairs in lanes: the part of an instruction set that scans of conjunctions need, compiled anew
// in every isa_*.cpp.
#pragma once

#include "isa.hpp"

namespace paclearn {
namespace {

// Rows, and the sum of their target, in the four cells of two bits (j, k), numbered 2 j + k.
struct CellSums {
    Lanes rows[4], sums[4];
};

// What layer `counted` has at these lanes, or with `implied` what it leaves of the whole table. Whole numbers until the
// end: small cells are differences of large counts.
template <bool implied>
PACLEARN_INLINE void counts_at(const QualityRow& row, std::size_t counted, std::size_t lane, LaneCounts* cells) {
    const std::size_t s = implied ? row.n_layers + counted : counted;
    LaneCounts both = load_integers(row.pairs + counted * row.layer_stride + lane);
    if (implied) both = load_integers(row.whole + counted * row.whole_stride + lane) - both;
    const LaneCounts k = load_integers(row.singles + s * row.singles_stride + lane);
    cells[3] = both;
    cells[2] = row.singles_j[s] - both;
    cells[1] = k - both;
    cells[0] = (row.totals[s] - row.singles_j[s]) - cells[1];
}

// One layer are the rows of the class at hand, the other those of the rest.
struct PlainClasses {
    template <bool implied>
    PACLEARN_INLINE static CellSums cells(const QualityRow& row, std::size_t lane) {
        LaneCounts others[4], mine[4];
        counts_at<implied>(row, 1 - row.mine, lane, others);
        counts_at<implied>(row, row.mine, lane, mine);
        CellSums sum;
        for (std::size_t c = 0; c < 4; ++c) {
            sum.rows[c] = as_floats(others[c] + mine[c]);
            sum.sums[c] = as_floats(mine[c]);
        }
        return sum;
    }
};

struct ManyLayers {
    template <bool implied>
    PACLEARN_INLINE static CellSums cells(const QualityRow& row, std::size_t lane) {
        CellSums sum{};
        LaneCounts counts[4];
        for (std::size_t layer = 0; layer < row.n_layers; ++layer) {
            counts_at<implied>(row, layer, lane, counts);
            for (std::size_t c = 0; c < 4; ++c) {
                const Lanes count = as_floats(counts[c]);
                sum.rows[c] += count * row.row_weights[layer];
                sum.sums[c] += count * row.target_weights[layer];
            }
        }
        return sum;
    }
};

template <class Quality, class Layers, bool implied>
PACLEARN_INLINE std::size_t qualities_at(const QualityRow& row, std::size_t lane, std::uint32_t* found) {
    const CellSums cells = Layers::template cells<implied>(row, lane);
    std::size_t n_found = 0;
    for (std::size_t c = 0; c < 4; ++c) {
        if (!row.answers_j[c / 2]) continue;
        const Lanes quality = Quality::of(cells.rows[c], cells.sums[c], row.table) + load(row.answers_k[c % 2] + lane);
        const Lanes enough = cells.rows[c] < row.min_rows ? all(-4.0f) : quality;
        if (!any_reaches(enough, row.close)) continue;
        for (std::size_t i = lane < row.first ? row.first - lane : 0; i < kLanes && lane + i < row.end; ++i)
            if (enough[i] >= row.close)
                found[n_found++] = static_cast<std::uint32_t>(8 * (lane + i) + (implied ? 4 : 0) + c);
    }
    return n_found;
}

template <class Quality, class Layers>
std::size_t quality_row_of(const QualityRow& row) {
    std::size_t n_found = 0;
    for (std::size_t lane = row.first / kLanes * kLanes; lane < row.end; lane += kLanes) {
        if (row.counted) n_found += qualities_at<Quality, Layers, false>(row, lane, row.found + n_found);
        if (row.whole) n_found += qualities_at<Quality, Layers, true>(row, lane, row.found + n_found);
    }
    return n_found;
}

template <class Quality>
std::size_t quality_row_as(const QualityRow& row) {
    return row.plain ? quality_row_of<Quality, PlainClasses>(row) : quality_row_of<Quality, ManyLayers>(row);
}

std::size_t quality_row(const QualityRow& row) {
    switch (row.kind) {
        case QualityKind::accuracy:
            return row.two_sided ? quality_row_as<EitherSide<Accuracy>>(row) : quality_row_as<Accuracy>(row);
        case QualityKind::precision: return quality_row_as<Precision>(row);
        case QualityKind::shift:
            return row.two_sided ? quality_row_as<EitherSide<Shift>>(row) : quality_row_as<Shift>(row);
        default: return quality_row_as<ChiSquare>(row);
    }
}

}  // namespace
}  // namespace paclearn
