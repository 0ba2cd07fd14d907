#include "arguments.hpp"

namespace paclearn {
namespace {

std::string text_of(nb::handle object) { return nb::str(object).c_str(); }

bool is_array(nb::handle object) { return nb::isinstance(object, nb::module_::import_("numpy").attr("ndarray")); }

std::string described(nb::handle object) {
    if (!is_array(object)) return "an object of type " + text_of(object.type().attr("__name__"));
    std::string text = text_of(object.attr("dtype")) + " of shape " + text_of(object.attr("shape"));
    const nb::object flags = object.attr("flags");
    if (!nb::cast<bool>(flags.attr("c_contiguous"))) text += ", not C-contiguous";
    if (!nb::cast<bool>(flags.attr("aligned"))) text += ", not aligned";
    if (!nb::cast<bool>(flags.attr("writeable"))) text += ", read-only";
    return text;
}

}  // namespace

void refuse_array(nb::handle object, const char* name, const char* type, std::size_t n_dimensions) {
    const std::string complaint = std::string(name) + " must be a C-contiguous array of " + type + " with " +
                                  std::to_string(n_dimensions) + (n_dimensions == 1 ? " dimension" : " dimensions") +
                                  "; found " + described(object);
    if (is_array(object) && text_of(object.attr("dtype")) == type) refuse(complaint);
    throw nb::type_error(complaint.c_str());
}

void expect_aligned(const void* data, std::size_t bytes, const char* name) {
    const std::size_t past = reinterpret_cast<std::uintptr_t>(data) % bytes;
    expect(past == 0, name, " must start at a multiple of ", bytes, " bytes; found a start ", past,
           " bytes past one (a BitTable makes a copy that starts at one)");
}

}  // namespace paclearn
