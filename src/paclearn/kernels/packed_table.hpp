// A packed table as it comes from Python.
#pragma once

#include <vector>

#include "arguments.hpp"
#include "words.hpp"

namespace paclearn {

struct PackedTable {
    Array<const Word, 2> words;
    Array<const std::int64_t, 1> sizes;
    std::vector<ClassRange> classes;
    std::vector<std::size_t> first_plane;  // of every unit, and the end
};

// Raises unless the words lie on cache lines and have the planes that `sizes` and the classes ask for.
PackedTable packed_table(nb::handle words, nb::handle sizes, nb::handle class_starts, nb::handle class_rows);

// One bit for every row of the classes, none for the padding.
std::vector<Word> valid_words(const std::vector<ClassRange>& classes);

// The number of the first plane of every unit, and the end; a unit has one code at least.
std::vector<std::size_t> first_planes(const Array<const std::int64_t, 1>& sizes);

}  // namespace paclearn
