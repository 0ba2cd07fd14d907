// Scores from sums over the rows themselves, in double precision: what is close to the best is looked at again by these.
#pragma once

#include <memory>
#include <variant>

#include "interrupt.hpp"
#include "masked_sums.hpp"

namespace paclearn {

// squares: the share of the squares of numbers that the means of cells explain, from sums of weights, of numbers and of their
// squares (and, where rows have weights, of the same in their own means). votes: how well the majority of the cells does, from
// weights (and those in rows' own votes). See SquaredErrorScore and ZeroOneScore.
enum class SumKind { squares, votes };

class RowSums {
public:
    using Rows = std::variant<CodedRows<std::uint8_t>, CodedRows<std::uint16_t>>;

    // `table` has the same rows, packed; its planes outlive this.
    RowSums(Rows rows, const Strata& table, const Units& units, SumKind kind, double scale);

    double score(const std::vector<std::int32_t>& members, Interrupt& interrupt) const;

private:
    template <class Code>
    std::vector<double> sums_of(const CodedRows<Code>& rows, const std::vector<std::int32_t>& members, Interrupt& interrupt) const;
    const Word* plane_of(std::int32_t unit) const { return bits_[static_cast<std::size_t>(unit)]; }
    bool are_few_bits(const std::vector<std::int32_t>& members) const;
    double squares(const std::vector<double>& sums, std::size_t n_values) const;
    double votes(const std::vector<double>& sums, std::size_t n_classes, std::size_t n_values) const;

    Rows rows_;
    std::vector<const Word*> bits_;            // the plane of every unit that is a bit, null of others
    std::shared_ptr<const MaskedSums> masked_;  // none where rows must be added in their own order
    SumKind kind_;
    double scale_;
};

}  // namespace paclearn
