#include "platform/rtl/elaboration.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "platform/config/nearest_name.h"
#include "platform/rtl/compile_commands.h"
#include "platform/rtl/verilator_log.h"

namespace asterism {
namespace {

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Elaboration {
 public:
  Elaboration(const LoadedBlock& block, const Toolchain& tools, const std::filesystem::path& folder,
              const BuildSignals& signals)
      : block_(block), tools_(tools), folder_(folder), signals_(signals) {}

  TopModule run() const {
    const ChildProgram verilator = elaborate(tools_, block_.config, block_.files, folder_);
    if (is_done(verilator)) return read_port_list(folder_ / "ports.xml");
    const std::string log = text_of_file(verilator.log);
    check_names(log);
    refuse_with_log(block_, "Verilator reports:", log);
  }

 private:
  bool is_done(const ChildProgram& program) const { return run_all({program}, 1, signals_) == 1; }

  [[noreturn]] void refuse_at(const std::string& path, const std::string& problem,
                              const std::string& nearest) const {
    throw ConfigError(Diagnostic{
        .origin = block_.document.origin_of(path), .path = path, .problem = problem, .nearest = nearest});
  }

  // Handles messages of Verilator about names on its command line, which have no place in a source file.
  void check_names(const std::string& log) const {
    if (is_top_not_found(log)) {
      std::vector<std::string> modules;
      for (const std::filesystem::path& file : block_.files.sources)
        for (const std::string& name : modules_in(text_of_file(file))) modules.push_back(name);
      refuse_at("top", "there is no module " + block_.config.top, nearest_name(block_.config.top, modules));
    }
    const std::vector<std::string> unknown = parameters_not_found(log);
    if (unknown.empty()) return;
    BlockConfig without = block_.config;
    without.parameters.clear();
    std::vector<std::string> parameters;
    if (is_done(elaborate(tools_, without, block_.files, folder_)))
      parameters = read_port_list(folder_ / "ports.xml").parameters;
    refuse_at("parameters." + unknown.front(),
              fmt::format("module {} has no parameter {}", block_.config.top, unknown.front()),
              nearest_name(unknown.front(), parameters));
  }

  const LoadedBlock& block_;
  const Toolchain& tools_;
  std::filesystem::path folder_;
  const BuildSignals& signals_;
};

}  // namespace

TopModule elaborated_top(const LoadedBlock& block, const Toolchain& tools,
                         const std::filesystem::path& folder, const BuildSignals& signals) {
  return Elaboration(block, tools, folder, signals).run();
}

void refuse_with_log(const LoadedBlock& block, const std::string& what, std::string log) {
  while (log.ends_with('\n')) log.pop_back();
  throw ConfigError(Diagnostic::of_file(block.file.string(), what + "\n" + log));
}

}  // namespace asterism
