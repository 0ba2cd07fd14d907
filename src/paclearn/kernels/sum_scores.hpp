// Scores from sums of rounded numbers: bounds from above tell which pairs are worth a look at the rows themselves.
#pragma once

#include "block_scorer.hpp"
#include "row_sums.hpp"

namespace paclearn {

// What the numbers of the rows stand for, and how far off they are: a row's number times `step` differs by `error` at most.
struct Rounded {
    std::vector<double> step, error;  // of every channel
    double own;                       // the most that a row's weight is in its own vote or mean
    double peak;                      // the largest square of a number
};

// squares has the channels (number, square), or (weight, number, square in its own mean) of rows of weights of their own;
// votes has the channels (weight), in strata by class, and (weight in its own vote) where that is another.
struct SumRule {
    SumKind kind;
    Rounded rounded;
    RowSums exact;
    std::size_t n_classes;
    double scale;
};

class SumScorer final : public BlockScorer {
public:
    SumScorer(const Units& units, const SumRule& rule, PairBuffers& buffers, Best& best, Interrupt& interrupt)
        : units_(units), rule_(rule), buffers_(buffers), best_(best), interrupt_(interrupt) {}

    void tabulate(const PairRows& rows, std::vector<std::int32_t> prefix) override;
    void count(PlaneRange a, PlaneRange b) override;
    void score(std::size_t j, std::size_t k_begin, std::size_t k_end) override;
    void finish() override;

private:
    // A pair that may be among the best. Rows are looked at later, for the most hopeful pairs first: most of the others are
    // out of the question then.
    struct Hopeful {
        double bound;
        std::uint32_t j, k;
    };

    void bound_bits(std::size_t j, std::size_t k_begin, std::size_t k_end);
    double bound(std::size_t j, std::size_t k);
    double bound_of_group(std::size_t n_cells) const;
    double bound_of_squares(std::size_t cell, std::size_t n_cells) const;
    double bound_of_weighted(std::size_t cell, std::size_t n_cells) const;
    double bound_of_votes(std::size_t cell, std::size_t n_cells) const;
    double sum(std::size_t stratum, std::size_t channel, std::size_t cell, std::size_t n_cells) const;
    double rows(std::size_t stratum, std::size_t cell, std::size_t n_cells) const;

    const Units& units_;
    const SumRule& rule_;
    PairBuffers& buffers_;
    Best& best_;
    Interrupt& interrupt_;
    PairCounts counts_;
    PairSums sums_;
    std::size_t n_groups_ = 0, n_channels_ = 0;
    std::vector<std::int32_t> members_;
    std::vector<Hopeful> hopeful_;
    std::vector<double> bounds_, singles_j_;
    std::vector<double> cells_;  // of one group: [class][channel, and rows][cell]
};

}  // namespace paclearn
