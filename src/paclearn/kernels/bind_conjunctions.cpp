// Scans of conjunctions for Python.
#include <nanobind/stl/string.h>

#include <cmath>

#include "bound_scan.hpp"
#include "conjunction_scan.hpp"

namespace paclearn {
namespace {

QualityKind kind_of(const std::string& name) {
    if (name == "accuracy") return QualityKind::accuracy;
    if (name == "precision") return QualityKind::precision;
    if (name == "chi_square") return QualityKind::chi_square;
    if (name == "likelihood_ratio") return QualityKind::likelihood_ratio;
    expect(name == "shift",
           "kind must be 'accuracy', 'precision', 'chi_square', 'likelihood_ratio' or 'shift'; found '", name, "'");
    return QualityKind::shift;
}

Conditions conditions_of(nb::handle groups_given, nb::handle conditions_given, std::size_t n_planes) {
    const auto groups = array<const std::int64_t, 1>(groups_given, "groups");
    const auto numbers = array<const std::int32_t, 2>(conditions_given, "conditions");
    expect(groups.shape(0) == n_planes && numbers.shape(0) == n_planes && numbers.shape(1) == 2,
           "groups and conditions must have a row for each of the ", n_planes, " planes, conditions two numbers; found ",
           groups.shape(0), " and (", numbers.shape(0), ", ", numbers.shape(1), ")");
    expect_within(numbers.data(), numbers.size(), -1, std::numeric_limits<std::int32_t>::max(), "conditions");
    Conditions conditions;
    conditions.behind.assign(n_planes, n_planes);
    for (std::size_t p = n_planes; p-- > 0;) {
        if (p + 1 == n_planes) continue;
        expect(groups.data()[p] <= groups.data()[p + 1], "groups must go up; found ", groups.data()[p], " before ",
               groups.data()[p + 1]);
        conditions.behind[p] = groups.data()[p] == groups.data()[p + 1] ? conditions.behind[p + 1] : p + 1;
    }
    for (std::size_t p = 0; p < n_planes; ++p)
        for (std::size_t answer = 0; answer < 2; ++answer)
            conditions.number[answer].push_back(numbers.data()[2 * p + answer]);
    return conditions;
}

std::vector<double> weights_of(nb::handle given, const char* name, std::size_t n_layers) {
    const auto weights = numbers<1>(given, name);
    expect(weights.shape(0) == n_layers, name, " must have a number for each of the ", n_layers, " layers; found ",
           weights.shape(0));
    for (std::size_t layer = 0; layer < n_layers; ++layer)
        expect(std::isfinite(weights.data()[layer]) && weights.data()[layer] >= 0, name,
               " must be finite and not negative; found ", weights.data()[layer]);
    return {weights.data(), weights.data() + n_layers};
}

class ConjunctionScan : public BoundScan<ConjunctionScanner> {
public:
    ConjunctionScan(nb::object words, nb::handle class_starts, nb::handle class_rows, nb::handle groups,
                    nb::handle conditions, nb::handle row_weights, nb::handle target_weights, const std::string& kind,
                    double squares, bool two_sided, bool minimal, double min_rows, std::int64_t n_threads)
        : ConjunctionScan(packed_bits(words, class_starts, class_rows), groups, conditions, row_weights, target_weights,
                          ranking_of(kind, squares, two_sided, minimal, min_rows), n_threads) {}

    nb::tuple best(std::int64_t k, std::int64_t begin, std::int64_t end, std::int64_t n_best, double floor) {
        const auto n = static_cast<std::int64_t>(scanner().conditions().count());
        expect(k >= 1 && k <= 3, "k must be 1, 2 or 3; found ", k);
        expect(0 <= begin && begin <= end && end <= n, "the first plane must come from 0 to ", n - 1,
               "; found a range from ", begin, " to ", last_of(end));
        return scan(k, begin, end, n_best, floor);
    }

private:
    ConjunctionScan(const PackedTable& table, nb::handle groups, nb::handle conditions, nb::handle row_weights,
                    nb::handle target_weights, const Ranking& ranking, std::int64_t n_threads)
        : BoundScan(table, n_threads, conditions_of(groups, conditions, table.words.shape(0)),
                    LayerWeights{weights_of(row_weights, "row_weights", table.classes.size()),
                                 weights_of(target_weights, "target_weights", table.classes.size())},
                    ranking) {}

    // Every plane is a unit of two codes.
    static PackedTable packed_bits(nb::handle words, nb::handle class_starts, nb::handle class_rows) {
        const std::size_t n_planes = array<const Word, 2>(words, "words").shape(0);
        expect(n_planes > 0, "words must have a plane; found none");
        const auto sizes = empty<std::int64_t>(n_planes);
        std::fill_n(sizes.data, n_planes, 2);
        PackedTable table = packed_table(words, sizes.object, class_starts, class_rows);
        for (const ClassRange& range : table.classes)
            expect(range.n_rows < kMostRows, "a scan takes fewer than 2^31 rows a layer; found ", range.n_rows);
        return table;
    }

    static Ranking ranking_of(const std::string& kind, double squares, bool two_sided, bool minimal, double min_rows) {
        expect(std::isfinite(squares) && squares > 0, "squares must be finite and more than 0; found ", squares);
        expect(min_rows >= 0, "min_rows must be 0 or more; found ", min_rows);
        return {kind_of(kind), squares, two_sided, minimal, min_rows};
    }
};

}  // namespace

void bind_conjunctions(nb::module_& m) {
    nb::class_<ConjunctionScan>(m, "ConjunctionScan",
                                "Every conjunction of up to three conditions, scored in the core as it is counted; only the\n"
                                "best come back. See numpy_conjunctions.py. Any number of threads may use one scan.")
        .def(nb::init<nb::object, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle,
                      const std::string&, double, bool, bool, double, std::int64_t>(),
             nb::arg("words").none(), nb::arg("class_starts").none(), nb::arg("class_rows").none(),
             nb::arg("groups").none(), nb::arg("conditions").none(), nb::arg("row_weights").none(),
             nb::arg("target_weights").none(), nb::arg("kind"), nb::arg("squares"), nb::arg("two_sided"),
             nb::arg("minimal"), nb::arg("min_rows"), nb::arg("n_threads"))
        .def("best", &ConjunctionScan::best, nb::arg("k"), nb::arg("begin"), nb::arg("end"), nb::arg("n_best"),
             nb::arg("floor") = kLowestFloor,
             "The best conjunctions of k conditions whose first plane lies in [begin, end), best first, ties in order.\n\n"
             "Those that do not reach the floor may be missing.");
}

}  // namespace paclearn
