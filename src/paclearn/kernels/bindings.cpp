// The only file of the core that knows about Python. Shapes are checked by the callers, the native.py of each system.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>

#include "graphs.hpp"
#include "kernels.hpp"
#include "scan.hpp"
#include "walk.hpp"

namespace nb = nanobind;
using namespace paclearn;

template <class T, std::size_t N>
using Array = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

namespace {

std::vector<ClassRange> class_ranges(const Array<const std::int64_t, 1>& starts,
                                     const Array<const std::int64_t, 1>& n_rows) {
    std::vector<ClassRange> ranges;
    for (std::size_t c = 0; c < n_rows.shape(0); ++c)
        ranges.push_back({static_cast<std::size_t>(starts.data()[c]), static_cast<std::size_t>(starts.data()[c + 1]),
                          static_cast<std::size_t>(n_rows.data()[c])});
    return ranges;
}

Subsets as_subsets(const Array<const std::int32_t, 2>& subsets) {
    return {subsets.data(), subsets.shape(0), subsets.shape(1)};
}

template <class Code>
void bind_pack(nb::module_& m) {
    m.def("pack_codes",
          [](Array<const Code, 1> codes, Array<const std::int64_t, 1> order, Array<const std::int64_t, 1> class_starts,
             Array<const std::int64_t, 1> class_rows, Array<Word, 2> planes) {
              const auto classes = class_ranges(class_starts, class_rows);
              nb::gil_scoped_release unlocked;
              pack_codes<Code>(codes.data(), order.data(), classes, planes.shape(0), planes.shape(1), planes.data());
          });
}

template <class Code>
void bind_sums(nb::module_& m) {
    m.def("sum_cells",
          [](Array<const Code, 2> codes, Array<const std::int64_t, 1> sizes, Array<const std::int32_t, 1> row_class,
             std::size_t n_classes, Array<const double, 2> values, Array<const std::int32_t, 2> subsets,
             Array<double, 4> sums, std::size_t n_threads) {
              const CodedRows<Code> rows{codes.data(), codes.shape(1), sizes.data(),     row_class.data(),
                                         n_classes,    values.data(),  values.shape(1)};
              const Subsets list = as_subsets(subsets);
              nb::gil_scoped_release unlocked;
              sum_cells<Code>(rows, list, sums.shape(1), sums.data(), n_threads);
          });
}

Strata class_strata(const Array<const Word, 2>& words, const Array<const Word, 1>& valid,
                    const Array<const std::int64_t, 1>& starts, const Array<const std::int64_t, 1>& n_rows) {
    Strata table;
    table.planes = words.data();
    table.stride = words.shape(1);
    table.n_planes = words.shape(0);
    table.valid = valid.data();
    table.starts.assign(starts.data(), starts.data() + starts.shape(0));
    table.totals.assign(n_rows.data(), n_rows.data() + n_rows.shape(0));
    return table;
}

// inverse[unit, code]: one over the probability of the code
Units scan_units(const Array<const std::int64_t, 1>& sizes, const Array<const double, 2>& inverse) {
    Units units;
    units.first_plane.push_back(0);
    for (std::size_t u = 0; u < sizes.shape(0); ++u) {
        const std::size_t q = static_cast<std::size_t>(sizes.data()[u]);
        units.first_plane.push_back(units.first_plane.back() + q - 1);
        units.all_bits = units.all_bits && q == 2;
        const double* row = inverse.data() + u * inverse.shape(1);
        units.inverse.emplace_back(row, row + q);
    }
    return units;
}

// Fills subsets[i, :] and scores[i] with the best, and says how many there are.
std::size_t scan(Scanner& scanner, std::size_t begin, std::size_t end, double floor, std::size_t n_threads,
                 Array<std::int32_t, 2> subsets, Array<double, 1> scores) {
    nb::gil_scoped_release unlocked;
    const std::vector<Scored> best =
        scanner.scan(subsets.shape(1), begin, end, subsets.shape(0), floor, n_threads);
    for (std::size_t i = 0; i < best.size(); ++i) {
        std::copy(best[i].members.begin(), best[i].members.end(), subsets.data() + i * subsets.shape(1));
        scores.data()[i] = best[i].score;
    }
    return best.size();
}

void bind_scanner(nb::module_& m) {
    nb::class_<Scanner>(m, "Scanner")
        .def("__init__",
             [](Scanner* self, Array<const Word, 2> words, Array<const Word, 1> valid,
                Array<const std::int64_t, 1> class_starts, Array<const std::int64_t, 1> class_rows,
                Array<const std::int64_t, 1> sizes, Array<const double, 2> inverse, int kind, double scale) {
                 new (self) Scanner(class_strata(words, valid, class_starts, class_rows), scan_units(sizes, inverse),
                                    class_rows.shape(0), static_cast<ScoreKind>(kind), scale);
             },
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("scan", &scan);
}

// A histogram is an array of shape (bins, 2).
BinSums* bins_of(const Array<double, 2>& histogram) { return reinterpret_cast<BinSums*>(histogram.data()); }

std::vector<HistogramColumn> histogram_columns(const Array<const std::int64_t, 2>& columns) {
    std::vector<HistogramColumn> list;
    for (std::size_t c = 0; c < columns.shape(0); ++c) {
        const std::int64_t* row = columns.data() + 4 * c;
        list.push_back({static_cast<std::size_t>(row[0]), static_cast<std::size_t>(row[1]),
                        static_cast<std::size_t>(row[2]), row[3] != 0});
    }
    return list;
}

void bind_graphs(nb::module_& m) {
    m.def("fill_histogram",
          [](Array<const std::uint8_t, 2> codes, Array<const std::int64_t, 1> starts,
             Array<const std::int32_t, 1> rows, Array<const double, 1> weights, Array<const double, 1> sums,
             Array<double, 2> histogram) {
              nb::gil_scoped_release unlocked;
              fill_histogram({codes.data(), codes.shape(1), codes.shape(0), starts.data()}, rows.data(),
                             rows.shape(0), weights.data(), sums.data(), bins_of(histogram));
          });
    m.def("best_split",
          [](Array<double, 2> histogram, Array<const std::int64_t, 2> columns, Array<const std::int32_t, 1> tried,
             double weight, double sum, double least_weight) {
              const Split best = best_split(bins_of(histogram), histogram_columns(columns), tried.data(),
                                            tried.shape(0), weight, sum, least_weight);
              return nb::make_tuple(best.gain, best.column, best.cut, best.missing_low != 0);
          });
    m.def("partition_rows", [](Array<const std::uint8_t, 1> codes, Array<const std::uint8_t, 1> low,
                               Array<const std::int32_t, 1> rows, Array<std::int32_t, 1> sorted) {
        nb::gil_scoped_release unlocked;
        return partition_rows(codes.data(), low.data(), rows.data(), rows.shape(0), sorted.data());
    });
    m.def("route_rows", [](Array<const std::uint8_t, 2> codes, Array<const std::int32_t, 1> column,
                           Array<const std::int32_t, 1> low, Array<const std::int32_t, 1> high,
                           Array<const std::uint8_t, 2> tables, Array<std::int32_t, 1> leaf) {
        nb::gil_scoped_release unlocked;
        route_rows({codes.data(), codes.shape(1), codes.shape(0), nullptr},
                   {column.data(), low.data(), high.data(), tables.data()}, leaf.data());
    });
}

void bind_walk(nb::module_& m) {
    m.def("walk", [](Array<const double, 2> gram, Array<const double, 2> before, Array<const double, 2> targets,
                     Array<const double, 1> counts, Array<const double, 1> radius, Array<const double, 1> rate,
                     Array<double, 1> norm, Array<double, 1> shrink, Array<double, 1> weight,
                     Array<double, 2> changes, Array<double, 2> sums) {
        const WalkBlock block{gram.data(),   before.data(),   targets.data(),
                              counts.data(), before.shape(0), before.shape(1)};
        const WalkState state{radius.data(), rate.data(), norm.data(), shrink.data(), weight.data()};
        nb::gil_scoped_release unlocked;
        walk(block, state, changes.data(), sums.data());
    });
    m.def("expand", [](Array<const double, 2> base, double slope, double offset, Array<const double, 2> coefficients,
                       Array<double, 2> out) {
        nb::gil_scoped_release unlocked;
        expand(base.data(), base.shape(0), base.shape(1), slope, offset, coefficients.data(), coefficients.shape(0),
               out.data());
    });
}

}  // namespace

NB_MODULE(_core, m) {
    bind_graphs(m);
    m.def("pack_by_squeezing",
          [](Array<const std::uint8_t, 1> codes, Array<const Word, 2> class_masks,
             Array<const std::int64_t, 1> class_starts, Array<const std::int64_t, 1> class_rows, Array<Word, 2> planes) {
              const auto classes = class_ranges(class_starts, class_rows);
              nb::gil_scoped_release unlocked;
              return pack_by_squeezing(codes.data(), codes.shape(0), class_masks.data(), classes, planes.shape(0),
                                       planes.shape(1), planes.data());
          });
    m.def("pack_rows",
          [](Array<const std::uint8_t, 2> codes, Array<const std::int64_t, 1> sizes, Array<const Word, 2> class_masks,
             Array<const std::int64_t, 1> class_starts, Array<const std::int64_t, 1> class_rows, Array<Word, 2> planes) {
              const auto classes = class_ranges(class_starts, class_rows);
              const std::vector<std::int64_t> n_codes(sizes.data(), sizes.data() + sizes.shape(0));
              nb::gil_scoped_release unlocked;
              return pack_rows(codes.data(), codes.shape(0), n_codes, class_masks.data(), classes,
                               planes.shape(1), planes.data());
          });
    m.def("sort_planes",
          [](Array<const Word, 2> unsorted, std::size_t n_rows, Array<const Word, 2> class_masks,
             Array<const std::int64_t, 1> class_starts, Array<const std::int64_t, 1> class_rows, Array<Word, 2> planes) {
              const auto classes = class_ranges(class_starts, class_rows);
              nb::gil_scoped_release unlocked;
              return sort_planes(unsorted.data(), unsorted.shape(1), unsorted.shape(0), n_rows, class_masks.data(),
                                 classes, planes.shape(1), planes.data());
          });
    m.def("instruction_set", [] { return instruction_set().name; });
    bind_scanner(m);
    bind_walk(m);
    bind_pack<std::uint8_t>(m);
    bind_pack<std::uint16_t>(m);
    bind_sums<std::uint8_t>(m);
    bind_sums<std::uint16_t>(m);
    m.def("count_cells", [](Array<const Word, 2> words, Array<const std::int64_t, 1> first_plane,
                            Array<const std::int64_t, 1> sizes, Array<const Word, 1> valid,
                            Array<const std::int64_t, 1> class_starts, Array<const std::int64_t, 1> class_rows,
                            Array<const std::int32_t, 2> subsets, Array<std::int64_t, 3> counts,
                            std::size_t n_threads) {
        const Planes planes{words.data(), words.shape(1), first_plane.data(),
                            sizes.data(), valid.data(),   class_ranges(class_starts, class_rows)};
        const Subsets list = as_subsets(subsets);
        nb::gil_scoped_release unlocked;
        count_cells(planes, list, counts.shape(1), counts.data(), n_threads);
    });
}
