// The name of a core of FuseSoC, vendor:library:name:version, and the ways in which another core asks for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace asterism {

struct CoreName {
  std::string core;          // "lowrisc:prim:assert"; a name without a vendor is "::name"
  std::vector<int> version;  // empty: none
  // "vendor:library:name", "vendor:library:name:1.2-r1", "name-1.2"; nullopt for any other text.
  static std::optional<CoreName> parse(std::string_view text);
  std::string simple_name() const { return core.substr(core.rfind(':') + 1); }
};

// An entry of `depend`: "a:b:c", ">=a:b:c:1.0", "~a:b:c:1.2", "^a:b:c:1".
struct CoreRequirement {
  CoreName name;
  std::string relation;  // "==", ">=", "<=", ">", "<", "~", "^"; "" for any version
  static std::optional<CoreRequirement> parse(std::string_view text);
  bool is_met_by(const CoreName& candidate) const;
};

// Whether a is older than b; a missing part counts as 0.
bool is_older(const std::vector<int>& a, const std::vector<int>& b);

}  // namespace asterism
