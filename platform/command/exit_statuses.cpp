#include "platform/command/exit_statuses.h"

#include <fmt/format.h>

#include <map>

namespace asterism {

std::string exit_statuses(std::initializer_list<MeaningOfStatus> own) {
  std::map<ExitStatus, const char*> all{
      {ExitStatus::success, "success"},
      {ExitStatus::usage, "usage"},
      {ExitStatus::bad_input, "error in a configuration or input file"},
      {ExitStatus::input_missing, "input missing"},
      {ExitStatus::internal, "internal error or output that cannot be written"}};
  for (const auto& [status, meaning] : own) all[status] = meaning;
  std::string text;
  for (const auto& [status, meaning] : all)
    text += fmt::format("{}{} {}", text.empty() ? "Exit status: " : ", ", static_cast<int>(status), meaning);
  return text + ".";
}

}  // namespace asterism
