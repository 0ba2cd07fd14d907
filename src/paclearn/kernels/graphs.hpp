// What the core offers to regression graphs; see graphs.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace paclearn {

// Weight of the rows of a bin, and the sum of their weighted targets.
struct BinSums {
    double weight;
    double sum;

    BinSums& operator+=(const BinSums& other) {
        weight += other.weight;
        sum += other.sum;
        return *this;
    }
};

// Codes of one byte, one column after another.
struct BinnedTable {
    const std::uint8_t* codes;
    std::size_t n_rows;
};

constexpr std::size_t kMostBins = 256;  // of a column: its codes are bytes

// Bins from n_present on hold what is missing; levels have no order of their own.
struct HistogramColumn {
    std::size_t start;
    std::size_t n_bins;
    std::size_t n_present;
    bool levels;
};

struct Split {
    double gain;
    std::int32_t column;  // -1: no split gains anything
    std::int32_t cut;
    std::int32_t missing_low;
};

// Node 0 is the root; column -1 marks a leaf; tables[node, code] says who goes low.
struct GraphArrays {
    std::size_t n_nodes;
    const std::int32_t* column;
    const std::int32_t* low;
    const std::int32_t* high;
    const std::uint8_t* tables;
};

// Adds the rows to a histogram, which has room for kMostBins from the start of every column. Returns the largest code
// that each column was seen to have.
std::vector<std::uint8_t> fill_histogram(const BinnedTable& table, const std::vector<HistogramColumn>& columns,
                                         const std::int32_t* rows, std::size_t n_rows, const double* weights,
                                         const double* sums, BinSums* histogram);

// The first of the splits that gain most, among the columns tried. Where levels are sorted by their means, `chance` is
// what each of them adds to the squares between them if the column says nothing: it comes off what the split gains.
Split best_split(const BinSums* histogram, const std::vector<HistogramColumn>& columns, const std::int32_t* tried,
                 std::size_t n_tried, double weight, double sum, double least_weight, double chance);

// Rows that go low, then the others, both in the order they had; says how many go low.
std::size_t partition_rows(const std::uint8_t* codes, const std::uint8_t* low, const std::int32_t* rows,
                           std::size_t n_rows, std::int32_t* sorted);

// Whether a way through the graph comes back to where it was.
bool has_cycle(const GraphArrays& graph);

// The leaf that every row comes to; the graph has no cycle.
void route_rows(const BinnedTable& table, const GraphArrays& graph, std::int32_t* leaf);

}  // namespace paclearn
