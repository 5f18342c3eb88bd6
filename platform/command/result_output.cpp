#include "platform/command/result_output.h"

#include <fmt/format.h>

#include <filesystem>

#include "platform/config/diagnostics.h"

namespace asterism {

namespace fs = std::filesystem;

void refuse_a_file_twice(std::initializer_list<NamedResult> results) {
  const auto path_of = [](const std::string& file) {
    std::error_code none;
    return file == "-" ? fs::path(file) : fs::weakly_canonical(fs::absolute(file, none), none);
  };
  for (const auto* second = results.begin(); second != results.end(); ++second)
    for (const auto* first = results.begin(); first != second; ++first)
      if (*first->second && *second->second && path_of(**first->second) == path_of(**second->second))
        refuse_option(second->first, fmt::format("{} is already used by {}", **second->second, first->first));
}

ResultOutput::ResultOutput(const std::optional<std::string>& file, const char* option, bool may_replace)
    : is_standard_output_(file == "-") {
  if (!file || is_standard_output_) return;
  std::error_code none;
  if (!may_replace && fs::is_regular_file(*file, none))
    refuse_option(option, fmt::format("{} exists; --replace writes it anew", *file));
  file_.emplace(*file, option);
}

void ResultOutput::write(const std::string& text) {
  if (file_) file_->finish(text);
  if (is_standard_output_) fmt::print("{}", text);
}

std::string ResultOutput::leave_partial(const std::string& text) {
  if (is_standard_output_) fmt::print("{}", text);
  return file_ ? file_->leave_partial(text).string() : "";
}

}  // namespace asterism
