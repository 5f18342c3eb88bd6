// Config files to config structs and back: what the rest of platform/ includes (README.md shows more).
//
//   ConfigLibrary library("configs");
//   ConfigDocument document = ConfigDocument::load(library.locate("scenarios", "power_loss"));
//   document.apply_override("node.memory.ecc=strong");
//   // ConfigError with all that is wrong, or:
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

// Adds what is wrong, of the overrides too, to `problems`; what it concerns keeps its default. `library` may
// be nullptr when nothing is looked up. Afterwards document.origin_of() knows where every value came from.
template <DescribedStruct T>
T read_config(ConfigDocument& document, const ConfigLibrary* library, Diagnostics& problems) {
  T config{};
  ObjectOf<T> object(config);
  read_object(object, document, library, problems);
  return config;
}

// The same; throws ConfigError when anything is wrong.
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
