// Every subset of k units, scored as it is counted; only the best are kept.
#pragma once

#include "strata.hpp"

namespace paclearn {

struct Scored {
    double score;
    std::vector<std::int32_t> members;
};

// The units of a table: a unit with q codes has q - 1 planes, from first_plane[unit] on.
struct Units {
    std::vector<std::size_t> first_plane;  // and the end
    bool all_bits = true;
    std::vector<std::vector<double>> inverse;  // 1 / P(unit = code), all ones unless the measure is a product

    std::size_t count() const { return first_plane.size() - 1; }
    std::size_t size(std::size_t unit) const { return first_plane[unit + 1] - first_plane[unit] + 1; }
};

class Scanner {
public:
    // `table` has one stratum a class; `scale` turns the sum over cells into the score.
    Scanner(Strata table, Units units, std::size_t n_classes, ScoreKind kind, double scale);
    ~Scanner();

    // The best subsets of size k >= 2 whose first member lies in [begin, end), best first. Those that do not reach
    // `floor` may be left out.
    std::vector<Scored> scan(std::size_t k, std::size_t begin, std::size_t end, std::size_t n_best, double floor,
                             std::size_t n_threads);

private:
    Strata table_;
    Units units_;
    std::size_t n_classes_;
    ScoreKind kind_;
    double scale_;
    double n_rows_;
    struct Pairs;
    std::unique_ptr<Pairs> pairs_;  // of the whole table, once a scan of triples has asked for them
};

}  // namespace paclearn
