// Halfspaces for Python; see numpy_halfspaces.py.
#include <cmath>
#include <vector>

#include "arguments.hpp"
#include "walk.hpp"

namespace paclearn {
namespace {

struct Steps {
    nb::object norm, shrink, weight, changes, sums;
};

void expect_rows(std::size_t found, std::size_t n, const char* name, const char* what) {
    expect(found == n, name, " must have a row for each of the ", n, " ", what, "; found ", found);
}

// A block of rows, as walk() wants it.
struct Block {
    Array<const double, 2> gram, before, targets;
    Array<const double, 1> counts;

    std::size_t rows() const { return gram.shape(0); }
};

Block checked_block(nb::handle gram, nb::handle before, nb::handle targets, nb::handle counts, std::size_t outputs) {
    const Block block{numbers<2>(gram, "gram"), numbers<2>(before, "before"), numbers<2>(targets, "targets"),
                      numbers<1>(counts, "counts")};
    const std::size_t n = block.rows();
    expect(block.gram.shape(1) == n, "gram must be square; found ", n, " rows and ", block.gram.shape(1), " columns");
    expect_rows(block.before.shape(0), n, "before", "rows of gram");
    expect_rows(block.targets.shape(0), n, "targets", "rows of gram");
    expect_rows(block.counts.shape(0), n, "counts", "rows of gram");
    expect(block.before.shape(1) == outputs && block.targets.shape(1) == outputs,
           "before and targets must have a column for each of the ", outputs, " outputs of norm; found ",
           block.before.shape(1), " and ", block.targets.shape(1));
    for (std::size_t i = 0; i < n; ++i)
        expect(std::isfinite(block.counts.data()[i]) && block.counts.data()[i] >= 0,
               "counts must be finite and 0 or more; found ", block.counts.data()[i], " for row ", i);
    return block;
}

Steps steps_of(nb::handle gram, nb::handle before, nb::handle targets, nb::handle counts, nb::handle radius,
               nb::handle rate, nb::handle norm, bool one_sided) {
    const auto most = numbers<1>(radius, "radius"), length = numbers<1>(rate, "rate"), squared = numbers<1>(norm, "norm");
    const std::size_t outputs = squared.shape(0);
    expect_rows(most.shape(0), outputs, "radius", "outputs of norm");
    expect_rows(length.shape(0), outputs, "rate", "outputs of norm");
    const Block block = checked_block(gram, before, targets, counts, outputs);
    const auto out = empty<double>(std::size_t{3}, outputs);
    const auto moved = zeros<double>(std::size_t{2}, block.rows(), outputs);
    std::copy_n(squared.data(), outputs, out.data);
    {
        const nb::gil_scoped_release unlocked;
        walk({block.gram.data(), block.before.data(), block.targets.data(), block.counts.data(), block.rows(), outputs,
              one_sided},
             {most.data(), length.data(), out.data, out.data + outputs, out.data + 2 * outputs}, moved.data,
             moved.data + block.rows() * outputs);
    }
    return {out.object[0], out.object[1], out.object[2], moved.object[0], moved.object[1]};
}

// Coefficients go column by column, for the lanes' sake.
std::vector<double> by_columns(const Array<const double, 2>& weights) {
    const std::size_t n = weights.shape(0), outputs = weights.shape(1);
    std::vector<double> transposed(n * outputs);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < outputs; ++k) transposed[k * n + i] = weights.data()[i * outputs + k];
    return transposed;
}

nb::object expansion(nb::handle base, double slope, double offset, nb::handle weights) {
    const auto values = numbers<2>(base, "base"), coefficients = numbers<2>(weights, "weights");
    const std::size_t n = values.shape(0), outputs = coefficients.shape(1);
    expect_rows(coefficients.shape(0), values.shape(1), "weights", "columns of base");
    const auto out = zeros<double>(n, outputs);
    const std::vector<double> transposed = by_columns(coefficients);
    {
        const nb::gil_scoped_release unlocked;
        expand(values.data(), n, values.shape(1), slope, offset, transposed.data(), outputs, out.data);
    }
    return out.object;
}

}  // namespace

void bind_halfspaces(nb::module_& m) {
    nb::class_<Steps>(m, "Steps")
        .def_ro("norm", &Steps::norm)
        .def_ro("shrink", &Steps::shrink)
        .def_ro("weight", &Steps::weight)
        .def_ro("changes", &Steps::changes)
        .def_ro("sums", &Steps::sums);
    m.def("walk", &steps_of, nb::arg("gram").none(), nb::arg("before").none(), nb::arg("targets").none(),
          nb::arg("counts").none(), nb::arg("radius").none(), nb::arg("rate").none(), nb::arg("norm").none(),
          nb::arg("one_sided") = false);
    m.def("expand", &expansion);
}

}  // namespace paclearn
