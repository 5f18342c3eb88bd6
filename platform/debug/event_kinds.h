// The kinds of events that a run may write to events.jsonl, as in docs/events.md, in alphabetical order.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace asterism {

std::span<const std::string_view> event_kinds();

// The groups that a user may name in the place of their kinds.
const std::map<std::string, std::set<std::string>>& event_groups();

// The kinds that the name of a kind or of a group stands for. Throws std::invalid_argument, with the nearest
// name.
std::set<std::string> kinds_named(const std::string& name);

}  // namespace asterism
