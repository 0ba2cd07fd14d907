// Regression graphs for Python; see numpy_graphs.py.
#include "arguments.hpp"
#include "graphs.hpp"

namespace paclearn {
namespace {

using Bytes = Array<const std::uint8_t, 2>;
using Integers = Array<const std::int32_t, 1>;

// A row a column: its first bin, number of bins, number of bins that hold numbers, whether it has levels.
std::vector<HistogramColumn> histogram_columns(nb::handle layout) {
    const auto rows = array<const std::int64_t, 2>(layout, "layout");
    expect(rows.shape(1) == 4, "layout must have 4 numbers a column; found ", rows.shape(1));
    std::vector<HistogramColumn> columns;
    for (std::size_t c = 0; c < rows.shape(0); ++c) {
        const std::int64_t* row = rows.data() + 4 * c;
        expect(row[1] >= 0 && row[1] <= std::int64_t{kMostBins}, "a column has at most ", kMostBins, " bins; found ", row[1],
               " in column ", c);
        expect(row[0] >= 0 && row[0] <= std::int64_t{1} << 40 && row[2] >= 0 && row[2] <= row[1], "the bins of column ", c,
               " must start at 0 or later, and no more of them hold numbers than there are; found a start of ", row[0],
               " and ", row[2], " of ", row[1]);
        columns.push_back({static_cast<std::size_t>(row[0]), static_cast<std::size_t>(row[1]),
                           static_cast<std::size_t>(row[2]), row[3] != 0});
    }
    return columns;
}

std::size_t bins_of(const std::vector<HistogramColumn>& columns) {
    std::size_t n = 0;
    for (const HistogramColumn& column : columns) n += column.n_bins;
    return n;
}

// All bins lie in a histogram of so many.
void check_bins(const std::vector<HistogramColumn>& columns, std::size_t n_bins) {
    for (std::size_t c = 0; c < columns.size(); ++c)
        expect(columns[c].start + columns[c].n_bins <= n_bins, "the bins of column ", c, " must end within the ", n_bins,
               " of the histogram; found an end of ", columns[c].start + columns[c].n_bins);
}

// The bins of every column begin where those of the one before end: no two columns share one.
void check_order(const std::vector<HistogramColumn>& columns) {
    std::size_t start = 0;
    for (std::size_t c = 0; c < columns.size(); start += columns[c++].n_bins)
        expect(columns[c].start == start, "the bins of column ", c, " must start at ", start,
               ", behind those before them; found a start of ", columns[c].start);
}

Integers checked_rows(nb::handle object, std::size_t n_rows) {
    const auto rows = array<const std::int32_t, 1>(object, "rows");
    expect_within(rows.data(), rows.shape(0), 0, static_cast<std::int64_t>(n_rows), "rows");
    return rows;
}

Array<const double, 1> checked_numbers(nb::handle object, std::size_t n_rows, const char* name) {
    const auto values = array<const double, 1>(object, name);
    expect(values.shape(0) == n_rows, name, " must have a number for each of the ", n_rows, " rows; found ",
           values.shape(0));
    return values;
}

nb::object histogram_of(nb::handle codes, nb::handle layout, nb::handle rows, nb::handle weights, nb::handle sums) {
    const auto table = array<const std::uint8_t, 2>(codes, "codes");
    const std::vector<HistogramColumn> columns = histogram_columns(layout);
    const std::size_t n = table.shape(1), n_bins = bins_of(columns);
    expect(table.shape(0) == columns.size(), "layout must have a row for each of the ", table.shape(0),
           " columns; found ", columns.size());
    check_bins(columns, n_bins);
    check_order(columns);
    const auto some = checked_rows(rows, n);
    const auto weight = checked_numbers(weights, n, "weights"), sum = checked_numbers(sums, n, "sums");
    // a code that has no bin is written behind them, and told of when all is done: no branch in the loop
    const auto bins = zeros<double>(n_bins + kMostBins, 2);
    std::vector<std::uint8_t> largest;
    {
        const nb::gil_scoped_release unlocked;
        largest = fill_histogram({table.data(), n}, columns, some.data(), some.shape(0), weight.data(), sum.data(),
                                 reinterpret_cast<BinSums*>(bins.data));
    }
    for (std::size_t c = 0; c < columns.size() && some.shape(0) > 0; ++c)
        expect(largest[c] < columns[c].n_bins, "codes of column ", c, " must be less than its ", columns[c].n_bins,
               " bins; found ", int{largest[c]});
    return bins.object[nb::slice(n_bins)];
}

nb::tuple split_of(nb::handle histogram, nb::handle layout, nb::handle tried, double weight, double total,
                   double least_weight, double chance) {
    const auto bins = array<const double, 2>(histogram, "histogram");
    const std::vector<HistogramColumn> columns = histogram_columns(layout);
    expect(bins.shape(1) == 2, "a histogram has a weight and a sum a bin; found ", bins.shape(1), " numbers");
    check_bins(columns, bins.shape(0));
    const auto some = array<const std::int32_t, 1>(tried, "tried");
    expect_within(some.data(), some.shape(0), 0, static_cast<std::int64_t>(columns.size()), "tried");
    const Split best = best_split(reinterpret_cast<const BinSums*>(bins.data()), columns, some.data(), some.shape(0),
                                  weight, total, least_weight, chance);
    return nb::make_tuple(best.gain, best.column, best.cut, best.missing_low != 0);
}

nb::tuple partition(nb::handle codes, nb::handle low, nb::handle rows) {
    const auto column = array<const std::uint8_t, 1>(codes, "codes");
    const auto goes_low = array<const std::uint8_t, 1>(low, "low");
    expect(goes_low.shape(0) == kMostBins, "low must have an answer for each of ", kMostBins, " codes; found ",
           goes_low.shape(0));
    const auto some = checked_rows(rows, column.shape(0));
    const auto both = empty<std::int32_t>(some.shape(0));
    std::size_t n_low = 0;
    {
        const nb::gil_scoped_release unlocked;
        n_low = partition_rows(column.data(), goes_low.data(), some.data(), some.shape(0), both.data);
    }
    return nb::make_tuple(both.object[nb::slice(n_low)], both.object[nb::slice(n_low, some.shape(0))]);
}

// Children of nodes that ask, and the columns they ask for, exist; no way leads back.
void check_graph(const GraphArrays& graph, std::size_t n_columns) {
    const auto exists = [](std::int32_t number, std::size_t n) {
        return number >= 0 && static_cast<std::size_t>(number) < n;
    };
    expect(graph.n_nodes > 0, "a graph must have a root; found no nodes");
    for (std::size_t node = 0; node < graph.n_nodes; ++node) {
        if (graph.column[node] < 0) continue;
        expect(exists(graph.column[node], n_columns), "node ", node, " must ask for one of ", n_columns,
               " columns; found column ", graph.column[node]);
        expect(exists(graph.low[node], graph.n_nodes) && exists(graph.high[node], graph.n_nodes), "the children of node ",
               node, " must be among the ", graph.n_nodes, " nodes; found ", graph.low[node], " and ", graph.high[node]);
    }
    expect(!has_cycle(graph), "a way through the graph must end at a leaf; found one that comes back to where it was");
}

nb::object route(nb::handle codes, nb::handle column, nb::handle low, nb::handle high, nb::handle tables) {
    const Bytes table = array<const std::uint8_t, 2>(codes, "codes"), answers = array<const std::uint8_t, 2>(tables, "tables");
    const Integers asks = array<const std::int32_t, 1>(column, "column");
    const Integers below = array<const std::int32_t, 1>(low, "low"), above = array<const std::int32_t, 1>(high, "high");
    const std::size_t n = asks.shape(0);
    expect(below.shape(0) == n && above.shape(0) == n && answers.shape(0) == n && answers.shape(1) == kMostBins,
           "low, high and tables must have a row for each of the ", n, " nodes, the latter of ", kMostBins,
           " answers; found ", below.shape(0), ", ", above.shape(0), " and ", answers.shape(0), " of ", answers.shape(1));
    const GraphArrays graph{n, asks.data(), below.data(), above.data(), answers.data()};
    check_graph(graph, table.shape(0));
    const auto leaf = empty<std::int32_t>(table.shape(1));
    {
        const nb::gil_scoped_release unlocked;
        route_rows({table.data(), table.shape(1)}, graph, leaf.data);
    }
    return leaf.object;
}

}  // namespace

void bind_graphs(nb::module_& m) {
    m.def("fill_histogram", &histogram_of);
    m.def("best_split", &split_of);
    m.def("partition_rows", &partition);
    m.def("route_rows", &route);
}

}  // namespace paclearn
