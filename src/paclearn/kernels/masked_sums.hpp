// Sums of values over the cells of a few bits, several rows at a time: for values whose sums are exact in any order.
#pragma once

#include <optional>

#include "cells.hpp"
#include "strata.hpp"

namespace paclearn {

// Values of packed rows, class by class: values[value][place], noughts where there is no row.
class MaskedSums {
public:
    static constexpr std::size_t kMostMembers = 4;

    // None where rounding would make a difference: then rows must be added in their own order.
    template <class Code>
    static std::optional<MaskedSums> of(const CodedRows<Code>& rows, const Strata& table) {
        if (!are_exact(rows.values, rows.n_rows, rows.n_values)) return {};
        return MaskedSums(rows.row_class, rows.values, rows.n_rows, rows.n_values, table);
    }

    // Of the cells of k units that are bits, as sum_subset() has them: sums[cell, class, value]. `planes` has theirs.
    void sum(const std::vector<const Word*>& planes, double* sums) const;

private:
    MaskedSums(const std::int32_t* row_class, const double* values, std::size_t n_rows, std::size_t n_values,
               const Strata& table);
    static bool are_exact(const double* values, std::size_t n_rows, std::size_t n_values);
    void add_block(const std::vector<const Word*>& planes, std::size_t word, std::size_t n_words, std::size_t y,
                   double* sums) const;

    std::vector<std::size_t> starts_;  // words of the classes, and the end
    std::size_t n_values_, stride_;
    std::vector<double> values_;
    std::vector<double> totals_;  // [class][value]
};

}  // namespace paclearn
