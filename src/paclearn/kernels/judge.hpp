// What a conjunction is worth, from its rows in every layer.
#pragma once

#include <vector>

#include "isa.hpp"

namespace paclearn {

// A row of layer l adds this much to the rows of a conjunction and to the sum of its target.
struct LayerWeights {
    std::vector<double> rows, target;

    std::size_t count() const { return rows.size(); }
};

struct Ranking {
    QualityKind kind;
    double squares;  // sum of squares of what the target differs from its mean
    bool two_sided;
    bool minimal;    // whether a conjunction must be better than each of its shorter forms
    double min_rows;
};

class Judge {
public:
    Judge(const std::vector<std::uint32_t>& totals, const LayerWeights& weights, const Ranking& ranking);

    std::size_t n_layers() const { return weights_.count(); }
    const Ranking& ranking() const { return ranking_; }

    // The measure of a conjunction with rows enough; far below any other for all others.
    double measure(const std::int64_t* counts) const;

    // Everything about the table that does not change from row to row of pairs.
    QualityRow row() const;

    // What measures in lanes may be wrong by.
    double lane_error() const;

private:
    double of(double rows, double sums) const;
    double mutual_information(double rows, double sums) const;

    LayerWeights weights_;
    Ranking ranking_;
    double rows_, sums_, mean_;
    bool turned_;  // in lanes, the other class is at hand: the rarer one is the one to count
    std::vector<float> row_weights_, target_weights_;
};

}  // namespace paclearn
