#include "platform/rtl/compile_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace asterism {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// -Wno-fatal: otherwise any warning would be an error, also one about style. All warnings are printed; those
// about the behaviour or the speed of the block are errors by name.
const Words verilator_flags = {"-Wno-fatal",          "-Werror-UNOPTFLAT", "-Werror-LATCH",
                               "-Werror-MULTIDRIVEN", "-Werror-STMTDLY",   "-Werror-USERFATAL",
                               "-Werror-USERERROR",   "--no-timing",       "--quiet-exit"};
// -fno-const-bit-op-tree: in 5.006 that optimisation gives XORs of single bits wrong values (verilator issue
// 4059).
const Words model_flags = {"--cc", "--trace-fst", "--savable", "-O3", "-fno-const-bit-op-tree"};

// -w: warnings about the output and the runtime of Verilator are of no use here.
const Words compiler_flags = {"-std=gnu++17",
                              "-fPIC",
                              "-fvisibility=hidden",
                              "-fvisibility-inlines-hidden",
                              "-w",
                              "-DVM_TRACE=1",
                              "-DVM_TRACE_FST=1",
                              "-DVM_COVERAGE=0",
                              "-DVM_SC=0",
                              "-DVL_USER_FATAL",
                              "-DVL_USER_STOP",
                              "-DVL_USER_FINISH",
                              "-DVL_PRINTF=asterism_rtl_print",
                              "-include",
                              "asterism_runtime.h"};
constexpr const char* runtime_header = "extern \"C\" int asterism_rtl_print(const char* format, ...);\n";
const Words runtime_sources = {"verilated.cpp", "verilated_fst_c.cpp", "verilated_save.cpp",
                               "verilated_threads.cpp"};
constexpr const char* runtime_level = "-O2";
constexpr const char* hot_level = "-O2";
// Assertions multiply the size of the code; -O2 takes three times as long and gives a seventh of speed.
constexpr const char* hot_level_with_assertions = "-O1";
constexpr const char* cold_level = "-O1";

const Words linker_flags = {"-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-Wl,--version-script=exports.map"};
const Words linker_libraries = {"-lz", "-latomic", "-pthread"};
constexpr const char* exports = "{ global: asterism_rtl_block; local: *; };\n";

// The characters of one translation unit. A larger model is divided into several units, which are compiled in
// parallel.
constexpr std::uintmax_t unit_size = 600'000;

void append(Words& to, const Words& more) { to.insert(to.end(), more.begin(), more.end()); }

void write(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error(file.string() + " cannot be written");
}

Words verilator_words(const Toolchain& tools, const BlockConfig& config, const BlockFiles& files) {
  Words words{tools.verilator.string()};
  append(words, verilator_flags);
  append(words, {"--top-module", config.top});
  if (config.assertions) words.emplace_back("--assert");
  for (const auto& [name, value] : config.parameters)
    words.push_back(value <= 0x7fffffff ? fmt::format("-G{}={}", name, value)
                                        : fmt::format("-G{}=32'd{}", name, value));
  for (const auto& [name, text] : config.defines) words.push_back(fmt::format("-D{}={}", name, text));
  for (const fs::path& folder : files.include) words.push_back("-I" + folder.string());
  for (const fs::path& file : files.sources) words.push_back(file.string());
  return words;
}

ChildProgram compile(const Toolchain& tools, const fs::path& folder, const std::string& source,
                     const std::string& level) {
  ChildProgram program{
      .words = tools.compiler, .log = folder / (fs::path(source).stem().string() + ".log"), .folder = folder};
  append(program.words, compiler_flags);
  append(program.words, {level, "-isystem", tools.verilator_include.string(), "-Imodel", "-c", source, "-o",
                         fs::path(source).stem().string() + ".o"});
  return program;
}

// Whether a file is executed in every cycle. The others are executed once, or when a trace is written.
bool is_hot(const std::string& name) {
  return name.find("__Slow") == std::string::npos && name.find("__Trace") == std::string::npos &&
         name.find("__Syms") == std::string::npos;
}

}  // namespace

std::vector<std::string> build_flags() {
  Words all = verilator_flags;
  for (const Words* more :
       {&model_flags, &compiler_flags, &runtime_sources, &linker_flags, &linker_libraries})
    append(all, *more);
  append(all, {runtime_header, runtime_level, hot_level, hot_level_with_assertions, cold_level, exports,
               std::to_string(unit_size)});
  return all;
}

ChildProgram elaborate(const Toolchain& tools, const BlockConfig& config, const BlockFiles& files,
                       const fs::path& folder) {
  ChildProgram program{.words = verilator_words(tools, config, files), .log = folder / "elaborate.log"};
  append(program.words, {"--xml-only", "--xml-output", (folder / "ports.xml").string(), "--Mdir",
                         (folder / "elaborated").string()});
  return program;
}

ChildProgram verilate(const Toolchain& tools, const BlockConfig& config, const BlockFiles& files,
                      const fs::path& folder) {
  ChildProgram program{.words = verilator_words(tools, config, files), .log = folder / "verilate.log"};
  append(program.words, model_flags);
  append(program.words, {"--prefix", "Vblock", "--Mdir", (folder / "model").string()});
  return program;
}

std::vector<ChildProgram> compile_runtime(const Toolchain& tools, const fs::path& folder) {
  write(folder / "asterism_runtime.h", runtime_header);
  std::vector<ChildProgram> programs;
  for (const std::string& source : runtime_sources)
    programs.push_back(compile(tools, folder, (tools.verilator_include / source).string(), runtime_level));
  return programs;
}

std::vector<ChildProgram> compile_model(const Toolchain& tools, const BlockConfig& config,
                                        const std::string& wrapper, const fs::path& folder) {
  write(folder / "asterism_runtime.h", runtime_header);
  write(folder / "wrapper.inc", wrapper);
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(folder / "model"))
    if (entry.path().extension() == ".cpp") sources.push_back(entry.path());
  std::ranges::sort(sources);

  std::vector<ChildProgram> programs;
  const auto add_unit = [&](const std::string& text, const char* level) {
    const std::string name = fmt::format("unit_{}.cpp", programs.size());
    write(folder / name, text);
    programs.push_back(compile(tools, folder, name, level));
  };
  for (const bool hot : {true, false}) {
    const char* level = !hot ? cold_level : config.assertions ? hot_level_with_assertions : hot_level;
    std::string text = hot ? "#include \"wrapper.inc\"\n" : "";
    std::uintmax_t size = 0;
    for (const fs::path& source : sources) {
      if (is_hot(source.filename().string()) != hot) continue;
      if (size > 0 && size + fs::file_size(source) > unit_size) {
        add_unit(text, level);
        text.clear();
        size = 0;
      }
      text += fmt::format("#include \"{}\"\n", source.filename().string());
      size += fs::file_size(source);
    }
    add_unit(text, level);
  }
  return programs;
}

ChildProgram link_block(const Toolchain& tools, const fs::path& runtime, const fs::path& folder) {
  write(folder / "exports.map", exports);
  ChildProgram program{.words = tools.compiler, .log = folder / "link.log", .folder = folder};
  append(program.words, linker_flags);
  append(program.words, {"-o", "block.so"});
  for (const auto& [objects, prefix] : {std::pair{folder, fs::path()}, {runtime, runtime}}) {
    Words names;
    for (const auto& entry : fs::directory_iterator(objects))
      if (entry.path().extension() == ".o") names.push_back((prefix / entry.path().filename()).string());
    std::ranges::sort(names);
    append(program.words, names);
  }
  append(program.words, linker_libraries);
  return program;
}

}  // namespace asterism
