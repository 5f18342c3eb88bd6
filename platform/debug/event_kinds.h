// The kinds of events that a run may write to events.jsonl, as in docs/events.md, in alphabetical order.
#pragma once

#include <span>
#include <string_view>

namespace asterism {

std::span<const std::string_view> event_kinds();

}  // namespace asterism
