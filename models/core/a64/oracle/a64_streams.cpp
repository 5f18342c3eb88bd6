// Random instruction streams on the A64 engine and on Unicorn:
//   a64_streams [--class NAME] [--row SUBSTRING] [--instructions N] [--seed S]
//
// The exit status is 0 when all agree, 1 when not or when a class could not be tried, 64 when the arguments
// are wrong.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "core/a64/oracle/program.h"
#include "core/a64/oracle/streams.h"

namespace asterism::a64::oracle {
namespace {

constexpr int usage = 64;

bool has_row(const std::string& of_class, const std::string& row) {
  return std::ranges::any_of(stream_rows(of_class),
                             [&](const std::string& name) { return name.find(row) != std::string::npos; });
}

bool agrees(const StreamOptions& options) {
  const StreamResult result = run_stream(options);
  fmt::print("{}: seed {}, {} instructions, {} programs, {} runs left the data\n", options.of_class,
             options.seed, result.instructions, result.programs, result.left_memory);
  if (!result.mismatch.empty()) fmt::print("MISMATCH {}", result.mismatch);
  if (result.compared == 0) fmt::print("{}: NOTHING was compared\n", options.of_class);
  return result.mismatch.empty() && result.compared != 0;
}

}  // namespace
}  // namespace asterism::a64::oracle

int main(int argc, char** argv) {
  using namespace asterism::a64::oracle;
  std::vector<std::string> classes = Generator::classes();
  classes.emplace_back("all");

  CLI::App app{"Random instruction streams on the A64 engine and on Unicorn", "a64_streams"};
  std::string of_class;
  StreamOptions options;
  app.add_option("--class", of_class, "Of these instructions only; else of every class")
      ->check(CLI::IsMember(classes));
  app.add_option("--row", options.row, "Of rows only whose name contains this");
  app.add_option("--instructions", options.instructions, "At least so many, of each class")
      ->check(CLI::Range(std::uint64_t{1}, ~std::uint64_t{0}));
  app.add_flag(
      "--translated", [&](std::int64_t) { options.translation.after = 1; },
      "Translate each block at its first execution");
  app.add_flag(
      "--lockstep", [&](std::int64_t) { options.translation = {.after = 1, .is_checked = true}; },
      "The same, and compare with the interpreter");
  app.add_flag("--vixl", options.is_vixl, "Compare with VIXL's simulator instead of Unicorn");
  app.add_option("--seed", options.seed, "Of the random numbers");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage;
  }

  if (options.is_vixl && !has_vixl()) {
    fmt::print(stderr, "--vixl: this program was built without libvixl-dev\n");
    return usage;
  }
  if (options.is_vixl) classes = vixl_classes();
  if (!of_class.empty() && std::ranges::find(classes, of_class) == classes.end()) {
    fmt::print(stderr, "--class {}: VIXL's simulator executes {}\n", of_class, fmt::join(classes, ", "));
    return usage;
  }
  if (!of_class.empty()) classes = {of_class};
  std::erase_if(classes, [&](const std::string& name) { return !has_row(name, options.row); });
  if (classes.empty()) {
    fmt::print(stderr, "--row: no name contains '{}'; there are {}\n", options.row,
               fmt::join(stream_rows(of_class.empty() ? "all" : of_class), "; "));
    return usage;
  }
  bool all_agree = true;
  for (const std::string& name : classes) {
    options.of_class = name;
    all_agree &= agrees(options);
  }
  return all_agree ? 0 : 1;
}
