// The verbs with their arguments and options as JSON, for what is generated from them: man pages.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace CLI {
class App;
}

namespace asterism {

//   {"name": "run", "description": "Run a ...", "arguments": [...], "options": [...], "verbs": [...]}
// An argument or an option: {"name": "--out", "value": "DIR", "description": "Write ...", "required": false,
// "repeats": false, "needs": [...], "excludes": [...]}; an option without "value" is a flag.
nlohmann::json description_of(const CLI::App& command);

}  // namespace asterism
