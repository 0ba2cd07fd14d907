// Sums of row values over the cells of small subsets: what weights and numeric targets need.
//
// Rows are added in their own order, whatever the blocks and threads, so that the sums are the same to the last bit
// as those of the numpy engine.
#include <algorithm>

#include "cells.hpp"
#include "threads.hpp"

namespace paclearn {
namespace {

constexpr std::size_t kBlockRows = 2048;

// One block of rows of one subset. A function of its own: inlined with all around it, its registers do not suffice.
template <class Code>
[[gnu::noinline]] void add_rows(const std::size_t* prefix, const Code* codes, std::size_t q, const std::int32_t* row_class,
                                std::size_t n_classes, const double* values, std::size_t n_values, std::size_t n_rows,
                                double* table) {
    for (std::size_t r = 0; r < n_rows; ++r, values += n_values) {
        const std::size_t group = (prefix[r] * q + codes[r]) * n_classes + static_cast<std::size_t>(row_class[r]);
        double* sums = table + group * n_values;
        for (std::size_t v = 0; v < n_values; ++v) sums[v] += values[v];
    }
}

template <class Code>
class RunSummer {
public:
    RunSummer(const CodedRows<Code>& rows, const Subsets& subsets, std::size_t cells, double* sums,
              Interrupt& interrupt)
        : rows_(rows), subsets_(subsets), table_size_(cells * rows.n_classes * rows.n_values), sums_(sums),
          prefix_(kBlockRows), interrupt_(interrupt) {}

    void operator()(const Run& run) {
        for (std::size_t first = 0; first < rows_.n_rows; first += kBlockRows) {
            interrupt_.check();
            const std::size_t n = std::min(kBlockRows, rows_.n_rows - first);
            index_prefix(subsets_[run.begin], first, n);
            for (std::size_t i = run.begin; i < run.end; ++i) add_block(i, first, n);
        }
    }

private:
    const Code* column(std::int32_t unit, std::size_t first) const {
        return rows_.codes + static_cast<std::size_t>(unit) * rows_.n_rows + first;
    }

    void index_prefix(const std::int32_t* members, std::size_t first, std::size_t n) {
        std::fill_n(prefix_.begin(), n, std::size_t{0});
        for (std::size_t t = 0; t + 1 < subsets_.k; ++t) {
            const Code* codes = column(members[t], first);
            const std::size_t q = static_cast<std::size_t>(rows_.sizes[members[t]]);
            for (std::size_t r = 0; r < n; ++r) prefix_[r] = prefix_[r] * q + codes[r];
        }
    }

    void add_block(std::size_t subset, std::size_t first, std::size_t n) {
        const std::int32_t unit = subsets_[subset][subsets_.k - 1];
        add_rows(prefix_.data(), column(unit, first), static_cast<std::size_t>(rows_.sizes[unit]),
                 rows_.row_class + first, rows_.n_classes, rows_.values + first * rows_.n_values, rows_.n_values, n,
                 sums_ + subset * table_size_);
    }

    const CodedRows<Code>& rows_;
    const Subsets& subsets_;
    std::size_t table_size_;
    double* sums_;
    std::vector<std::size_t> prefix_;
    Interrupt& interrupt_;
};

}  // namespace

template <class Code>
void sum_cells(const CodedRows<Code>& rows, const Subsets& subsets, std::size_t cells, double* sums,
               std::size_t n_threads) {
    const std::vector<Run> runs = runs_of_equal_prefix(subsets);
    for_each_job(runs.size(), n_threads, [&](Interrupt& interrupt) {
        return [summer = RunSummer<Code>(rows, subsets, cells, sums, interrupt), &runs](std::size_t job) mutable {
            summer(runs[job]);
        };
    });
}

template <class Code>
void sum_subset(const CodedRows<Code>& rows, const Subsets& subset, double* sums, Interrupt& interrupt) {
    RunSummer<Code>(rows, subset, 0, sums, interrupt)({0, 1});
}

template void sum_subset<std::uint8_t>(const CodedRows<std::uint8_t>&, const Subsets&, double*, Interrupt&);
template void sum_subset<std::uint16_t>(const CodedRows<std::uint16_t>&, const Subsets&, double*, Interrupt&);
template void sum_cells<std::uint8_t>(const CodedRows<std::uint8_t>&, const Subsets&, std::size_t, double*,
                                      std::size_t);
template void sum_cells<std::uint16_t>(const CodedRows<std::uint16_t>&, const Subsets&, std::size_t, double*,
                                       std::size_t);

}  // namespace paclearn
