// Reads config files into config structs and writes them back. This is the header that other folders include;
// README.md explains more.
//
//   ConfigLibrary library("configs");
//   ConfigDocument document = ConfigDocument::load(library.locate("scenarios", "power_loss"));
//   document.apply_override("node.memory.ecc=strong");
//   // Throws ConfigError with all errors:
//   ScenarioConfig scenario = read_config<ScenarioConfig>(document, library);
//   std::cout << expanded(scenario);
#pragma once

#include <string>
#include <string_view>

#include "base/fields.h"
#include "platform/config/config_document.h"
#include "platform/config/config_documentation.h"
#include "platform/config/config_library.h"
#include "platform/config/config_reader.h"
#include "platform/config/config_schema.h"
#include "platform/config/config_writer.h"
#include "platform/config/diagnostics.h"

namespace asterism {

// Adds all errors, including those of overrides, to `problems`; wrong values keep their defaults. `library`
// may be nullptr if no file names need to be resolved. Afterwards document.origin_of() returns the origin of
// every value.
template <DescribedStruct T>
T read_config(ConfigDocument& document, const ConfigLibrary* library, Diagnostics& problems) {
  T config{};
  ObjectOf<T> object(config);
  read_object(object, document, library, problems);
  return config;
}

// The same, but throws ConfigError if there is any error.
template <DescribedStruct T>
T read_config(ConfigDocument& document, const ConfigLibrary& library) {
  Diagnostics problems;
  T config = read_config<T>(document, &library, problems);
  problems.throw_if_any();
  return config;
}

// A file of the library by name, such as a part: load_config<FlashPart>(library, "flash",
// "micron_2013_mlc_16k").
template <DescribedStruct T>
T load_config(const ConfigLibrary& library, std::string_view kind, const std::string& name) {
  ConfigDocument document = ConfigDocument::load(library.locate(kind, name));
  return read_config<T>(document, library);
}

// The fully expanded form: every key, JSON, reads back as the same config.
template <DescribedStruct T>
std::string expanded(T config) {
  ObjectOf<T> object(config);
  return write_object(object);
}

// The JSON Schema of T's files.
template <DescribedStruct T>
std::string schema(std::string_view title) {
  T config{};
  ObjectOf<T> object(config);
  return schema_of_object(object, title);
}

// The keys of T's files as text.
template <DescribedStruct T>
std::string documentation() {
  T config{};
  ObjectOf<T> object(config);
  return document_object(object);
}

}  // namespace asterism
