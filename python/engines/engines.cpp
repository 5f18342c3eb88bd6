// The module asterism.engines: engines of models/ within the process of Python, on NumPy arrays.
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bindings.h"
#include "platform/host/installed_files.h"

namespace asterism::python {
namespace {

// As the exceptions of the package, whose messages and statuses are those of the command.
void raise(int status, const char* message) {
  const py::object error = py::module_::import("asterism._program").attr("error_of")(status, message);
  PyErr_SetObject(py::type::of(error).ptr(), error.ptr());
}

// The command names the place of a key, which there is not here.
std::string without_place(std::string message) {
  const std::string origin = Origin::command_line().text() + ": error: ";
  for (std::size_t at; (at = message.find(origin)) != std::string::npos;) message.erase(at, origin.size());
  return message;
}

void translate(std::exception_ptr thrown) try {
  if (thrown) std::rethrow_exception(std::move(thrown));
} catch (const InputMissing& missing) {
  raise(66, without_place(missing.what()).c_str());
} catch (const ConfigError& mistake) {
  raise(65, without_place(mistake.what()).c_str());
} catch (const std::runtime_error& error) {
  if (!std::string_view(error.what()).starts_with("pybind11::vectorize")) throw;
  PyErr_SetString(PyExc_ValueError,
                  "expected numbers and arrays whose shapes fit together, as NumPy broadcasts them");
}

}  // namespace

ConfigLibrary config_library() { return InstalledFiles::find().configs; }

ConfigDocument document_of(const py::dict& keys) {
  ConfigDocument document = ConfigDocument::parse("{}", "");
  const py::object word = py::module_::import("asterism._program").attr("word");
  for (const auto& [key, value] : keys) document.apply_override(word(key, value).cast<std::string>());
  return document;
}

py::dict dictionary_of(const Statistics& statistics) {
  py::dict all;
  for (const auto& [name, value] : statistics.entries()) {
    const py::str key(name);
    if (const auto* group = std::get_if<std::unique_ptr<Statistics>>(&value))
      all[key] = dictionary_of(**group);
    else if (const auto* text = std::get_if<std::string>(&value))
      all[key] = *text;
    else
      all[key] = std::get<std::uint64_t>(value);
  }
  return all;
}

}  // namespace asterism::python

PYBIND11_MODULE(engines, module) {
  using namespace asterism::python;
  module.doc() =
      "Engines of Asterism within this process, on NumPy arrays: codes of memories, DRAM, fabrics,\n"
      "the table of modified pages (MATT), flash translation, and models of resilience and of training.\n\n"
      "Names end in their unit: _ps are picoseconds of simulated time, _s seconds. An engine works without\n"
      "Python's lock, so that engines in several threads work at the same time; calls of one engine follow\n"
      "each other. Keys are those of the command, and a mistake in one has its message\n"
      "(asterism.ConfigError). Other arguments that an engine refuses raise ValueError.";
  py::options options;
  options.disable_enum_members_docstring();
  py::register_local_exception_translator(translate);
  bind_codec(module);
  bind_memory_codes(module);
  bind_matt(module);
  bind_dram(module);
  bind_fabric(module);
  bind_ftl(module);
  bind_resilience(module);
  bind_training(module);
}
