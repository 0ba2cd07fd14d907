// The best subsets of a scan.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace paclearn {

struct Scored {
    double score;
    std::vector<std::int32_t> members;
    std::int64_t digits;  // of the score, as far as they count
};

// The best n subsets seen, a heap with the worst on top. Equal scores (to twelve digits) go to the first in order, so
// the outcome depends neither on the order of the offers nor on how they were shared out among threads.
class Best {
public:
    Best(std::size_t n, double floor) : n_(n), floor_(floor) {}

    double bar() const { return heap_.size() < n_ ? floor_ : std::max(floor_, heap_.front().score); }

    // What does not reach this may be left out from now on.
    void raise_floor(double floor) { floor_ = std::max(floor_, floor); }

    void offer(double score, const std::vector<std::int32_t>& members) {
        if (score < floor_ - 1e-12) return;
        const std::int64_t digits = std::llround(score * kTieDigits);
        if (heap_.size() < n_) {
            heap_.push_back({score, members, digits});
        } else {
            const Scored& worst = heap_.front();
            if (digits < worst.digits || (digits == worst.digits && !(members < worst.members))) return;
            std::pop_heap(heap_.begin(), heap_.end(), before);
            heap_.back().score = score;
            heap_.back().members = members;  // in the memory of what leaves
            heap_.back().digits = digits;
        }
        std::push_heap(heap_.begin(), heap_.end(), before);
    }

    void merge(const Best& other) {
        for (const Scored& entry : other.heap_) offer(entry.score, entry.members);
    }

    std::vector<Scored> sorted() && {
        std::sort_heap(heap_.begin(), heap_.end(), before);
        return std::move(heap_);
    }

private:
    static constexpr double kTieDigits = 1e12;

    static bool before(const Scored& x, const Scored& y) {
        return x.digits != y.digits ? x.digits > y.digits : x.members < y.members;
    }

    std::size_t n_;
    double floor_;
    std::vector<Scored> heap_;
};

}  // namespace paclearn
