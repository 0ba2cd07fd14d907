// Arguments as they come from Python, checked before any memory is touched. A complaint is one line: what is wrong, what
// was found, what would do.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace paclearn {

namespace nb = nanobind;

template <class T, std::size_t N>
using Array = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// A ValueError of words and numbers.
[[noreturn]] inline void refuse_with(const std::string& complaint) { throw nb::value_error(complaint.c_str()); }

inline std::string as_text(const std::string& words) { return words; }
template <class Number>
    requires std::is_arithmetic_v<Number>
std::string as_text(Number number) {
    return std::to_string(number);
}

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
    refuse_with((as_text(parts) + ...));
}

template <class... Parts>
void expect(bool good, const Parts&... parts) {
    if (!good) refuse(parts...);
}

// Raises what is wrong with an object that is no array of this kind.
[[noreturn]] void refuse_array(nb::handle object, const char* name, const char* type, std::size_t n_dimensions);

// Raises if an array does not start at a multiple of so many bytes.
void expect_aligned(const void* data, std::size_t bytes, const char* name);

template <class T>
constexpr const char* type_name() {
    using Bare = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Bare, double>) return "float64";
    if constexpr (std::is_same_v<Bare, std::int64_t>) return "int64";
    if constexpr (std::is_same_v<Bare, std::int32_t>) return "int32";
    if constexpr (std::is_same_v<Bare, std::uint64_t>) return "uint64";
    if constexpr (std::is_same_v<Bare, std::uint16_t>) return "uint16";
    if constexpr (std::is_same_v<Bare, std::uint8_t>) return "uint8";
}

// The array as it is: nothing is converted or copied, so what is written to it is seen outside.
template <class T, std::size_t N>
Array<T, N> array(nb::handle object, const char* name, std::size_t alignment = alignof(T)) {
    Array<T, N> checked;
    if (!nb::try_cast(object, checked, false)) refuse_array(object, name, type_name<T>(), N);
    if (checked.size() != 0) expect_aligned(checked.data(), alignment, name);
    return checked;
}

// Whether an object is an array of this type, whatever its shape.
template <class T>
bool holds(nb::handle object) {
    nb::ndarray<const T, nb::device::cpu> any;
    return nb::try_cast(object, any, false);
}

inline bool is_aligned(const void* data, std::size_t bytes) {
    return reinterpret_cast<std::uintptr_t>(data) % bytes == 0;
}

// Numbers that are only read: a copy, where they are of another type or order, or lie where none should.
template <std::size_t N>
Array<const double, N> numbers(nb::handle object, const char* name) {
    Array<const double, N> checked;
    if (nb::try_cast(object, checked, false) && is_aligned(checked.data(), alignof(double))) return checked;
    const nb::object copy = nb::module_::import_("numpy").attr("require")(object, type_name<double>(), "CA");
    return array<const double, N>(copy, name);
}

// The last number of a range, for people.
inline std::int64_t last_of(std::int64_t end) {
    return end == std::numeric_limits<std::int64_t>::min() ? end : end - 1;
}

// A new array of numpy's, and where its numbers lie.
template <class T>
struct Result {
    nb::object object;
    T* data;
};

template <class T, class... Sizes>
Result<T> new_array(const char* maker, Sizes... shape) {
    nb::object made = nb::module_::import_("numpy").attr(maker)(nb::make_tuple(shape...), type_name<T>());
    T* data = nb::cast<nb::ndarray<T, nb::c_contig, nb::device::cpu>>(made).data();
    return {std::move(made), data};
}

template <class T, class... Sizes>
Result<T> zeros(Sizes... shape) {
    return new_array<T>("zeros", shape...);
}

template <class T, class... Sizes>
Result<T> empty(Sizes... shape) {
    return new_array<T>("empty", shape...);
}

// Whether all numbers lie in [least, end). No branch in the loop: a few instructions for many numbers.
template <class T>
bool all_within(const T* numbers, std::size_t n, std::int64_t least, std::int64_t end) {
    using Unsigned = std::make_unsigned_t<T>;
    if (n == 0 || end <= least) return n == 0;
    const auto first = static_cast<Unsigned>(least);
    const auto last = static_cast<Unsigned>(std::min<std::int64_t>(end - 1, std::numeric_limits<T>::max()));
    Unsigned found = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto number = static_cast<Unsigned>(numbers[i]);
        if constexpr (std::is_signed_v<T>)
            found |= static_cast<Unsigned>((number - first) | (last - number));  // the sign tells
        else
            found = std::max(found, number);
    }
    return std::is_signed_v<T> ? static_cast<T>(found) >= 0 : found <= last;
}

// Raises unless they do.
template <class T>
void expect_within(const T* numbers, std::size_t n, std::int64_t least, std::int64_t end, const std::string& name) {
    if (all_within(numbers, n, least, end)) return;
    for (std::size_t i = 0; i < n; ++i)
        if (!all_within(numbers + i, 1, least, end))
            refuse(name, " must be at least ", least, " and less than ", end, "; found ", numbers[i]);
}

inline std::size_t expect_count(std::int64_t number, std::int64_t least, const char* name) {
    expect(number >= least, name, " must be ", least, " or more; found ", number);
    return static_cast<std::size_t>(number);
}

// More than any machine has; what is computed from it does not overflow.
inline std::size_t expect_threads(std::int64_t number) {
    return std::min<std::size_t>(expect_count(number, 1, "n_threads"), 4096);
}

// As many as there is room for beside the rows of a table.
inline std::size_t expect_classes(std::int64_t number) {
    expect(number <= std::int64_t{1} << 24, "n_classes must be 2^24 or less; found ", number);
    return expect_count(number, 1, "n_classes");
}

void bind_counting(nb::module_& m);
void bind_scan(nb::module_& m);
void bind_sums(nb::module_& m);
void bind_conjunctions(nb::module_& m);
void bind_graphs(nb::module_& m);
void bind_halfspaces(nb::module_& m);

}  // namespace paclearn
