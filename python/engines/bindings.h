// What the bindings of all engines use: their keys, arrays without copies, and work without Python's lock.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <type_traits>
#include <vector>

#include "base/enum_names.h"
#include "base/statistics.h"
#include "platform/config/config.h"

namespace asterism::python {

namespace py = pybind11;

template <class T>
using Array = py::array_t<T, py::array::c_style>;

// An argument of any type that can be converted exactly, such as a list; a copy is made if it is no such
// array.
template <class T>
struct Values {
  Array<T> array;
};
// An array that is used where it is; an argument of another type or layout is refused.
class ByteArray : public Array<std::uint8_t> {
 public:
  using Array<std::uint8_t>::Array;
};

// Throw TypeError or ValueError.
template <class T>
Array<T> exactly(py::handle given) {
  if (Array<T>::check_(given)) return py::reinterpret_borrow<Array<T>>(given);
  const py::array from = py::array::ensure(given);
  if (!from) throw py::type_error("expected numbers or an array of them");
  auto converted = py::array_t<T, py::array::c_style | py::array::forcecast>::ensure(from);
  const bool is_same = converted && converted.attr("__eq__")(from).attr("all")().template cast<bool>();
  if (!is_same)
    throw py::value_error(std::is_same_v<T, bool> ? "expected truth values"
                                                  : "expected whole numbers from 0 to " +
                                                        std::to_string(std::numeric_limits<T>::max()));
  return converted;
}
inline ByteArray bytes_where_they_are(py::handle given) {
  if (ByteArray::check_(given)) return py::reinterpret_borrow<ByteArray>(given);
  const std::string kind = py::isinstance<py::array>(given)
                               ? "an array of " + std::string(py::str(given.attr("dtype")))
                               : std::string(py::str(py::type::of(given).attr("__name__")));
  throw py::type_error("expected a contiguous array of uint8, which is used where it is; got " +
                       (kind == "an array of uint8" ? kind + " that is not contiguous" : kind));
}

template <class T>
std::span<const T> values(const Array<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}
template <class T>
std::span<const T> values(const Values<T>& of) {
  return values(of.array);
}
inline std::span<const std::uint8_t> values(const ByteArray& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}
inline std::span<std::uint8_t> elements(ByteArray& array) {
  return {array.mutable_data(), static_cast<std::size_t>(array.size())};
}
template <class T>
std::span<T> elements(Array<T>& array) {
  return {array.mutable_data(), static_cast<std::size_t>(array.size())};
}

// Of each engine: one call at a time.
struct Calls {
  std::mutex mutex;
};
// Python's other threads go on while an engine works. A second one that calls the same engine waits.
class Working {
 public:
  explicit Working(Calls& calls) : call_(calls.mutex) {}

 private:
  py::gil_scoped_release released_;  // before the mutex is waited for
  std::scoped_lock<std::mutex> call_;
};

// The result of work(stop), which may take long: Ctrl-C ends it. The thread that calls handles signals.
template <class Work>
auto interruptible(Calls& calls, const Work& work) {
  const py::gil_scoped_release released;
  std::stop_source stop;
  auto done = std::async(std::launch::async, [&] {
    const std::scoped_lock call(calls.mutex);
    return work(stop.get_token());
  });
  while (done.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    const py::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() == 0) continue;
    stop.request_stop();
    {
      const py::gil_scoped_release meanwhile;
      done.wait();
    }
    throw py::error_already_set();
  }
  return done.get();
}
// The same for a function, whose calls need not follow each other.
template <class Work>
auto interruptible(const Work& work) {
  Calls calls;
  return interruptible(calls, work);
}

template <NamedEnum E>
E one_of_names(const char* argument, const std::string& name) {
  if (const auto value = enum_from_text<E>(name)) return *value;
  std::string problem = std::string(argument) + ": expected";
  for (const char* between = " "; const auto& each : enum_names(E{})) {
    problem += between + ("\"" + std::string(each.name) + "\"");
    between = ", ";
  }
  throw std::invalid_argument(problem + "; got \"" + name + "\"");
}

// The files of configs/ of this build or installation.
ConfigLibrary config_library();

// Keys and values as the command takes them in `key=value`, with its messages.
ConfigDocument document_of(const py::dict& keys);

template <DescribedStruct T>
T read_keys(const py::dict& keys) {
  ConfigDocument document = document_of(keys);
  return read_config<T>(document, config_library());
}

template <DescribedStruct T>
py::dict schema_of(const char* title) {
  return py::module_::import("json").attr("loads")(schema<T>(title));
}
// keys() and schema() of a class whose constructor takes keys.
template <DescribedStruct T, class Class>
void define_keys(Class& of, const char* title) {
  of.def_static("keys", documentation<T>,
                "All keys, with their defaults, valid values and meanings, as text.");
  of.def_static(
      "schema", [title] { return schema_of<T>(title); }, "The JSON Schema of the keys.");
}

// A group of statistics as a dictionary.
py::dict dictionary_of(const Statistics& statistics);

template <class Engine>
py::dict statistics_of(Engine& engine) {
  Statistics statistics;
  {
    const Working working(engine.calls);
    engine.report(statistics);
  }
  return dictionary_of(statistics);
}
// A getter of a property.
template <class Engine, class Result>
auto getter(Result (Engine::*get)() const) {
  return [get](Engine& engine) {
    const Working working(engine.calls);
    return (engine.*get)();
  };
}

void bind_codec(py::module_& module);
void bind_memory_codes(py::module_& module);
void bind_matt(py::module_& module);
void bind_dram(py::module_& module);
void bind_fabric(py::module_& module);
void bind_ftl(py::module_& module);
void bind_resilience(py::module_& module);
void bind_training(py::module_& module);

}  // namespace asterism::python

namespace pybind11::detail {

template <class T>
struct type_caster<asterism::python::Values<T>> {
  PYBIND11_TYPE_CASTER(asterism::python::Values<T>, handle_type_name<array_t<T>>::name);
  bool load(handle from, bool) {
    value.array = asterism::python::exactly<T>(from);
    return true;
  }
  static handle cast(const asterism::python::Values<T>& from, return_value_policy, handle) {
    return from.array.inc_ref();
  }
};

template <>
struct type_caster<asterism::python::ByteArray> {
  PYBIND11_TYPE_CASTER(asterism::python::ByteArray, handle_type_name<array_t<std::uint8_t>>::name);
  bool load(handle from, bool) {
    value = asterism::python::bytes_where_they_are(from);
    return true;
  }
  static handle cast(const asterism::python::ByteArray& from, return_value_policy, handle) {
    return from.inc_ref();
  }
};

}  // namespace pybind11::detail
