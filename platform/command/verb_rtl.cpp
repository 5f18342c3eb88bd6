#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/wrapped_text.h"
#include "platform/command/option_checks.h"
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

struct BuildArguments {
  std::string file;
  std::vector<std::string> overrides;
};

int verb_rtl_build(const BuildArguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  const BlockRequest request{.file = locate_block(arguments.file, Origin::command_line(), ""),
                             .overrides = arguments.overrides};
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

}  // namespace

// A line of a table, and below it the file: the path of one is often longer than a line, and is copied whole.
void print_blocks() {
  const std::vector<KnownBlock> blocks = known_blocks();
  std::size_t name = 5;
  for (const KnownBlock& block : blocks) name = std::max(name, block.name.size());
  const auto line = [&](const std::string& block, const char* state, const std::string& contract,
                        const std::string& parameters) {
    const std::string heading = fmt::format("{:<{}}  {:<9}  {:<13}", block, name, state, contract);
    return wrapped(heading, parameters, heading.size() + 2);
  };
  fmt::print("{}  file\n", line("block", "state", "contract", "parameters"));
  for (const KnownBlock& block : blocks)
    fmt::print("{}  {}\n",
               line(block.name, text_of(block.state), block.contract,
                    block.parameters.empty() ? "-" : block.parameters),
               short_path(block.file));
}

Verb add_rtl(CLI::App& app) {
  const auto arguments = std::make_shared<BuildArguments>();
  CLI::App* verb = app.add_subcommand("rtl", "Build and list blocks in SystemVerilog");
  verb->require_subcommand(1);
  CLI::App* build = verb->add_subcommand(
      "build",
      "Check a block, compile it with Verilator, and keep the library; does nothing if it is up to date");
  build->add_option("BLOCK.json", arguments->file, "The description of the block")->required();
  build
      ->add_option("KEY=VALUE", arguments->overrides,
                   "Overrides keys, e.g. parameters.Radix=16 or assertions=true")
      ->check(mistake_in_override);
  verb->add_subcommand("list", "List the blocks, and whether they are built, stale or not built");
  return {verb, [build, arguments](Ranks*) {
            if (build->parsed()) return verb_rtl_build(*arguments);
            print_blocks();
            return 0;
          }};
}

}  // namespace asterism
