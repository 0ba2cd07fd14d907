// Packed planes whose rows lie in strata: one for every class within every group of rows.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>

#include "isa.hpp"

namespace paclearn {

constexpr std::size_t round_up(std::size_t n, std::size_t step) { return (n + step - 1) / step * step; }

// Memory that starts on a cache line, so that no vector straddles two.
template <class T>
class LineBuffer {
public:
    explicit LineBuffer(std::size_t n = 0) : data_(allocate(n)), size_(n) {}
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    void grow(std::size_t n) {
        if (n > size_) *this = LineBuffer(n);
    }

private:
    struct Free {
        void operator()(T* p) const { std::free(p); }
    };
    static T* allocate(std::size_t n) {
        const std::size_t bytes = round_up(n * sizeof(T) + 64, 64);
        void* p = std::aligned_alloc(64, bytes);
        if (p == nullptr) throw std::bad_alloc();
        return static_cast<T*>(p);
    }
    std::unique_ptr<T, Free> data_;
    std::size_t size_;
};

// Sixteen bits of the numbers of one channel, and what they are to be multiplied by.
struct Digit {
    std::size_t channel;
    std::int64_t worth;
};

// Whole numbers of the rows of packed planes, to be summed over cells; none where rows are only counted. The first channels
// are summed over the rows that two planes share, the others over those of one plane only.
struct RowNumbers {
    std::vector<Digit> digits;  // channel by channel
    std::size_t n_channels = 0, n_paired = 0;
    const std::int16_t* values = nullptr;  // of every digit 64 for every word of a plane, noughts where there is no row
    std::size_t stride = 0;                // numbers a digit
    std::vector<std::int64_t> totals;      // sums of every stratum: [stratum][channel]
    std::vector<std::int64_t> singles;     // ... of its rows with the bit of a plane: [stratum][channel][plane]
    std::size_t singles_stride = 0;        // numbers a channel
    LineBuffer<std::int16_t> storage;      // where those values lie that are this object's own
};

// The planes from number `origin` on, as the scans see them; plane p of the table is planes + (p - origin) * stride.
struct Strata {
    const Word* planes = nullptr;
    std::size_t stride = 0;
    std::size_t origin = 0, n_planes = 0;
    std::vector<std::size_t> starts;      // word offsets of the strata, and the end
    std::vector<std::uint32_t> totals;    // rows of every stratum
    std::vector<std::uint32_t> singles;   // rows of every stratum with the bit of a plane: [stratum][plane]
    const Word* valid = nullptr;          // a plane with a bit for every row: the padding has none
    LineBuffer<Word> storage;             // where those of the planes lie that are this object's own
    RowNumbers numbers;

    std::size_t size() const { return totals.size(); }
    const Word* plane(std::size_t p) const { return planes + (p - origin) * stride; }
    std::uint32_t single(std::size_t s, std::size_t p) const { return singles[s * n_planes + p - origin]; }
    std::int64_t sum(std::size_t s, std::size_t channel) const { return numbers.totals[s * numbers.n_channels + channel]; }
    std::int64_t single_sum(std::size_t s, std::size_t channel, std::size_t p) const {
        return numbers.singles[(s * numbers.n_channels + channel) * numbers.singles_stride + p - origin];
    }
};

// Planes first, first + 1, ..., first + n - 1.
struct PlaneRange {
    std::size_t first = 0, n = 0;
};

// The units of a table: a unit with q codes has q - 1 planes, from first_plane[unit] on.
struct Units {
    std::vector<std::size_t> first_plane;  // and the end
    bool all_bits = true;
    std::vector<double> inverses;  // 1 / P(unit = code) of all codes in turn, all ones unless the measure is a product

    std::size_t count() const { return first_plane.size() - 1; }
    std::size_t size(std::size_t unit) const { return first_plane[unit + 1] - first_plane[unit] + 1; }
    const double* inverse(std::size_t unit) const { return inverses.data() + first_plane[unit] + unit; }
    double* inverse(std::size_t unit) { return inverses.data() + first_plane[unit] + unit; }
    PlaneRange planes(std::size_t begin, std::size_t end) const {
        return {first_plane[begin], first_plane[end] - first_plane[begin]};
    }
};

// Rows with a bit in masks[m], for every mask: strata m * size + s. Only planes from `origin` on are taken along.
// What `part` has of storage is used again: fresh pages would cost as much as the squeezing.
void restrict_to(const Strata& table, const std::vector<const Word*>& masks, std::size_t origin, Strata& part);

// Rows of every plane, and sums of their numbers.
void count_singles(Strata& table, std::size_t n_threads = 1);

}  // namespace paclearn
