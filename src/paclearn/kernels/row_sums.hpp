// Scores from sums over the rows themselves, in double precision: what is close to the best is looked at again by these.
#pragma once

#include <variant>

#include "cells.hpp"
#include "interrupt.hpp"

namespace paclearn {

// squares: the share of the squares of numbers that the means of cells explain, from sums of weights, of numbers and of their
// squares (and, where rows have weights, of the same in their own means). votes: how well the majority of the cells does, from
// weights (and those in rows' own votes). See SquaredErrorScore and ZeroOneScore.
enum class SumKind { squares, votes };

class RowSums {
public:
    using Rows = std::variant<CodedRows<std::uint8_t>, CodedRows<std::uint16_t>>;

    RowSums(Rows rows, SumKind kind, double scale) : rows_(rows), kind_(kind), scale_(scale) {}

    double score(const std::vector<std::int32_t>& members, Interrupt& interrupt) const;

private:
    double squares(const std::vector<double>& sums, std::size_t n_values) const;
    double votes(const std::vector<double>& sums, std::size_t n_classes, std::size_t n_values) const;

    Rows rows_;
    SumKind kind_;
    double scale_;
};

}  // namespace paclearn
