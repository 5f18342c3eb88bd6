// The time of the host after which a call into code of others (a block of RTL, a plug-in) counts as hanging.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include "platform/config/diagnostics.h"

namespace asterism {

// ASTERISM_HANG_LIMIT in the environment, in seconds. Throws ConfigError.
inline std::chrono::seconds hang_limit() {
  const char* const given = std::getenv("ASTERISM_HANG_LIMIT");
  if (!given) return std::chrono::seconds(10);
  const std::string_view text = given;
  unsigned seconds = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), seconds);
  if (error != std::errc() || end != text.end() || seconds == 0 || seconds > 86400)
    throw ConfigError(
        Diagnostic::of_file("ASTERISM_HANG_LIMIT",
                            fmt::format("expected a number of seconds from 1 to 86400, got \"{}\"", text)));
  return std::chrono::seconds(seconds);
}

}  // namespace asterism
