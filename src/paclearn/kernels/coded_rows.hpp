// Coded rows as they come from Python, with the values to be summed.
#pragma once

#include "arguments.hpp"
#include "cells.hpp"

namespace paclearn {

// Raises unless all parts have as many rows, and classes and sizes are what a table can have.
template <class Code>
CodedRows<Code> coded_rows(const Array<const Code, 2>& codes, const Array<const std::int64_t, 1>& sizes,
                           const Array<const std::int32_t, 1>& row_class, std::int64_t n_classes,
                           const Array<const double, 2>& values) {
    const std::size_t n = codes.shape(1), n_values = values.shape(1);
    expect(codes.shape(0) == sizes.shape(0), "sizes must have a number for each of the ", codes.shape(0),
           " columns of codes; found ", sizes.shape(0));
    expect(row_class.shape(0) == n && values.shape(0) == n, "row_class and values must have a row for each of the ", n,
           " rows of codes; found ", row_class.shape(0), " and ", values.shape(0));
    expect(n_values > 0, "values must have a column; found none");
    expect_within(sizes.data(), sizes.shape(0), 1, std::int64_t{1} << 32, "sizes");
    const CodedRows<Code> rows{codes.data(),  n,       sizes.data(), row_class.data(), expect_classes(n_classes),
                               values.data(), n_values};
    expect_within(row_class.data(), n, 0, n_classes, "row_class");
    return rows;
}

template <class Code>
void expect_codes(const Array<const Code, 2>& codes, std::size_t unit, std::int64_t size) {
    expect_within(codes.data() + unit * codes.shape(1), codes.shape(1), 0, size, "codes of unit " + std::to_string(unit));
}

}  // namespace paclearn
