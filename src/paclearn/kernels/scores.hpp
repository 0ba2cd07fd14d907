// What a cell adds to the score of its subset: `positive` of its `rows` rows are of the class at hand, and
// `weight` is one over the number of rows expected of independent units. A new score is one more functor here.
#pragma once

#include "lanes.hpp"

namespace paclearn {

enum class ScoreKind { empirical, product, l2 };

// No cell of M_n scores more than |s|, or one where s is zero. A sum of those takes a tenth of the time and is nearly as
// good, so most subsets are not looked at twice.
constexpr bool has_bound(ScoreKind kind, std::size_t n_classes) {
    return kind == ScoreKind::empirical && n_classes == 2;
}

namespace {

// a|s-1| + b|s+1| with s = a - b is |s|(n-1), and n where s is zero; divided by the rows in the cell (M_n) ...
struct EmpiricalScore {
    template <class F>
    PACLEARN_INLINE static F cell(F positive, F rows, F /*weight*/) {
        const F sign = magnitude(positive + positive - rows);
        const F one = F{} + 1;
        return where_zero(sign, smaller(rows, one), sign - sign * inverse(larger(rows, one)));
    }
};

// ... or by the rows expected (score_1) ...
struct ProductScore {
    template <class F>
    PACLEARN_INLINE static F cell(F positive, F rows, F weight) {
        const F sign = magnitude(positive + positive - rows);
        return weight * where_zero(sign, rows, sign * (rows - 1));
    }
};

// ... or s squared over the rows expected (the squared two-norm of the projection).
struct L2Score {
    template <class F>
    PACLEARN_INLINE static F cell(F positive, F rows, F weight) {
        const F sign = positive + positive - rows;
        return weight * sign * sign;
    }
};

}  // namespace
}  // namespace paclearn
