#include "platform/rtl/block_build.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <thread>

#include "platform/config/diagnostics.h"
#include "platform/rtl/block_cache.h"
#include "platform/rtl/block_contract.h"
#include "platform/rtl/block_digest.h"
#include "platform/rtl/block_wrapper.h"
#include "platform/rtl/child_processes.h"
#include "platform/rtl/compile_commands.h"
#include "platform/rtl/elaboration.h"
#include "platform/rtl/loaded_block.h"
#include "platform/rtl/toolchain.h"
#include "platform/rtl/verilator_log.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

unsigned cores() { return std::max(1U, std::thread::hardware_concurrency()); }

// A lock on the runtime, so that it is compiled only once when several blocks are built in parallel.
class RuntimeLock {
 public:
  RuntimeLock(const fs::path& cache, const BuildSignals& signals)
      : file_(open((cache / ".runtime.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    while (file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) signals.wait(50);
  }
  ~RuntimeLock() {
    if (file_ >= 0) close(file_);
  }
  RuntimeLock(const RuntimeLock&) = delete;
  RuntimeLock& operator=(const RuntimeLock&) = delete;

 private:
  int file_;  // if it cannot be opened, the runtime may be compiled twice
};

// One build in a partial folder.
class Build {
 public:
  Build(LoadedBlock& block, const Toolchain& tools, const BlockCache& cache, std::string digest)
      : block_(block), tools_(tools), cache_(cache), digest_(std::move(digest)), work_(cache) {}

  // Returns the messages of Verilator that are not errors.
  std::string run() {
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<BoundPort> ports = check_ports();
    const ChildProgram verilator = verilate(tools_, block_.config, block_.files, work_.path());
    const bool done = is_done(verilator);
    std::string said = read_file(verilator.log);
    if (!done || has_misfit_connection(said)) refuse("Verilator reports:", said);
    check_files_read();
    compile(wrapper_text(block_.config, ports, digest_));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    finish(seconds.count());
    return said;
  }

 private:
  bool is_done(const ChildProgram& program) const { return run_all({program}, 1, signals_) == 1; }

  [[noreturn]] void refuse(const std::string& what, const std::string& log) const {
    refuse_with_log(block_, what, log);
  }

  std::vector<BoundPort> check_ports();
  void check_files_read() const;
  void compile(const std::string& wrapper);
  void finish(double seconds);

  LoadedBlock& block_;
  const Toolchain& tools_;
  const BlockCache& cache_;
  std::string digest_;
  BuildSignals signals_;
  PartialFolder work_;
};

std::vector<BoundPort> Build::check_ports() {
  const TopModule top = elaborated_top(block_, tools_, work_.path(), signals_);
  Diagnostics problems;
  std::vector<BoundPort> ports = bind_ports(block_.config, block_.document, top, problems);
  problems.throw_if_any();
  return ports;
}

// Refuses files that are not part of the digest, because their changes would not be noticed.
void Build::check_files_read() const {
  std::set<fs::path> known;
  for (const auto* group : {&block_.files.sources, &block_.files.included})
    for (const fs::path& file : *group) known.insert(fs::weakly_canonical(file));
  const fs::path verilator = fs::weakly_canonical(tools_.verilator_include).parent_path();
  for (const fs::path& read : files_read(work_.path() / "model")) {
    const fs::path file = fs::weakly_canonical(read);
    const bool of_verilator = file.filename().string().starts_with("verilator_bin") ||
                              *file.lexically_relative(verilator).begin() != "..";
    if (!of_verilator && !known.contains(file))
      throw ConfigError(Diagnostic{
          .origin = block_.document.origin_of("include"),
          .path = "include",
          .problem =
              may_be_included(file)
                  ? fmt::format("{} is included, but is in none of the folders named here", read.string())
                  : fmt::format(
                        "{} is included, but not recognised as a source by its extension; .svh is one",
                        read.string())});
  }
}

void Build::compile(const std::string& wrapper) {
  const fs::path runtime = cache_.entry("runtime", runtime_digest(tools_));
  std::vector<ChildProgram> programs = compile_model(tools_, block_.config, wrapper, work_.path());
  const auto compile_all = [&] {
    if (const std::size_t failed = run_all(programs, cores(), signals_); failed < programs.size())
      refuse("the compiler reports, for the output of Verilator:", read_file(programs[failed].log));
  };
  std::optional<RuntimeLock> lock;
  if (!fs::is_directory(runtime)) lock.emplace(cache_.folder(), signals_);
  if (!fs::is_directory(runtime)) {
    PartialFolder new_runtime(cache_);
    std::ranges::copy(compile_runtime(tools_, new_runtime.path()), std::inserter(programs, programs.begin()));
    compile_all();
    new_runtime.keep_as(runtime);
  } else {
    lock.reset();
    compile_all();
  }
  const ChildProgram link = link_block(tools_, runtime, work_.path());
  if (!is_done(link)) refuse("the linker reports, for the output of Verilator:", read_file(link.log));
}

void Build::finish(double seconds) {
  if (digest_of(load_block({.file = block_.file, .overrides = block_.overrides}), tools_) != digest_)
    throw ConfigError(Diagnostic::of_file(block_.file.string(),
                                          "one of its files changed during the build; build it again"));
  // The entry keeps only the files that are needed later.
  for (const auto& entry : std::vector(fs::directory_iterator(work_.path()), {}))
    if (entry.path().filename() != "block.so") fs::remove_all(entry.path());
  write_manifest(work_.path(),
                 {.name = block_.config.name,
                  .contract = contract_text(block_.config),
                  .digest = digest_,
                  .parameters = variant_text(block_.config),
                  .file = fs::absolute(block_.file).lexically_normal(),
                  .overrides = block_.overrides,
                  .library = {}},
                 seconds);
  // An entry without a library: files in it were deleted.
  if (!cache_.find(block_.config.name, digest_)) fs::remove_all(cache_.entry(block_.config.name, digest_));
  work_.keep_as(cache_.entry(block_.config.name, digest_));
}

}  // namespace

BuiltBlock build_block(const BlockRequest& request, const std::function<void(const std::string&)>& report) {
  if (request.file.extension() == ".so")
    return {.library = request.file,
            .was_built_before = true,
            .name = request.file.stem().string(),
            .parameters = ""};
  LoadedBlock block = load_block(request);
  const Toolchain tools = Toolchain::find(block.file);
  const std::string digest = digest_of(block, tools), parameters = variant_text(block.config);
  const BlockCache cache = BlockCache::standard();
  BuiltBlock built{.library = cache.entry(block.config.name, digest) / "block.so",
                   .was_built_before = cache.find(block.config.name, digest).has_value(),
                   .name = block.config.name,
                   .parameters = parameters};
  if (built.was_built_before) return built;
  report(fmt::format("building {}{}", built.name, parameters.empty() ? "" : " (" + parameters + ")"));
  std::string said = Build(block, tools, cache, digest).run();
  while (said.ends_with('\n')) said.pop_back();
  if (!said.empty()) report(said);
  return built;
}

BlockConfig read_block(const BlockRequest& request) { return read_description(request).config; }

std::optional<Diagnostic> contract_problem(const BlockConfig& block, BlockContract wanted,
                                           const Origin& origin, const std::string& path) {
  if (block.contract == wanted) return std::nullopt;
  const auto quoted = [](BlockContract c) { return "\"" + std::string(to_text(c)) + "\""; };
  return Diagnostic{.origin = origin,
                    .path = path,
                    .problem = "",
                    .expected = "a block of the contract " + quoted(wanted),
                    .got = quoted(block.contract)};
}

}  // namespace asterism
