// What every scan has: what is wanted, the table, and jobs for threads, of which only the best is kept.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>

#include "best.hpp"
#include "pair_table.hpp"
#include "threads.hpp"

namespace paclearn {

constexpr std::int64_t kMostPairBytes = std::int64_t{1} << 30;

// Which sets are wanted, and how many of them.
struct ScanTask {
    std::size_t k;           // members
    std::size_t begin, end;  // the first member
    std::size_t n_best;
    double floor;            // what does not reach this may be left out
    std::size_t n_threads;
    std::size_t most_pair_bytes;  // that a table of all pairs may take; without one all codes are counted
};

// Any number of threads may scan the same one.
class ScannedTable {
public:
    explicit ScannedTable(Strata strata) : strata_(std::move(strata)) {}

    const std::vector<std::uint32_t>& totals() const { return strata_.totals; }

    // What a scan reads, once its threads have counted the planes by themselves.
    const Strata& strata_for(const ScanTask& task) {
        const std::lock_guard<std::mutex> guard(lock_);
        if (!counted_) count_singles(strata_, task.n_threads);
        counted_ = true;  // unless it was interrupted
        return strata_;
    }

    // Counted once a scan of triples has asked for them.
    const PairTable* pairs_for(const ScanTask& task) {
        if (task.k != 3) return nullptr;
        strata_for(task);
        const std::lock_guard<std::mutex> guard(lock_);
        if (!pairs_) pairs_ = std::make_unique<PairTable>(strata_, task.n_threads);
        return pairs_.get();
    }

private:
    Strata strata_;
    bool counted_ = false;
    std::mutex lock_;
    std::unique_ptr<PairTable> pairs_;  // of the whole table
};

// Where jobs begin that have as many first members each, and the end.
inline std::vector<std::size_t> even_cuts(const ScanTask& task, std::size_t step) {
    std::vector<std::size_t> cuts;
    for (std::size_t begin = task.begin; begin < task.end; begin += step) cuts.push_back(begin);
    cuts.push_back(task.end);
    return cuts;
}

// The highest of the bars of some threads: what does not reach it is not among the best of all of them.
class CommonBar {
public:
    explicit CommonBar(double floor) : height_(floor) {}

    double height() const { return height_.load(std::memory_order_relaxed); }

    void raise(double bar) {
        double known = height();
        while (known < bar && !height_.compare_exchange_weak(known, bar, std::memory_order_relaxed)) {}
    }

private:
    alignas(kLineBytes) std::atomic<double> height_;
};

// Best first, ties in order. A job has the first members from one cut to the next. prepare(interrupt) is what a thread does
// with its jobs: a function of the first members, from begin to end, and of the best that the thread has found so far.
template <class Prepare>
std::vector<Scored> best_of_jobs(const ScanTask& task, const std::vector<std::size_t>& cuts, const Prepare& prepare) {
    CommonBar bar(task.floor);
    std::mutex lock;
    struct alignas(kLineBytes) OwnBest : Best { using Best::Best; };  // what one thread writes no other one waits for
    std::deque<OwnBest> of_threads;
    const auto new_best = [&]() -> Best& {
        const std::lock_guard<std::mutex> guard(lock);
        return of_threads.emplace_back(task.n_best, task.floor);
    };
    for_each_job(cuts.size() - 1, task.n_threads, [&](Interrupt& interrupt) {
        return [&, &found = new_best(), scan = prepare(interrupt)](std::size_t job) mutable {
            found.raise_floor(bar.height());
            scan(cuts[job], cuts[job + 1], found);
            bar.raise(found.bar());
        };
    });
    Best best(task.n_best, bar.height());
    for (const Best& found : of_threads) best.merge(found);
    return std::move(best).sorted();
}

}  // namespace paclearn
