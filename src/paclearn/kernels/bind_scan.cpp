// Scans for Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bound_scan.hpp"
#include "scan.hpp"

namespace paclearn {
namespace {

ScoreKind kind_of(const std::string& name) {
    if (name == "empirical") return ScoreKind::empirical;
    if (name == "product") return ScoreKind::product;
    expect(name == "l2", "kind must be 'empirical', 'product' or 'l2'; found '", name, "'");
    return ScoreKind::l2;
}

// inverse[unit, code]: one over the probability of the code; all ones where there is none
Units scan_units(const PackedTable& table, const std::optional<nb::object>& inverse) {
    Units units = plain_units(table);
    if (!inverse) return units;
    const auto given = numbers<2>(*inverse, "inverse");
    expect(given.shape(0) == units.count(), "inverse must have a row for each of the ", units.count(), " units; found ",
           given.shape(0));
    for (std::size_t u = 0; u < units.count(); ++u) {
        expect(given.shape(1) >= units.size(u), "inverse must have a number for each of the ", units.size(u),
               " codes of unit ", u, "; found ", given.shape(1));
        std::copy_n(given.data() + u * given.shape(1), units.size(u), units.inverse(u));
    }
    return units;
}

class Scan : public BoundScan<Scanner> {
public:
    Scan(nb::object words, nb::handle sizes, nb::handle class_starts, nb::handle class_rows, const std::string& kind,
         double scale, const std::optional<nb::object>& inverse, std::int64_t n_threads)
        : Scan(few_rows(packed_table(words, sizes, class_starts, class_rows)), kind, scale, inverse, n_threads) {}

    nb::tuple best(std::int64_t k, std::int64_t begin, std::int64_t end, std::int64_t n_best, double floor,
                   std::int64_t pair_bytes) {
        return best_subsets(k, begin, end, n_best, floor, pair_bytes);
    }

private:
    Scan(const PackedTable& table, const std::string& kind, double scale, const std::optional<nb::object>& inverse,
         std::int64_t n_threads)
        : BoundScan(table, n_threads, scan_units(table, inverse), table.classes.size(), kind_of(kind), scale) {}
};

}  // namespace

void bind_scan(nb::module_& m) {
    nb::class_<Scan>(m, "Scan",
                     "Every subset of two or more units, scored in the core as it is counted; only the best come back.\n\n"
                     "inverse[unit, code] is one over P(unit = code), for the product measure; scale turns a sum over cells\n"
                     "into the score. Any number of threads may use one scan.")
        .def(nb::init<nb::object, nb::handle, nb::handle, nb::handle, const std::string&, double,
                      const std::optional<nb::object>&, std::int64_t>(),
             nb::arg("words").none(), nb::arg("sizes").none(), nb::arg("class_starts").none(), nb::arg("class_rows").none(),
             nb::arg("kind"), nb::arg("scale"), nb::arg("inverse").none(), nb::arg("n_threads"))
        .def("best", &Scan::best, nb::arg("k"), nb::arg("begin"), nb::arg("end"), nb::arg("n_best"),
             nb::arg("floor") = kLowestFloor, nb::arg("pair_bytes") = kMostPairBytes,
             "The best subsets of size k whose first member lies in [begin, end), best first, ties in order.\n\n"
             "Subsets that score less than floor may be missing.");
}

}  // namespace paclearn
