#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "platform/command/verbs.h"
#include "platform/rtl/block_build.h"

namespace asterism {
namespace {

// The path relative to the current folder, if the file is below it.
std::string short_path(const std::filesystem::path& path) {
  const auto below = path.lexically_relative(std::filesystem::current_path());
  return below.empty() || *below.begin() == ".." ? path.string() : below.string();
}

std::string title(const std::string& name, const std::string& parameters) {
  return parameters.empty() ? name : name + " (" + parameters + ")";
}

const char* text_of(KnownBlock::State state) {
  switch (state) {
    case KnownBlock::State::built:
      return "built";
    case KnownBlock::State::stale:
      return "stale";
    case KnownBlock::State::not_built:
      return "not built";
  }
  return "";
}

}  // namespace

int verb_rtl_build(const std::string& file, const std::vector<std::string>& overrides) {
  const auto begin = std::chrono::steady_clock::now();
  const BlockRequest request{.file = locate_block(file, Origin::command_line(), ""), .overrides = overrides};
  const BuiltBlock built = build_block(request, [](const std::string& line) {
    fmt::print(stderr, "{}\n", line);
    std::fflush(stderr);
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const std::string block = title(built.name, built.parameters), library = short_path(built.library);
  if (built.was_built_before)
    fmt::print("{} is built: {}\n", block, library);
  else
    fmt::print("built {} in {:.1f} s: {}\n", block, seconds.count(), library);
  return 0;
}

int verb_rtl_list() {
  const std::vector<KnownBlock> blocks = known_blocks();
  std::size_t name = 5, parameters = 10;
  for (const KnownBlock& block : blocks) {
    name = std::max(name, block.name.size());
    parameters = std::max(parameters, block.parameters.size());
  }
  fmt::print("{:<{}}  {:<{}}  {:<9}  {:<13}  {}\n", "block", name, "parameters", parameters, "state",
             "contract", "file");
  for (const KnownBlock& block : blocks)
    fmt::print("{:<{}}  {:<{}}  {:<9}  {:<13}  {}\n", block.name, name, block.parameters, parameters,
               text_of(block.state), block.contract, short_path(block.file));
  return 0;
}

}  // namespace asterism
