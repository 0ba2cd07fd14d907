// The only file of the core that knows about Python. Shapes are checked by the caller, counting/native.py.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "kernels.hpp"
#include "popcount.hpp"

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

}  // namespace

NB_MODULE(_core, m) {
    m.def("instruction_set", &instruction_set);
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
