// The scores of the pairs of a block: rows of them at once for bits, one after another for units of more codes.
#pragma once

#include "block_scorer.hpp"
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

class PairScorer final : public BlockScorer {
public:
    PairScorer(const Units& units, const Wanted& wanted, PairBuffers& buffers, Best& best)
        : units_(units), wanted_(wanted), buffers_(buffers), best_(best) {}

    void tabulate(const PairRows& rows, std::vector<std::int32_t> prefix) override;
    void count(PlaneRange a, PlaneRange b) override { counts_.count(a, b, units_.all_bits, buffers_.counts); }
    void score(std::size_t j, std::size_t k_begin, std::size_t k_end) override;

private:
    void tabulate_excess(std::size_t n_groups);
    void tabulate_weights();

    void score_bits(std::size_t j, std::size_t k_begin, std::size_t k_end);
    void score_units(std::size_t j, std::size_t k_begin, std::size_t k_end);
    float close_enough() const;
    void offer(std::size_t j, std::size_t k);

    double bound(std::size_t j, std::size_t k);
    template <std::size_t kPlanes>
    double bound_with(std::size_t j, std::size_t k);

    double exact(std::size_t j, std::size_t k);
    template <class Score>
    double exact_as(std::size_t j, std::size_t k);

    const Units& units_;
    const Wanted& wanted_;
    PairBuffers& buffers_;
    Best& best_;
    PairCounts counts_;
    std::vector<std::int32_t> members_;
    std::vector<float> group_weight_, weights_[2], singles_j_;
    std::vector<float> excess_, excess_j_, excess_total_;  // of the second class over the first
    std::vector<std::uint32_t> left_of_b_;
    std::vector<double> cells_, in_cell_;
};

}  // namespace paclearn
