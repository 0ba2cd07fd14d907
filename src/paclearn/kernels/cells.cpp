// Contingency tables of small subsets of units, class by class, by AND and popcount.
//
// For subsets that share all members but the last, the rows of every cell of the shared part (the "prefix") are
// ANDed once, block of words by block of words, and stay in cache while the last members pass by. Code 0 of the
// last member needs no pass: it is the rest of the prefix cell.
#include <algorithm>

#include "cells.hpp"
#include "isa.hpp"
#include "threads.hpp"

namespace paclearn {
namespace {

constexpr std::size_t kBlockWords = 512;   // at most 4 KiB of every mask at a time ...
constexpr std::size_t kMaskWords = 1 << 22;  // ... and 32 MiB of all of them
constexpr std::size_t kLongestRun = 1024;  // so that threads share long runs evenly

std::int64_t shared_bits(const Word* a, const Word* b, std::size_t n) {
    return instruction_set().popcount_of_and(a, b, n);
}

// The masks of all cells of a prefix on one block of words, and how many rows each of them has.
class PrefixCells {
public:
    explicit PrefixCells(const Planes& planes) : planes_(planes) {}

    void build(const std::int32_t* members, std::size_t n_members, std::size_t first_word, std::size_t n_words) {
        first_word_ = first_word;
        n_words_ = n_words;
        n_cells_ = 1;
        masks_.assign(planes_.valid.data() + first_word, planes_.valid.data() + first_word + n_words);
        for (std::size_t t = 0; t < n_members; ++t) split_by(members[t]);
        count_rows();
    }

    std::size_t n_cells() const { return n_cells_; }
    const Word* mask(std::size_t cell) const { return masks_.data() + cell * n_words_; }
    std::int64_t n_rows(std::size_t cell) const { return n_rows_[cell]; }

private:
    void split_by(std::int32_t unit) {
        const std::size_t q = static_cast<std::size_t>(planes_.sizes[unit]);
        finer_.resize(n_cells_ * q * n_words_);
        for (std::size_t cell = 0; cell < n_cells_; ++cell) {
            const Word* parent = mask(cell);
            Word* rest = finer_.data() + cell * q * n_words_;
            std::copy(parent, parent + n_words_, rest);
            for (std::size_t code = 1; code < q; ++code) {
                const Word* plane = planes_.plane(unit, code) + first_word_;
                Word* child = rest + code * n_words_;
                for (std::size_t w = 0; w < n_words_; ++w) {
                    child[w] = parent[w] & plane[w];
                    rest[w] &= ~plane[w];
                }
            }
        }
        masks_.swap(finer_);
        n_cells_ *= q;
    }

    void count_rows() {
        n_rows_.resize(n_cells_);
        for (std::size_t cell = 0; cell < n_cells_; ++cell)
            n_rows_[cell] = shared_bits(mask(cell), mask(cell), n_words_);
    }

    const Planes& planes_;
    std::size_t first_word_ = 0, n_words_ = 0, n_cells_ = 1;
    std::vector<Word> masks_, finer_;
    std::vector<std::int64_t> n_rows_;
};

// Adds one block of words of one class to the tables of one run of subsets.
class RunCounter {
public:
    RunCounter(const Planes& planes, const Subsets& subsets, std::size_t cells, std::int64_t* counts,
               Interrupt& interrupt)
        : planes_(planes), subsets_(subsets), cells_(cells), counts_(counts), prefix_(planes), interrupt_(interrupt) {}

    void operator()(const Run& run) {
        std::size_t prefix_cells = 1;
        for (std::size_t t = 0; t + 1 < subsets_.k; ++t)
            prefix_cells *= static_cast<std::size_t>(planes_.sizes[subsets_[run.begin][t]]);
        const std::size_t step = std::clamp<std::size_t>(kMaskWords / prefix_cells, 8, kBlockWords);
        for (std::size_t c = 0; c < planes_.classes.size(); ++c) {
            const ClassRange& range = planes_.classes[c];
            for (std::size_t w = range.first_word; w < range.end_word; w += step) {
                if (w > range.first_word) interrupt_.check();
                add_block(run, c, w, std::min(step, range.end_word - w));
            }
        }
    }

private:
    void add_block(const Run& run, std::size_t c, std::size_t first_word, std::size_t n_words) {
        prefix_.build(subsets_[run.begin], subsets_.k - 1, first_word, n_words);
        for (std::size_t i = run.begin; i < run.end; ++i) {
            const std::int32_t unit = subsets_[i][subsets_.k - 1];
            const std::size_t q = static_cast<std::size_t>(planes_.sizes[unit]);
            const std::size_t n_classes = planes_.classes.size();
            std::int64_t* table = counts_ + i * cells_ * n_classes + c;
            for (std::size_t cell = 0; cell < prefix_.n_cells(); ++cell) {
                if (prefix_.n_rows(cell) == 0) continue;
                std::int64_t* row = table + cell * q * n_classes;
                std::int64_t rest = prefix_.n_rows(cell);
                for (std::size_t code = 1; code < q; ++code) {
                    const Word* plane = planes_.plane(unit, code) + first_word;
                    const std::int64_t n = shared_bits(prefix_.mask(cell), plane, n_words);
                    row[code * n_classes] += n;
                    rest -= n;
                }
                row[0] += rest;
            }
        }
    }

    const Planes& planes_;
    const Subsets& subsets_;
    std::size_t cells_;
    std::int64_t* counts_;
    PrefixCells prefix_;
    Interrupt& interrupt_;
};

}  // namespace

std::vector<Run> runs_of_equal_prefix(const Subsets& subsets) {
    std::vector<Run> runs;
    for (std::size_t i = 0; i < subsets.count; ++i) {
        const bool same = !runs.empty() && i - runs.back().begin < kLongestRun &&
                          std::equal(subsets[i], subsets[i] + subsets.k - 1, subsets[runs.back().begin]);
        if (same)
            runs.back().end = i + 1;
        else
            runs.push_back({i, i + 1});
    }
    return runs;
}

void count_cells(const Planes& planes, const Subsets& subsets, std::size_t cells, std::int64_t* counts,
                 std::size_t n_threads) {
    const std::vector<Run> runs = runs_of_equal_prefix(subsets);
    for_each_job(runs.size(), n_threads, [&](Interrupt& interrupt) {
        return [counter = RunCounter(planes, subsets, cells, counts, interrupt), &runs](std::size_t job) mutable {
            counter(runs[job]);
        };
    });
}

}  // namespace paclearn
