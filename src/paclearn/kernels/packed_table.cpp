#include "packed_table.hpp"

namespace paclearn {
namespace {

constexpr std::int64_t kMostCodes = 1 << 16;  // codes are of two bytes at the most

// Classes lie side by side, each on whole cache lines that have room for its rows.
ClassRange class_range(std::size_t c, std::int64_t start, std::int64_t end, std::int64_t rows) {
    expect(start <= end && end % std::int64_t{kLineWords} == 0,
           "class_starts must go up in multiples of 8 words; found ", start, " to ", end, " for class ", c);
    expect(rows >= 0 && padded_words(static_cast<std::size_t>(rows)) <= static_cast<std::size_t>(end - start),
           "the rows of a class must fit its words; found ", rows, " rows and ", end - start, " words for class ", c);
    return {static_cast<std::size_t>(start), static_cast<std::size_t>(end), static_cast<std::size_t>(rows)};
}

std::vector<ClassRange> class_ranges(const Array<const std::int64_t, 1>& starts,
                                     const Array<const std::int64_t, 1>& n_rows) {
    expect(n_rows.shape(0) > 0 && starts.shape(0) == n_rows.shape(0) + 1,
           "class_starts must have one number more than class_rows, which has one a class; found ", starts.shape(0),
           " and ", n_rows.shape(0));
    expect(starts.data()[0] == 0, "class_starts must begin with 0; found ", starts.data()[0]);
    std::vector<ClassRange> ranges;
    for (std::size_t c = 0; c < n_rows.shape(0); ++c)
        ranges.push_back(class_range(c, starts.data()[c], starts.data()[c + 1], n_rows.data()[c]));
    return ranges;
}

}  // namespace

std::vector<Word> valid_words(const std::vector<ClassRange>& classes) {
    std::vector<Word> valid(classes.back().end_word);
    for (const ClassRange& range : classes) {
        const std::size_t last = range.first_word + range.n_rows / kWordBits, left = range.n_rows % kWordBits;
        std::fill(valid.data() + range.first_word, valid.data() + last, ~Word{0});
        if (left != 0) valid[last] = (Word{1} << left) - 1;
    }
    return valid;
}

std::vector<std::size_t> first_planes(const Array<const std::int64_t, 1>& sizes) {
    expect_within(sizes.data(), sizes.shape(0), 1, kMostCodes + 1, "sizes");
    std::vector<std::size_t> first{0};
    for (std::size_t u = 0; u < sizes.shape(0); ++u)
        first.push_back(first.back() + static_cast<std::size_t>(sizes.data()[u]) - 1);
    return first;
}

PackedTable packed_table(nb::handle words, nb::handle sizes, nb::handle class_starts, nb::handle class_rows) {
    PackedTable table;
    table.words = array<const Word, 2>(words, "words", kLineBytes);
    table.sizes = array<const std::int64_t, 1>(sizes, "sizes");
    table.first_plane = first_planes(table.sizes);
    table.classes = class_ranges(array<const std::int64_t, 1>(class_starts, "class_starts"),
                                 array<const std::int64_t, 1>(class_rows, "class_rows"));
    const std::size_t n_planes = table.first_plane.back(), n_words = table.classes.back().end_word;
    expect(table.words.shape(0) == n_planes && table.words.shape(1) == n_words, "words must have shape (", n_planes,
           ", ", n_words, ") for these sizes and classes; found (", table.words.shape(0), ", ", table.words.shape(1), ")");
    return table;
}

}  // namespace paclearn
