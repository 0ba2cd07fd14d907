// Sums of numbers for Python: of all pairs of planes, and scans of subsets by them.
#include <nanobind/stl/string.h>

#include "bound_scan.hpp"
#include "coded_rows.hpp"
#include "sum_scan.hpp"

namespace paclearn {
namespace {

constexpr std::int64_t kMostOfNumbers = std::int64_t{1} << 30;

SumKind kind_of(const std::string& name) {
    if (name == "squares") return SumKind::squares;
    expect(name == "votes", "kind must be 'squares' or 'votes'; found '", name, "'");
    return SumKind::votes;
}

Array<const std::int32_t, 2> checked_numbers(nb::handle object, std::size_t n_words) {
    const auto numbers = array<const std::int32_t, 2>(object, "numbers");
    expect(numbers.shape(0) > 0 && numbers.shape(1) == n_words * kWordBits, "numbers must have a row or more of ",
           n_words * kWordBits, " numbers, one for every bit of a plane; found shape (", numbers.shape(0), ", ",
           numbers.shape(1), ")");
    expect_within(numbers.data(), numbers.size(), -kMostOfNumbers + 1, kMostOfNumbers, "numbers");
    return numbers;
}

std::vector<double> one_each(nb::handle object, std::size_t n, const char* name) {
    const auto given = numbers<1>(object, name);
    expect(given.shape(0) == n, name, " must have a number for each of the ", n, " rows of numbers; found ", given.shape(0));
    return {given.data(), given.data() + n};
}

// Arrays that a scan reads while it lasts.
struct KeptRows {
    nb::object codes, sizes, row_class, values;
};

template <class Code>
RowSums::Rows exact_rows(const KeptRows& kept, std::int64_t n_classes) {
    const auto codes = array<const Code, 2>(kept.codes, "codes");
    const auto sizes = array<const std::int64_t, 1>(kept.sizes, "sizes");
    const auto rows = coded_rows(codes, sizes, array<const std::int32_t, 1>(kept.row_class, "row_class"), n_classes,
                                 array<const double, 2>(kept.values, "values"));
    for (std::size_t unit = 0; unit < codes.shape(0); ++unit) expect_codes(codes, unit, sizes.data()[unit]);
    return rows;
}

// The rows themselves lie in the packed planes, class by class.
template <class Code>
void expect_class_rows(const CodedRows<Code>& rows, const PackedTable& table) {
    std::vector<std::size_t> found(table.classes.size());
    for (std::size_t row = 0; row < rows.n_rows; ++row) ++found[static_cast<std::size_t>(rows.row_class[row])];
    for (std::size_t y = 0; y < found.size(); ++y)
        expect(found[y] == static_cast<std::size_t>(table.classes[y].n_rows), "row_class must have the ", table.classes[y].n_rows,
               " rows of class ", y, " that class_rows has; found ", found[y]);
}

void expect_channels(SumKind kind, std::size_t n_channels, std::size_t n_values) {
    if (kind == SumKind::votes)
        return expect(n_channels == 1 || n_channels == 2, "votes have one or two rows of numbers; found ", n_channels);
    expect(n_channels == 2 || n_channels == 3, "squares have two or three rows of numbers; found ", n_channels);
    expect(n_values == 3 || n_values >= 5, "squares have three columns of values, or five or more; found ", n_values);
}

class SumScan : public BoundScan<SumScanner> {
public:
    SumScan(nb::object words, nb::object sizes, nb::handle class_starts, nb::handle class_rows, nb::handle numbers,
            nb::handle steps, nb::handle errors, double own, double peak, nb::object codes, nb::object row_class,
            nb::object values, const std::string& kind, double scale, std::int64_t n_threads)
        : SumScan(few_rows(packed_table(words, sizes, class_starts, class_rows)), numbers, steps, errors, own, peak,
                  {codes, sizes, row_class, values}, kind_of(kind), scale, n_threads) {}

    nb::tuple best(std::int64_t k, std::int64_t begin, std::int64_t end, std::int64_t n_best, double floor,
                   std::int64_t pair_bytes) {
        return best_subsets(k, begin, end, n_best, floor, pair_bytes);
    }

    nb::object scores(nb::handle object) const {
        const auto subsets = array<const std::int32_t, 2>(object, "subsets");
        const auto n = static_cast<std::int64_t>(scanner().units().count());
        expect(subsets.shape(1) > 0, "a subset must have a member; found subsets of none");
        expect_within(subsets.data(), subsets.size(), 0, n, "subsets");
        const auto scores = empty<double>(subsets.shape(0));
        const nb::gil_scoped_release unlocked;
        scanner().scores(subsets.data(), subsets.shape(0), subsets.shape(1), n_threads(), scores.data);
        return scores.object;
    }

private:
    SumScan(const PackedTable& table, nb::handle numbers, nb::handle steps, nb::handle errors, double own, double peak,
            KeptRows kept, SumKind kind, double scale, std::int64_t n_threads)
        : BoundScan(table, with_numbers(table, numbers, kind), n_threads, plain_units(table),
                    rule(table, numbers, {steps, errors}, own, peak, kept, kind, scale)),
          kept_(std::move(kept)) {}

    // Squares, and weights in rows' own votes, of bits need not be summed over pairs: what is known of either bit says enough.
    static Strata with_numbers(const PackedTable& table, nb::handle object, SumKind kind) {
        const auto numbers = checked_numbers(object, table.words.shape(1));
        Strata strata = class_strata(table);
        strata.numbers = row_numbers(numbers.data(), numbers.shape(0), strata);
        const bool weighted = kind == SumKind::squares && numbers.shape(0) == 3;
        if (plain_units(table).all_bits && !weighted) strata.numbers.n_paired = 1;
        return strata;
    }

    static SumRule rule(const PackedTable& table, nb::handle numbers, std::pair<nb::handle, nb::handle> rounding, double own,
                        double peak, const KeptRows& kept, SumKind kind, double scale) {
        const std::size_t n_channels = array<const std::int32_t, 2>(numbers, "numbers").shape(0);
        const auto n_classes = static_cast<std::int64_t>(table.classes.size());
        const RowSums::Rows rows = holds<std::uint8_t>(kept.codes) ? exact_rows<std::uint8_t>(kept, n_classes)
                                                                   : exact_rows<std::uint16_t>(kept, n_classes);
        const std::size_t n_values = std::visit([](const auto& of) { return of.n_values; }, rows);
        expect_channels(kind, n_channels, n_values);
        expect(kind == SumKind::votes || n_classes == 1, "squares have one class; found ", n_classes);
        const Rounded rounded{one_each(rounding.first, n_channels, "steps"), one_each(rounding.second, n_channels, "errors"),
                              own, peak};
        std::visit([&](const auto& of) { expect_class_rows(of, table); }, rows);
        const RowSums exact(rows, class_strata(table), plain_units(table), kind, scale);
        return {kind, rounded, exact, table.classes.size(), scale};
    }

    KeptRows kept_;
};

// Planes without classes: all of their bits are rows.
Strata bare_strata(const Array<const Word, 2>& words) {
    Strata strata;
    strata.planes = words.data();
    strata.stride = words.shape(1);
    strata.n_planes = words.shape(0);
    strata.storage.grow(strata.stride);
    std::fill_n(strata.storage.data(), strata.stride, ~Word{0});
    strata.valid = strata.storage.data();
    strata.starts = {0, strata.stride};
    strata.totals = {0};
    return strata;
}

nb::object sum_pairs_of(nb::handle words, nb::handle numbers, std::int64_t n_threads) {
    const auto planes = array<const Word, 2>(words, "words", kLineBytes);
    expect(planes.shape(1) % kLineWords == 0, "planes must have a multiple of 8 words; found ", planes.shape(1));
    const auto checked = checked_numbers(numbers, planes.shape(1));
    const std::size_t threads = expect_threads(n_threads);
    const auto sums = zeros<std::int64_t>(checked.shape(0), planes.shape(0), planes.shape(0));
    const nb::gil_scoped_release unlocked;
    Strata strata = bare_strata(planes);
    strata.numbers = row_numbers(checked.data(), checked.shape(0), strata);
    sum_all_pairs(strata, threads, sums.data);
    return sums.object;
}

}  // namespace

void bind_sums(nb::module_& m) {
    nb::class_<SumScan>(m, "SumScan",
                        "Every subset of two or more units, scored from sums of values over its cells; only the best come back.\n\n"
                        "Sums of whole numbers, which stand for the values as steps and errors say, tell which subsets may be\n"
                        "among the best; those are scored by the values themselves. Any number of threads may use one scan.")
        .def(nb::init<nb::object, nb::object, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, double, double,
                      nb::object, nb::object, nb::object, const std::string&, double, std::int64_t>(),
             nb::arg("words").none(), nb::arg("sizes").none(), nb::arg("class_starts").none(), nb::arg("class_rows").none(),
             nb::arg("numbers").none(), nb::arg("steps").none(), nb::arg("errors").none(), nb::arg("own"), nb::arg("peak"),
             nb::arg("codes").none(), nb::arg("row_class").none(), nb::arg("values").none(), nb::arg("kind"),
             nb::arg("scale"), nb::arg("n_threads"))
        .def("best", &SumScan::best, nb::arg("k"), nb::arg("begin"), nb::arg("end"), nb::arg("n_best"),
             nb::arg("floor") = kLowestFloor, nb::arg("pair_bytes") = kMostPairBytes)
        .def("scores", &SumScan::scores, nb::arg("subsets").none(), "Scores of some subsets, by the values themselves.");
    m.def("sum_pairs", &sum_pairs_of, nb::arg("words").none(), nb::arg("numbers").none(), nb::arg("n_threads"));
}

}  // namespace paclearn
