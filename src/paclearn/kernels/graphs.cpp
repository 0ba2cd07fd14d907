// Regression graphs: histograms of the rows of a leaf, the best split of a leaf, and the way of rows through a graph.
//
// Weights and weighted targets come as multiples of one power of two, small enough for every sum to be exact. So the
// order of the rows is of no account, differences of histograms are those of the rows, and numpy gets the same bytes.
#include <algorithm>
#include <numeric>

#include "graphs.hpp"
#include "interrupt.hpp"

namespace paclearn {
namespace {

constexpr std::size_t kBlockRows = 1024;

// Says what a split gains: `weight` and `sum` are those of the rows on the low side.
class Gain {
public:
    Gain(double weight, double sum, double least) : weight_(weight), sum_(sum), least_(least) {}

    double operator()(double weight, double sum) const {
        const double rest = weight_ - weight;
        if (weight < least_ || rest < least_ || weight <= 0 || rest <= 0) return -1.0;
        const double apart = sum * weight_ - sum_ * weight;
        return apart * apart / (weight * rest * weight_);
    }

    // What a group of rows adds to the squares between groups.
    double between(const BinSums& group) const {
        const double apart = group.sum * weight_ - sum_ * group.weight;
        return apart * apart / (group.weight * weight_ * weight_);
    }

private:
    double weight_, sum_, least_;
};

void keep_better(Split& best, double gain, std::int32_t column, std::int32_t cut, std::int32_t missing_low) {
    if (gain > best.gain) best = {gain, column, cut, missing_low};
}

// Bins 0 .. n_present - 1 in order; whatever comes after them is missing and may go to either side.
void split_numbers(const BinSums* bins, const HistogramColumn& column, std::int32_t number, const Gain& gain,
                   Split& best) {
    BinSums missing{0, 0};
    for (std::size_t b = column.n_present; b < column.n_bins; ++b) missing += bins[b];
    const bool some_missing = missing.weight > 0;
    BinSums low{0, 0};
    for (std::size_t b = 0; b < column.n_present; ++b) {
        low += bins[b];
        if (b + 1 == column.n_present && !some_missing) break;
        keep_better(best, gain(low.weight, low.sum), number, static_cast<std::int32_t>(b), 0);
        if (some_missing)
            keep_better(best, gain(low.weight + missing.weight, low.sum + missing.sum), number,
                        static_cast<std::int32_t>(b), 1);
    }
}

// The share of the squares between so many levels that is more than chance: two levels are as good as a number.
double beyond_chance(std::size_t n_levels, double squares, double chance) {
    const double charge = n_levels > 2 ? static_cast<double>(n_levels - 2) * chance : 0.0;
    return squares > charge ? (squares - charge) / squares : 0.0;
}

// Levels that occur, sorted by their mean: the first of them against the others.
void split_levels(const BinSums* bins, const HistogramColumn& column, std::int32_t number, const Gain& gain,
                  double chance, Split& best) {
    double means[kMostBins];
    std::uint16_t order[kMostBins];
    std::size_t n = 0;
    double squares = 0;
    for (std::size_t b = 0; b < column.n_bins; ++b)
        if (bins[b].weight > 0) {
            means[b] = bins[b].sum / bins[b].weight;
            squares += gain.between(bins[b]);
            order[n++] = static_cast<std::uint16_t>(b);
        }
    const double share = beyond_chance(n, squares, chance);
    if (share <= 0) return;
    std::stable_sort(order, order + n, [&](std::uint16_t a, std::uint16_t b) { return means[a] < means[b]; });
    BinSums low{0, 0};
    for (std::size_t i = 0; i + 1 < n; ++i) {
        low += bins[order[i]];
        keep_better(best, share * gain(low.weight, low.sum), number, static_cast<std::int32_t>(i), 0);
    }
}

// Adds some rows of one column and returns its largest code. A function of its own: inlined, the address of a bin is
// worked out anew for every row.
[[gnu::noinline]] std::uint8_t add_rows(const std::uint8_t* codes, const std::int32_t* rows, std::size_t n_rows,
                                        const BinSums* sums, BinSums* bins) {
    std::uint8_t largest = 0;
    for (std::size_t i = 0; i < n_rows; ++i) {
        const std::uint8_t code = codes[rows[i]];
        bins[code] += sums[i];
        largest = std::max(largest, code);
    }
    return largest;
}

}  // namespace

std::vector<std::uint8_t> fill_histogram(const BinnedTable& table, const std::vector<HistogramColumn>& columns,
                                         const std::int32_t* rows, std::size_t n_rows, const double* weights,
                                         const double* sums, BinSums* histogram) {
    std::vector<std::uint8_t> largest(columns.size());
    BinSums block[kBlockRows];
    Interrupt interrupt;
    for (std::size_t first = 0; first < n_rows; first += kBlockRows) {
        interrupt.check();
        const std::size_t n = std::min(kBlockRows, n_rows - first);
        const std::int32_t* some = rows + first;
        for (std::size_t i = 0; i < n; ++i) block[i] = {weights[some[i]], sums[some[i]]};
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const std::uint8_t most = add_rows(table.codes + c * table.n_rows, some, n, block, histogram + columns[c].start);
            largest[c] = std::max(largest[c], most);
        }
    }
    return largest;
}

Split best_split(const BinSums* histogram, const std::vector<HistogramColumn>& columns, const std::int32_t* tried,
                 std::size_t n_tried, double weight, double sum, double least_weight, double chance) {
    const Gain gain(weight, sum, least_weight);
    Split best{0.0, -1, 0, 0};
    for (std::size_t t = 0; t < n_tried; ++t) {
        const HistogramColumn& column = columns[static_cast<std::size_t>(tried[t])];
        const BinSums* bins = histogram + column.start;
        if (column.levels)
            split_levels(bins, column, tried[t], gain, chance, best);
        else
            split_numbers(bins, column, tried[t], gain, best);
    }
    return best;
}

std::size_t partition_rows(const std::uint8_t* codes, const std::uint8_t* low, const std::int32_t* rows,
                           std::size_t n_rows, std::int32_t* sorted) {
    std::vector<std::int32_t> high(n_rows);  // every row is written to both sides, and one of them moves on
    std::size_t n_low = 0;
    Interrupt interrupt;
    for (std::size_t begin = 0; begin < n_rows; begin += kBlockRows) {
        interrupt.check();
        for (std::size_t i = begin; i < std::min(begin + kBlockRows, n_rows); ++i) {
            const std::size_t is_low = low[codes[rows[i]]] != 0;
            sorted[n_low] = high[i - n_low] = rows[i];
            n_low += is_low;
        }
    }
    std::copy_n(high.begin(), n_rows - n_low, sorted + n_low);
    return n_low;
}

// Nodes that nothing points at are taken away until none is left to take.
bool has_cycle(const GraphArrays& graph) {
    std::vector<std::size_t> parents(graph.n_nodes);
    const auto each_child = [&](std::size_t node, auto visit) {
        if (graph.column[node] < 0) return;
        visit(static_cast<std::size_t>(graph.low[node]));
        visit(static_cast<std::size_t>(graph.high[node]));
    };
    for (std::size_t node = 0; node < graph.n_nodes; ++node)
        each_child(node, [&](std::size_t child) { ++parents[child]; });
    std::vector<std::size_t> free;
    for (std::size_t node = 0; node < graph.n_nodes; ++node)
        if (parents[node] == 0) free.push_back(node);
    for (std::size_t i = 0; i < free.size(); ++i)
        each_child(free[i], [&](std::size_t child) {
            if (--parents[child] == 0) free.push_back(child);
        });
    return free.size() < graph.n_nodes;
}

void route_rows(const BinnedTable& table, const GraphArrays& graph, std::int32_t* leaf) {
    Interrupt interrupt;
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        if (row % kBlockRows == 0) interrupt.check();
        std::int32_t node = 0;
        while (graph.column[node] >= 0) {
            const std::size_t place = static_cast<std::size_t>(graph.column[node]) * table.n_rows + row;
            const bool low = graph.tables[static_cast<std::size_t>(node) * kMostBins + table.codes[place]] != 0;
            node = low ? graph.low[node] : graph.high[node];
        }
        leaf[row] = node;
    }
}

}  // namespace paclearn
