#include "base/wrapped_text.h"

#include <algorithm>

namespace asterism {

constexpr std::size_t columns = 80;

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string lines, line;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \n", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    if (!line.empty() && indent + line.size() + 1 + (end - at) > columns) {
      lines += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += text.substr(at, end - at);
    at = end;
  }
  return lines + std::string(indent, ' ') + line + "\n";
}

std::string wrapped(std::string_view heading, std::string_view text, std::size_t indent) {
  const std::string lines = wrapped(text, indent);
  if (heading.size() >= indent) return std::string(heading) + "\n" + lines;
  return std::string(heading) + lines.substr(heading.size());
}

}  // namespace asterism
