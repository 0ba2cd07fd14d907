// The compiled core as Python sees it: the functions of the numpy_*.py beside it, by the same names. Only the bind_*.cpp
// and arguments.* know about Python.
#include "arguments.hpp"
#include "interrupt.hpp"
#include "isa.hpp"

NB_MODULE(_core, m) {
    using namespace paclearn;
    poll_interrupt = [] {
        const nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    };
    m.def("instruction_set", [] { return instruction_set().name; });
    bind_counting(m);
    bind_scan(m);
    bind_sums(m);
    bind_conjunctions(m);
    bind_graphs(m);
    bind_halfspaces(m);
}
