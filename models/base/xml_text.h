// Escapes text for XML: for SVG, and for what is sent to GDB.
#pragma once

#include <string>
#include <string_view>

namespace asterism {

inline std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

}  // namespace asterism
