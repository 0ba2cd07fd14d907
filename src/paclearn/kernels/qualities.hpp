// How good a conjunction is, from its rows and the sum of their target: what a scan of conjunctions ranks by.
// All measures lie between -1 and 1; numpy_conjunctions.py has the same formulas, operation by operation.
#pragma once

#include "lanes.hpp"

namespace paclearn {

enum class QualityKind { accuracy, precision, chi_square, likelihood_ratio, shift };

// The whole table: its rows, the mean of the target, and the sum of squares of what the target differs from it.
template <class F>
struct Whole {
    F rows, mean, squares;
};

namespace {

// (a_c - n_c p) / n, weighted relative accuracy
struct Accuracy {
    PACLEARN_INLINE static Lanes of(Lanes rows, Lanes sums, const Whole<float>& whole) {
        return (sums - rows * whole.mean) * (1.0f / whole.rows);
    }
};

// a_c / n_c
struct Precision {
    PACLEARN_INLINE static Lanes of(Lanes rows, Lanes sums, const Whole<float>&) { return sums * inverse(rows); }
};

// Phi squared, which is chi-square over n; no mutual information (in nats) is larger, so it is a bound for that.
struct ChiSquare {
    PACLEARN_INLINE static Lanes of(Lanes rows, Lanes sums, const Whole<float>& whole) {
        const Lanes beyond = sums - rows * whole.mean;
        const Lanes variance = larger(rows * (whole.rows - rows), all(1e-20f));
        return beyond * beyond * inverse(variance) * (1.0f / (whole.mean * (1.0f - whole.mean)));
    }
};

// The square of the mean's shift times the root of the rows, with its sign, over the sum of squares
struct Shift {
    PACLEARN_INLINE static Lanes of(Lanes rows, Lanes sums, const Whole<float>& whole) {
        const Lanes beyond = sums - rows * whole.mean;
        return beyond * magnitude(beyond) * inverse(rows) * (1.0f / whole.squares);
    }
};

template <class Quality>
struct EitherSide {
    PACLEARN_INLINE static Lanes of(Lanes rows, Lanes sums, const Whole<float>& whole) {
        return magnitude(Quality::of(rows, sums, whole));
    }
};

}  // namespace
}  // namespace paclearn
