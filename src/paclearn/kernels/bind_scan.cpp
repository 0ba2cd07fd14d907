// Scans for Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "packed_table.hpp"
#include "scan.hpp"

namespace paclearn {
namespace {

constexpr double kLowestFloor = -1e200;  // minus infinity times anything is trouble; no score is as low as this
constexpr std::size_t kMostRows = std::size_t{1} << 31;

ScoreKind kind_of(const std::string& name) {
    if (name == "empirical") return ScoreKind::empirical;
    if (name == "product") return ScoreKind::product;
    expect(name == "l2", "kind must be 'empirical', 'product' or 'l2'; found '", name, "'");
    return ScoreKind::l2;
}

// One stratum a class. The words stay where they are.
Strata class_strata(const PackedTable& table) {
    Strata strata;
    strata.planes = table.words.data();
    strata.stride = table.words.shape(1);
    strata.n_planes = table.words.shape(0);
    strata.storage.grow(strata.stride);
    strata.valid = strata.storage.data();
    std::ranges::copy(valid_words(table.classes), strata.storage.data());
    strata.starts.push_back(0);
    std::size_t n_rows = 0;
    for (const ClassRange& range : table.classes) {
        strata.starts.push_back(range.end_word);
        strata.totals.push_back(static_cast<std::uint32_t>(range.n_rows));
        n_rows += range.n_rows;
    }
    expect(n_rows < kMostRows, "a scan takes fewer than 2^31 rows; found ", n_rows);
    return strata;
}

// inverse[unit, code]: one over the probability of the code; all ones where there is none
Units scan_units(const PackedTable& table, const std::optional<nb::object>& inverse) {
    Units units;
    units.first_plane = table.first_plane;
    for (std::size_t u = 0; u < table.sizes.shape(0); ++u) {
        units.inverse.emplace_back(units.size(u), 1.0);
        units.all_bits = units.all_bits && units.size(u) == 2;
    }
    if (!inverse) return units;
    const auto given = numbers<2>(*inverse, "inverse");
    expect(given.shape(0) == units.count(), "inverse must have a row for each of the ", units.count(), " units; found ",
           given.shape(0));
    for (std::size_t u = 0; u < units.count(); ++u) {
        expect(given.shape(1) >= units.size(u), "inverse must have a number for each of the ", units.size(u),
               " codes of unit ", u, "; found ", given.shape(1));
        std::copy_n(given.data() + u * given.shape(1), units.size(u), units.inverse[u].data());
    }
    return units;
}

// A scanner that keeps the words alive.
class Scan {
public:
    Scan(nb::object words, nb::handle sizes, nb::handle class_starts, nb::handle class_rows, const std::string& kind,
         double scale, const std::optional<nb::object>& inverse, std::int64_t n_threads)
        : Scan(packed_table(words, sizes, class_starts, class_rows), kind, scale, inverse, n_threads) {}

    nb::tuple best(std::int64_t k, std::int64_t begin, std::int64_t end, std::int64_t n_best, double floor) {
        const auto n = static_cast<std::int64_t>(scanner_.units().count());
        expect(k >= 2 && k <= n, "k must be at least 2 and at most the number of units, ", n, "; found ", k);
        expect(0 <= begin && begin <= end && end <= n - k + 1, "the first of ", k, " members must come from 0 to ", n - k,
               "; found a range from ", begin, " to ", end - 1);
        const ScanTask task{static_cast<std::size_t>(k),       static_cast<std::size_t>(begin),
                            static_cast<std::size_t>(end),     expect_count(n_best, 1, "n_best"),
                            std::max(floor, kLowestFloor),     n_threads_};
        std::vector<Scored> found;
        {
            const nb::gil_scoped_release unlocked;
            found = scanner_.scan(task);
        }
        return as_arrays(found, task.k);
    }

private:
    Scan(const PackedTable& table, const std::string& kind, double scale, const std::optional<nb::object>& inverse,
         std::int64_t n_threads)
        : words_(table.words), scanner_(class_strata(table), scan_units(table, inverse), table.classes.size(), kind_of(kind), scale),
          n_threads_(expect_threads(n_threads)) {}

    static nb::tuple as_arrays(const std::vector<Scored>& found, std::size_t k) {
        const auto subsets = empty<std::int32_t>(found.size(), k);
        const auto scores = empty<double>(found.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            std::copy(found[i].members.begin(), found[i].members.end(), subsets.data + i * k);
            scores.data[i] = found[i].score;
        }
        return nb::make_tuple(subsets.object, scores.object);
    }

    Array<const Word, 2> words_;
    Scanner scanner_;
    std::size_t n_threads_;
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
             nb::arg("floor") = kLowestFloor,
             "The best subsets of size k whose first member lies in [begin, end), best first, ties in order.\n\n"
             "Subsets that score less than floor may be missing.");
}

}  // namespace paclearn
