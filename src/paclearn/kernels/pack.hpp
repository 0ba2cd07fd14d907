// Codes -> bit planes, with the rows sorted by class.
#pragma once

#include <mutex>

#include "words.hpp"

namespace paclearn {

// How the rows of a table are sorted. All planes that it writes to must be zero before.
class Packer {
public:
    // All classes lie in [0, n_classes).
    Packer(const std::int32_t* row_class, std::size_t n_rows, std::size_t n_classes);

    const std::vector<ClassRange>& classes() const { return classes_; }
    std::size_t n_rows() const { return row_class_.size(); }
    std::size_t words_per_plane() const { return classes_.back().end_word; }

    // The planes of codes 1 to n_planes of a column, which holds no larger ones; code 0 has none.
    template <class Code>
    void pack(const Code* codes, std::size_t n_planes, Word* planes) const;

    // All planes of a matrix that is stored row by row.
    void pack_matrix(const std::uint8_t* codes, const std::vector<std::size_t>& sizes, Word* planes) const;

    // Planes of `stride` words with the rows in their own order.
    void sort(const Word* unsorted, std::size_t stride, std::size_t n_planes, Word* planes) const;

private:
    void count_rows();
    void squeeze(const Word* found, std::size_t stride, std::size_t n_planes, Word* planes) const;
    template <class CodeOf>
    void place(CodeOf code_of, std::size_t n_planes, Word* planes) const;
    const std::vector<std::size_t>& places() const;

    std::vector<std::int32_t> row_class_;
    std::vector<ClassRange> classes_;
    std::vector<Word> masks_;  // for every class a bit for every row; empty where rows are not squeezed
    mutable std::once_flag places_made_;
    mutable std::vector<std::size_t> places_;  // the bit of every row, once it is asked for
};

}  // namespace paclearn
