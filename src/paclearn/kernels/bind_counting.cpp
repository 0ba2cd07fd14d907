// Packing, counting and summing for Python; see numpy_counting.py.
#include <optional>

#include "coded_rows.hpp"
#include "pack.hpp"
#include "packed_table.hpp"

namespace paclearn {
namespace {

constexpr std::size_t kMostNumbers = std::size_t{1} << 58;  // of a table; more have no address

void make_packer(Packer* self, nb::handle row_class, std::int64_t n_classes) {
    const auto classes = array<const std::int32_t, 1>(row_class, "row_class");
    const std::size_t n = expect_classes(n_classes);
    expect_within(classes.data(), classes.shape(0), 0, n_classes, "row_class");
    new (self) Packer(classes.data(), classes.shape(0), n);
}

Array<Word, 2> planes_to_fill(nb::handle object, const Packer& packer, std::optional<std::size_t> n_planes = {}) {
    const auto planes = array<Word, 2>(object, "planes");
    const std::size_t n = n_planes.value_or(planes.shape(0)), n_words = packer.words_per_plane();
    expect(planes.shape(0) == n && planes.shape(1) == n_words, "planes must have shape (", n, ", ", n_words,
           ") for these sizes and classes; found (", planes.shape(0), ", ", planes.shape(1), ")");
    return planes;
}

template <class Code>
void pack_as(const Packer& packer, nb::handle codes, nb::handle planes) {
    const auto column = array<const Code, 1>(codes, "codes");
    const auto out = planes_to_fill(planes, packer);
    expect(column.shape(0) == packer.n_rows(), "a column must have a code for each of the ", packer.n_rows(),
           " rows; found ", column.shape(0));
    const nb::gil_scoped_release unlocked;
    packer.pack(column.data(), out.shape(0), out.data());
}

void pack(const Packer& packer, nb::handle codes, nb::handle planes) {
    const auto pack_codes = holds<std::uint8_t>(codes) ? pack_as<std::uint8_t> : pack_as<std::uint16_t>;
    pack_codes(packer, codes, planes);
}

void pack_matrix(const Packer& packer, nb::handle codes, nb::handle sizes, nb::handle planes) {
    const auto matrix = array<const std::uint8_t, 2>(codes, "codes");
    const auto n_codes = array<const std::int64_t, 1>(sizes, "sizes");
    const std::size_t d = n_codes.shape(0);
    expect(d > 0, "a table must have a column; found none");
    expect(matrix.shape(0) == packer.n_rows() && matrix.shape(1) == d, "codes must have shape (", packer.n_rows(), ", ", d,
           "), the classes and the sizes say; found (", matrix.shape(0), ", ", matrix.shape(1), ")");
    const auto out = planes_to_fill(planes, packer, first_planes(n_codes).back());
    const std::vector<std::size_t> list(n_codes.data(), n_codes.data() + d);
    const nb::gil_scoped_release unlocked;
    packer.pack_matrix(matrix.data(), list, out.data());
}

void sort(const Packer& packer, nb::handle unsorted, nb::handle planes) {
    const auto from = array<const Word, 2>(unsorted, "unsorted");
    expect(from.shape(1) >= words_of(packer.n_rows()), packer.n_rows(), " rows need planes of ",
           words_of(packer.n_rows()), " words or more; found ", from.shape(1));
    const auto out = planes_to_fill(planes, packer, from.shape(0));
    const nb::gil_scoped_release unlocked;
    packer.sort(from.data(), from.shape(1), from.shape(0), out.data());
}

nb::object class_starts(const Packer& packer) {
    const auto starts = zeros<std::int64_t>(packer.classes().size() + 1);
    for (std::size_t c = 0; c < packer.classes().size(); ++c)
        starts.data[c + 1] = static_cast<std::int64_t>(packer.classes()[c].end_word);
    return starts.object;
}

nb::object class_rows(const Packer& packer) {
    const auto rows = zeros<std::int64_t>(packer.classes().size());
    for (std::size_t c = 0; c < packer.classes().size(); ++c)
        rows.data[c] = static_cast<std::int64_t>(packer.classes()[c].n_rows);
    return rows.object;
}

// The subsets, and the largest number of cells that any of them has.
struct CheckedSubsets {
    Array<const std::int32_t, 2> array;
    std::size_t cells = 1;

    Subsets list() const { return {array.data(), array.shape(0), array.shape(1)}; }
};

// The number of cells of a subset, or a larger one than kMostNumbers if it is larger than that.
std::size_t cells_of(const std::int32_t* members, std::size_t k, const std::int64_t* sizes) {
    std::size_t cells = 1;
    for (std::size_t t = 0; t < k && cells <= kMostNumbers; ++t)
        if (__builtin_mul_overflow(cells, static_cast<std::size_t>(sizes[members[t]]), &cells)) return ~std::size_t{0};
    return cells;
}

CheckedSubsets checked_subsets(nb::handle object, const Array<const std::int64_t, 1>& sizes, std::size_t n_channels) {
    CheckedSubsets checked{array<const std::int32_t, 2>(object, "subsets")};
    const Subsets subsets = checked.list();
    expect(subsets.k > 0, "a subset must have a member; found subsets of none");
    expect_within(subsets.members, subsets.count * subsets.k, 0, static_cast<std::int64_t>(sizes.shape(0)), "subsets");
    for (std::size_t i = 0; i < subsets.count; ++i)
        checked.cells = std::max(checked.cells, cells_of(subsets[i], subsets.k, sizes.data()));
    expect(checked.cells <= kMostNumbers / n_channels, "a table of cells must have an address for each; found a subset of ",
           subsets.k, " units that has more cells");
    return checked;
}

nb::object count(nb::handle words, nb::handle sizes, nb::handle class_starts, nb::handle class_rows, nb::handle subsets,
                 std::int64_t n_threads) {
    const PackedTable table = packed_table(words, sizes, class_starts, class_rows);
    const CheckedSubsets checked = checked_subsets(subsets, table.sizes, table.classes.size());
    const std::size_t threads = expect_threads(n_threads);
    const auto counts = zeros<std::int64_t>(checked.list().count, checked.cells, table.classes.size());
    {
        const nb::gil_scoped_release unlocked;
        count_cells({table.words.data(), table.words.shape(1), table.first_plane, table.sizes.data(), table.classes,
                     valid_words(table.classes)},
                    checked.list(), checked.cells, counts.data, threads);
    }
    return counts.object;
}

// Columns that no subset asks for are not looked at.
template <class Code>
void check_codes(const Array<const Code, 2>& codes, const std::int64_t* sizes, const Subsets& subsets) {
    std::vector<bool> seen(codes.shape(0));
    for (std::size_t i = 0; i < subsets.count * subsets.k; ++i) {
        const auto unit = static_cast<std::size_t>(subsets.members[i]);
        if (seen[unit]) continue;
        seen[unit] = true;
        expect_codes(codes, unit, sizes[unit]);
    }
}

template <class Code>
nb::object sum_as(nb::handle codes, nb::handle sizes, nb::handle row_class, std::int64_t n_classes, nb::handle values,
                  nb::handle subsets, std::int64_t n_threads) {
    const auto columns = array<const Code, 2>(codes, "codes");
    const auto n_codes = array<const std::int64_t, 1>(sizes, "sizes");
    const auto classes = array<const std::int32_t, 1>(row_class, "row_class");
    const auto summands = array<const double, 2>(values, "values");
    const CodedRows<Code> rows = coded_rows(columns, n_codes, classes, n_classes, summands);
    const CheckedSubsets checked = checked_subsets(subsets, n_codes, rows.n_classes * rows.n_values);
    check_codes(columns, n_codes.data(), checked.list());
    const std::size_t threads = expect_threads(n_threads);
    const auto sums = zeros<double>(checked.list().count, checked.cells, rows.n_classes * rows.n_values);
    {
        const nb::gil_scoped_release unlocked;
        sum_cells<Code>(rows, checked.list(), checked.cells, sums.data, threads);
    }
    return sums.object;
}

nb::object sum(nb::handle codes, nb::handle sizes, nb::handle row_class, std::int64_t n_classes, nb::handle values,
               nb::handle subsets, std::int64_t n_threads) {
    const auto sum_codes = holds<std::uint8_t>(codes) ? sum_as<std::uint8_t> : sum_as<std::uint16_t>;
    return sum_codes(codes, sizes, row_class, n_classes, values, subsets, n_threads);
}

}  // namespace

void bind_counting(nb::module_& m) {
    nb::class_<Packer>(m, "Packer")
        .def("__init__", &make_packer)
        .def("pack", &pack)
        .def("pack_matrix", &pack_matrix)
        .def("sort", &sort)
        .def_prop_ro("class_starts", &class_starts)
        .def_prop_ro("class_rows", &class_rows);
    m.def("count_cells", &count);
    m.def("sum_cells", &sum);
}

}  // namespace paclearn
