#include "pack.hpp"

#include <algorithm>

#include "code_planes.hpp"
#include "interrupt.hpp"
#include "strata.hpp"

namespace paclearn {
namespace {

constexpr std::size_t kMostSqueezed = 16;  // planes; with more of them, row by row is faster
constexpr std::size_t kMostClasses = 64;   // the same
constexpr std::size_t kTogether = 4;
constexpr std::size_t kRowsACheck = 1 << 16;

// For every class a bit for every row.
std::vector<Word> class_masks(const std::vector<std::int32_t>& row_class, std::size_t n_classes) {
    const std::size_t n_words = found_words(row_class.size());
    const std::vector<std::uint8_t> bytes(row_class.begin(), row_class.end());
    std::vector<Word> masks(n_classes * n_words);
    Interrupt interrupt;
    for (std::size_t c = 0; c < n_classes; ++c) {
        interrupt.check();
        find_code(bytes.data(), bytes.size(), static_cast<std::uint8_t>(c), &masks[c * n_words]);
    }
    return masks;
}

}  // namespace

Packer::Packer(const std::int32_t* row_class, std::size_t n_rows, std::size_t n_classes)
    : row_class_(row_class, row_class + n_rows), classes_(n_classes) {
    if (instruction_set().compacts && n_classes <= kMostClasses) masks_ = class_masks(row_class_, n_classes);
    count_rows();
    std::size_t word = 0;
    for (ClassRange& range : classes_) {
        range.first_word = word;
        word = range.end_word = word + padded_words(range.n_rows);
    }
}

void Packer::count_rows() {
    if (masks_.empty()) {
        for (const std::int32_t c : row_class_) ++classes_[static_cast<std::size_t>(c)].n_rows;
        return;
    }
    const std::size_t n_words = found_words(n_rows());
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        const Word* mask = &masks_[c * n_words];
        classes_[c].n_rows = static_cast<std::size_t>(instruction_set().popcount_of_and(mask, mask, n_words));
    }
}

template <class Code>
void Packer::pack(const Code* codes, std::size_t n_planes, Word* planes) const {
    if constexpr (sizeof(Code) == 1)
        if (!masks_.empty() && n_planes <= kMostSqueezed) {
            const std::size_t n_words = found_words(n_rows());
            LineBuffer<Word> found(std::max<std::size_t>(n_planes, 1) * n_words);
            const std::size_t largest = find_code(codes, n_rows(), 1, found.data());
            if (largest > n_planes) refuse_code(largest, n_planes + 1);
            for (std::size_t p = 1; p < n_planes; ++p)
                find_code(codes, n_rows(), static_cast<std::uint8_t>(p + 1), found.data() + p * n_words);
            squeeze(found.data(), n_words, n_planes, planes);
            return;
        }
    place([codes](std::size_t r) { return std::size_t{codes[r]}; }, n_planes, planes);
}

template void Packer::pack(const std::uint8_t*, std::size_t, Word*) const;
template void Packer::pack(const std::uint16_t*, std::size_t, Word*) const;

void Packer::pack_matrix(const std::uint8_t* codes, const std::vector<std::size_t>& sizes, Word* planes) const {
    const std::size_t most = *std::max_element(sizes.begin(), sizes.end()) - 1, d = sizes.size();
    if (!masks_.empty() && most <= kMostSqueezed) {
        std::size_t n_planes = 0;
        for (const std::size_t size : sizes) n_planes += size - 1;
        LineBuffer<Word> found(n_planes * found_words(n_rows()));
        find_codes(codes, n_rows(), sizes, found.data());
        squeeze(found.data(), found_words(n_rows()), n_planes, planes);
        return;
    }
    for (std::size_t c = 0; c < d; planes += (sizes[c++] - 1) * words_per_plane())
        place([=](std::size_t r) { return std::size_t{codes[r * d + c]}; }, sizes[c] - 1, planes);
}

void Packer::sort(const Word* unsorted, std::size_t stride, std::size_t n_planes, Word* planes) const {
    if (!masks_.empty()) return squeeze(unsorted, stride, n_planes, planes);
    for (std::size_t p = 0; p < n_planes; ++p) {
        const Word* plane = unsorted + p * stride;
        place([=](std::size_t r) { return std::size_t{plane[r / kWordBits] >> (r % kWordBits) & 1}; }, 1,
              planes + p * words_per_plane());
    }
}

// Draws the rows of each class together, for a few planes at a time: no row is touched by itself.
void Packer::squeeze(const Word* found, std::size_t stride, std::size_t n_planes, Word* planes) const {
    const std::size_t mask_words = found_words(n_rows()), room = mask_words + 1;
    const std::size_t n_words = std::min(mask_words, stride);  // the last word of a mask may have no rows
    LineBuffer<Word> squeezed(std::min(kTogether, n_planes) * room);
    Interrupt interrupt;
    for (std::size_t p = 0; p < n_planes; p += kTogether)
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            interrupt.check();
            const std::size_t n = std::min(kTogether, n_planes - p);
            instruction_set().squeeze(
                {found + p * stride, stride, n, &masks_[c * mask_words], n_words, squeezed.data(), room});
            for (std::size_t i = 0; i < n; ++i)
                std::copy_n(squeezed.data() + i * room, words_of(classes_[c].n_rows),
                            planes + (p + i) * words_per_plane() + classes_[c].first_word);
        }
}

// One store a row however many codes there are; code 0 has no plane.
template <class CodeOf>
void Packer::place(CodeOf code_of, std::size_t n_planes, Word* planes) const {
    const std::size_t n_words = words_per_plane();
    const std::size_t* place = places().data();
    Interrupt interrupt;
    for (std::size_t begin = 0; begin < n_rows(); begin += kRowsACheck) {
        interrupt.check();
        for (std::size_t r = begin; r < std::min(begin + kRowsACheck, n_rows()); ++r) {
            const std::size_t code = code_of(r);
            if (code > n_planes) refuse_code(code, n_planes + 1);
            if (code == 0) continue;
            planes[(code - 1) * n_words + place[r] / kWordBits] |= Word{1} << (place[r] % kWordBits);
        }
    }
}

const std::vector<std::size_t>& Packer::places() const {
    std::call_once(places_made_, [this] {
        std::vector<std::size_t> next;
        for (const ClassRange& range : classes_) next.push_back(range.first_word * kWordBits);
        for (const std::int32_t c : row_class_) places_.push_back(next[static_cast<std::size_t>(c)]++);
    });
    return places_;
}

}  // namespace paclearn
