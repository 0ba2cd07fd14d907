// Every subset of k units, scored from sums of numbers over its cells; only the best are kept.
#pragma once

#include "scan_task.hpp"
#include "sum_scores.hpp"

namespace paclearn {

// Any number of threads may scan with the same one.
class SumScanner {
public:
    // `table` has one stratum a class, and numbers of its rows.
    SumScanner(Strata table, Units units, SumRule rule)
        : table_(std::move(table)), units_(std::move(units)), rule_(std::move(rule)) {}

    const Units& units() const { return units_; }

    // Of two units or more; best first, ties in order.
    std::vector<Scored> scan(const ScanTask& task);

    // Of given subsets, k units each, exactly.
    void scores(const std::int32_t* members, std::size_t n, std::size_t k, std::size_t n_threads, double* scores) const;

private:
    ScannedTable table_;
    Units units_;
    SumRule rule_;
};

// Sums of the numbers of a table of one stratum over all pairs of its planes: sums[channel][plane][plane].
void sum_all_pairs(const Strata& table, std::size_t n_threads, std::int64_t* sums);

// Numbers of every row, channel by channel, as digits of sixteen bits: one, or two where a number does not fit. Rows that are
// not valid have none.
RowNumbers row_numbers(const std::int32_t* numbers, std::size_t n_channels, const Strata& table);

}  // namespace paclearn
