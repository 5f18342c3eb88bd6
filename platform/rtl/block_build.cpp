#include "platform/rtl/block_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "platform/config/diagnostics.h"
#include "platform/rtl/block_cache.h"
#include "platform/rtl/block_contract.h"
#include "platform/rtl/block_digest.h"
#include "platform/rtl/block_wrapper.h"
#include "platform/rtl/child_processes.h"
#include "platform/rtl/compile_commands.h"
#include "platform/rtl/loaded_block.h"
#include "platform/rtl/toolchain.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

unsigned cores() { return std::max(1U, std::thread::hardware_concurrency()); }

// One build, in a partial folder.
class Build {
 public:
  Build(LoadedBlock& block, const Toolchain& tools, const BlockCache& cache, std::string digest)
      : block_(block), tools_(tools), cache_(cache), digest_(std::move(digest)), work_(cache) {}

  void run() {
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<BoundPort> ports = check_ports();
    run_verilator(verilate(tools_, block_.config, block_.files, work_.path()));
    compile(wrapper_text(block_.config, ports, digest_));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    finish(seconds.count());
  }

 private:
  void run_verilator(const ChildProgram& program) {
    if (run_all({program}, 1, signals_) == 0) refuse("Verilator refuses it:", program.log);
  }
  [[noreturn]] void refuse(const std::string& what, const fs::path& log) const {
    std::string text = read_file(log);
    while (text.ends_with('\n')) text.pop_back();
    throw ConfigError(Diagnostic::of_file(block_.file.string(), what + "\n" + text));
  }

  std::vector<BoundPort> check_ports() {
    run_verilator(elaborate(tools_, block_.config, block_.files, work_.path()));
    const TopModule top = read_port_list(work_.path() / "ports.xml");
    Diagnostics problems;
    std::vector<BoundPort> ports = bind_ports(block_.config, block_.document, top, problems);
    problems.throw_if_any();
    return ports;
  }

  void compile(const std::string& wrapper) {
    const fs::path runtime = cache_.entry("runtime", runtime_digest(tools_));
    std::optional<PartialFolder> new_runtime;
    std::vector<ChildProgram> programs;
    if (!fs::is_directory(runtime)) {
      new_runtime.emplace(cache_);
      programs = compile_runtime(tools_, new_runtime->path());
    }
    for (ChildProgram& program : compile_model(tools_, wrapper, work_.path())) programs.push_back(program);
    if (const std::size_t failed = run_all(programs, cores(), signals_); failed < programs.size())
      refuse("the compiler refuses what Verilator made of it:", programs[failed].log);
    if (new_runtime) new_runtime->keep_as(runtime);
    const ChildProgram link = link_block(tools_, runtime, work_.path());
    if (run_all({link}, 1, signals_) == 0) refuse("the linker refuses what Verilator made of it:", link.log);
  }

  // Only what is of use later stays in the entry.
  void finish(double seconds) {
    for (const auto& entry : std::vector(fs::directory_iterator(work_.path()), {}))
      if (entry.path().filename() != "block.so") fs::remove_all(entry.path());
    write_manifest(work_.path(),
                   {.name = block_.config.name,
                    .contract = contract_text(block_.config),
                    .digest = digest_,
                    .parameters = parameters_text(block_.config),
                    .file = fs::absolute(block_.file).lexically_normal(),
                    .overrides = block_.overrides,
                    .library = {}},
                   seconds);
    work_.keep_as(cache_.entry(block_.config.name, digest_));
  }

  LoadedBlock& block_;
  const Toolchain& tools_;
  const BlockCache& cache_;
  std::string digest_;
  BuildSignals signals_;
  PartialFolder work_;
};

}  // namespace

BuiltBlock build_block(const BlockRequest& request, const std::function<void(const std::string&)>& tell) {
  if (request.file.extension() == ".so")
    return {
        .library = request.file, .was_there = true, .name = request.file.stem().string(), .parameters = ""};
  LoadedBlock block = load_block(request);
  const Toolchain tools = Toolchain::find(block.file);
  const std::string digest = digest_of(block, tools), parameters = parameters_text(block.config);
  const BlockCache cache = BlockCache::standard();
  BuiltBlock built{.library = cache.entry(block.config.name, digest) / "block.so",
                   .was_there = cache.find(block.config.name, digest).has_value(),
                   .name = block.config.name,
                   .parameters = parameters};
  if (built.was_there) return built;
  tell(fmt::format("building {}{}", built.name, parameters.empty() ? "" : " (" + parameters + ")"));
  Build(block, tools, cache, digest).run();
  return built;
}

BlockConfig read_block(const BlockRequest& request) { return read_description(request).config; }

}  // namespace asterism
