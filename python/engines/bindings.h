// What the bindings of all engines use: their keys, arrays without copies, and work without Python's lock.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/statistics.h"
#include "platform/config/config.h"

namespace asterism::python {

namespace py = pybind11;

// An argument of any type that can be converted exactly, such as a list; a copy is made if it is no such
// array.
template <class T>
using Values = py::array_t<T, py::array::c_style | py::array::forcecast>;
// An array that is used where it is; an argument of another type or layout is refused, with .noconvert().
template <class T>
using Array = py::array_t<T, py::array::c_style>;
using ByteArray = Array<std::uint8_t>;

template <class T, int Flags>
std::span<const T> values(const py::array_t<T, Flags>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
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
void bind_matt(py::module_& module);
void bind_dram(py::module_& module);
void bind_fabric(py::module_& module);
void bind_ftl(py::module_& module);
void bind_resilience(py::module_& module);

}  // namespace asterism::python
