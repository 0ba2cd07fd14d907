// What scans have in common on their way from Python and back.
#pragma once

#include "packed_table.hpp"
#include "scan_task.hpp"

namespace paclearn {

constexpr double kLowestFloor = -1e200;  // minus infinity times anything is trouble; no score is as low as this
constexpr std::size_t kMostRows = std::size_t{1} << 31;

inline PackedTable few_rows(PackedTable table) {
    std::size_t n_rows = 0;
    for (const ClassRange& range : table.classes) n_rows += range.n_rows;
    expect(n_rows < kMostRows, "a scan takes fewer than 2^31 rows; found ", n_rows);
    return table;
}

// One stratum a class. The words stay where they are.
inline Strata class_strata(const PackedTable& table) {
    Strata strata;
    strata.planes = table.words.data();
    strata.stride = table.words.shape(1);
    strata.n_planes = table.words.shape(0);
    strata.storage.grow(strata.stride);
    strata.valid = strata.storage.data();
    std::ranges::copy(valid_words(table.classes), strata.storage.data());
    strata.starts.push_back(0);
    for (const ClassRange& range : table.classes) {
        strata.starts.push_back(range.end_word);
        strata.totals.push_back(static_cast<std::uint32_t>(range.n_rows));
    }
    return strata;
}

// The units of a table, their codes all of probability one.
inline Units plain_units(const PackedTable& table) {
    Units units;
    units.first_plane = table.first_plane;
    units.inverses.assign(units.first_plane.back() + units.count(), 1.0);
    for (std::size_t u = 0; u < units.count(); ++u) units.all_bits = units.all_bits && units.size(u) == 2;
    return units;
}

// A scanner that keeps the words alive.
template <class Scanner>
class BoundScan {
public:
    template <class... About>
    BoundScan(const PackedTable& table, std::int64_t n_threads, About&&... about)
        : BoundScan(table, class_strata(table), n_threads, std::forward<About>(about)...) {}
    template <class... About>
    BoundScan(const PackedTable& table, Strata strata, std::int64_t n_threads, About&&... about)
        : words_(table.words), scanner_(std::move(strata), std::forward<About>(about)...),
          n_threads_(expect_threads(n_threads)) {}

protected:
    const Scanner& scanner() const { return scanner_; }
    std::size_t n_threads() const { return n_threads_; }

    // Subsets of two units or more.
    nb::tuple best_subsets(std::int64_t k, std::int64_t begin, std::int64_t end, std::int64_t n_best, double floor,
                           std::int64_t pair_bytes) {
        const auto n = static_cast<std::int64_t>(scanner().units().count());
        expect(k >= 2 && k <= n, "k must be at least 2 and at most the number of units, ", n, "; found ", k);
        expect(0 <= begin && begin <= end && end <= n - k + 1, "the first of ", k, " members must come from 0 to ", n - k,
               "; found a range from ", begin, " to ", last_of(end));
        return scan(k, begin, end, n_best, floor, expect_count(pair_bytes, 0, "pair_bytes"));
    }

    // Members and scores of the best; k, begin and end have been checked.
    nb::tuple scan(std::int64_t k, std::int64_t begin, std::int64_t end, std::int64_t n_best, double floor,
                   std::size_t pair_bytes = static_cast<std::size_t>(kMostPairBytes)) {
        const ScanTask task{static_cast<std::size_t>(k),   static_cast<std::size_t>(begin),
                            static_cast<std::size_t>(end), expect_count(n_best, 1, "n_best"),
                            std::max(floor, kLowestFloor), n_threads_, pair_bytes};
        std::vector<Scored> found;
        {
            const nb::gil_scoped_release unlocked;
            found = scanner_.scan(task);
        }
        const auto members = empty<std::int32_t>(found.size(), task.k);
        const auto scores = empty<double>(found.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            std::copy(found[i].members.begin(), found[i].members.end(), members.data + i * task.k);
            scores.data[i] = found[i].score;
        }
        return nb::make_tuple(members.object, scores.object);
    }

private:
    Array<const Word, 2> words_;
    Scanner scanner_;
    std::size_t n_threads_;
};

}  // namespace paclearn
