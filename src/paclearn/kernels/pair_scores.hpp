// The scores of the pairs of a block: rows of them at once for bits, one after another for units of more codes.
#pragma once

#include "best.hpp"
#include "pair_counts.hpp"
#include "scores.hpp"

namespace paclearn {

// What a scan looks for.
struct Wanted {
    ScoreKind kind;
    double scale;  // turns the sum over cells into the score
    std::size_t n_classes;
    double n_rows;

    bool bounded() const { return has_bound(kind, n_classes); }
};

class PairScorer {
public:
    PairScorer(const Units& units, const Wanted& wanted, const PairCounts& counts, Best& best)
        : units_(units), wanted_(wanted), counts_(counts), best_(best) {}

    // What depends on the rows but not on the block; `prefix` are the members before the pair.
    void tabulate(std::vector<std::int32_t> prefix);

    // Offers all pairs of unit j with the units from k_begin to k_end that may be among the best.
    void score(std::size_t j, std::size_t k_begin, std::size_t k_end, LineBuffer<std::uint32_t>& close);

private:
    void tabulate_excess(std::size_t n_groups);
    void tabulate_weights();

    void score_bits(std::size_t j, std::size_t k_begin, std::size_t k_end, LineBuffer<std::uint32_t>& close);
    void score_units(std::size_t j, std::size_t k_begin, std::size_t k_end);
    float close_enough() const;
    void offer(std::size_t j, std::size_t k);

    double bound(std::size_t j, std::size_t k);
    template <std::size_t kPlanes>
    double bound_with(std::size_t j, std::size_t k);

    double exact(std::size_t j, std::size_t k);
    template <class Score>
    double exact_as(std::size_t j, std::size_t k);
    void fill_cells(std::size_t s, std::size_t j, std::size_t k, double* cells) const;

    const Units& units_;
    const Wanted& wanted_;
    const PairCounts& counts_;
    Best& best_;
    std::vector<std::int32_t> members_;
    std::vector<float> group_weight_, weights_[2], singles_j_;
    std::vector<float> excess_, excess_j_, excess_total_;  // of the second class over the first
    std::vector<std::int32_t> left_of_b_;
    std::vector<double> cells_, in_cell_;
};

}  // namespace paclearn
