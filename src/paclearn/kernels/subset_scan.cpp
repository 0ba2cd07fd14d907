#include "subset_scan.hpp"

namespace paclearn {
namespace {

constexpr std::size_t kUnitsPerJob = 64, kFewestUnitsPerJob = 4, kJobsPerThread = 2;

// One bit for every row with a code of a unit, for each of its codes.
std::vector<LineBuffer<Word>> code_masks(const Strata& table, const Units& units, std::size_t unit) {
    std::vector<LineBuffer<Word>> masks;
    for (std::size_t code = 0; code < units.size(unit); ++code) masks.emplace_back(table.starts.back());
    Word* rest = masks[0].data();
    std::copy(table.valid, table.valid + table.starts.back(), rest);
    for (std::size_t code = 1; code < units.size(unit); ++code) {
        const Word* plane = table.plane(units.first_plane[unit] + code - 1);
        for (std::size_t w = 0; w < table.starts.back(); ++w) {
            masks[code].data()[w] = plane[w];
            rest[w] &= ~plane[w];
        }
    }
    return masks;
}

std::int64_t rows_in(const LineBuffer<Word>& mask) {
    return instruction_set().popcount_of_and(mask.data(), mask.data(), mask.size());
}

std::size_t most_frequent(const std::vector<LineBuffer<Word>>& masks) {
    std::size_t most = 0;
    for (std::size_t code = 1; code < masks.size(); ++code)
        if (rows_in(masks[code]) > rows_in(masks[most])) most = code;
    return most;
}

void append(std::vector<double>& all, const std::vector<double>& weights, double factor) {
    for (const double weight : weights) all.push_back(weight * factor);
}

}  // namespace

std::vector<std::size_t> job_cuts(const ScanTask& task) {
    if (task.k > 2 || task.n_threads < 2) return even_cuts(task, task.k > 2 ? 1 : kUnitsPerJob);
    std::vector<std::size_t> cuts{task.begin};
    while (cuts.back() < task.end) {
        const std::size_t share = (task.end - cuts.back()) / (task.n_threads * kJobsPerThread);
        const std::size_t step = std::clamp(round_up(share, kFewestUnitsPerJob), kFewestUnitsPerJob, kUnitsPerJob);
        cuts.push_back(std::min(cuts.back() + step, task.end));
    }
    return cuts;
}

// All codes of the unit but the most frequent one are counted; that one is what they leave of the pairs of the table. Where
// those would take too much room it is counted like the others: that takes twice the time for a bit, and none of the room.
void SubsetScan::triples(const Strata& table, const PairTable* pairs, const std::vector<double>& weights,
                         std::vector<std::int32_t> prefix, std::size_t unit) {
    const auto masks = code_masks(table, units_, unit);
    const std::size_t implied = pairs ? most_frequent(masks) : masks.size();
    std::vector<const Word*> counted;
    std::vector<double> cell_weights;
    for (std::size_t code = 0; code < masks.size(); ++code)
        if (code != implied) {
            counted.push_back(masks[code].data());
            append(cell_weights, weights, units_.inverse(unit)[code]);
        }
    if (pairs) append(cell_weights, weights, units_.inverse(unit)[implied]);
    Strata& part = parts_[prefix.size()];
    restrict_to(table, counted, units_.first_plane[unit + 1], part);
    prefix.push_back(static_cast<std::int32_t>(unit));
    scan_pairs({&part, pairs ? &table : nullptr, pairs, cell_weights}, std::move(prefix), unit + 1, units_.count());
}

void SubsetScan::deeper(const Strata& table, const std::vector<double>& weights, std::vector<std::int32_t> prefix,
                        std::size_t unit, std::size_t k) {
    const auto masks = code_masks(table, units_, unit);
    std::vector<const Word*> counted;
    std::vector<double> cell_weights;
    for (std::size_t code = 0; code < masks.size(); ++code) {
        counted.push_back(masks[code].data());
        append(cell_weights, weights, units_.inverse(unit)[code]);
    }
    Strata& part = parts_[prefix.size()];
    restrict_to(table, counted, units_.first_plane[unit + 1], part);
    prefix.push_back(static_cast<std::int32_t>(unit));
    if (k > 4) {
        for (std::size_t next = unit + 1; next + k - 2 < units_.count(); ++next)
            deeper(part, cell_weights, prefix, next, k - 1);
        return;
    }
    const bool few_pairs = PairTable::bytes(part) <= most_pair_bytes_;
    const auto pairs = few_pairs ? std::make_unique<const PairTable>(part) : nullptr;
    for (std::size_t next = unit + 1; next + 2 < units_.count(); ++next)
        triples(part, pairs.get(), cell_weights, prefix, next);
}

// Pairs with j in [begin, end) and k behind j.
void SubsetScan::scan_pairs(const PairRows& rows, std::vector<std::int32_t> prefix, std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    scorer_.tabulate(rows, std::move(prefix));
    for (std::size_t j = begin; j < end;) {
        const std::size_t j_end = std::min(block_end(j, kPairBlockRows), end);
        for (std::size_t k = j; k < units_.count(); k = block_end(k, kPairBlockColumns))
            scan_block(j, j_end, k, block_end(k, kPairBlockColumns));
        j = j_end;
    }
}

// Where a block ends that begins with this unit: it has at most so many planes, but one unit at least.
std::size_t SubsetScan::block_end(std::size_t begin, std::size_t planes) const {
    std::size_t end = begin + 1;
    while (end < units_.count() && units_.first_plane[end + 1] - units_.first_plane[begin] <= planes) ++end;
    return end;
}

void SubsetScan::scan_block(std::size_t j_begin, std::size_t j_end, std::size_t k_begin, std::size_t k_end) {
    interrupt_.check();
    scorer_.count(units_.planes(j_begin, j_end), units_.planes(k_begin, k_end));
    for (std::size_t j = j_begin; j < j_end; ++j) scorer_.score(j, std::max(j + 1, k_begin), k_end);
}

}  // namespace paclearn
