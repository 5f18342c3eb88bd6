#include "platform/command/option_checks.h"

#include <filesystem>
#include <system_error>

namespace asterism {

std::string mistake_in_value(const std::string& text) {
  return text.empty() || text[0] == '-' ? "expected a value, got \"" + text + "\"" : std::string();
}

std::string mistake_in_file(const std::string& text) {
  return text == "-" ? std::string() : mistake_in_value(text);
}

std::string mistake_in_file_of_run(const std::string& text) {
  return text == "-" ? "expected a file, since standard output has what the guest writes; got \"-\""
                     : mistake_in_value(text);
}

std::string mistake_in_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals == 0 || equals == std::string::npos ? "expected KEY=VALUE, got \"" + text + "\""
                                                    : std::string();
}

std::string mistake_in_name(const std::string& text) {
  std::error_code none;
  return text.find('=') == std::string::npos || std::filesystem::exists(text, none)
             ? std::string()
             : "expected a file or a name before KEY=VALUE, got \"" + text + "\"";
}

}  // namespace asterism
