// `asterism rtl`: why it refuses an architect's block, and how it caches libraries. Every case has a cache of
// its own, with this build's copy of Verilator's runtime in it.
#include <gmock/gmock.h>
#include <signal.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <thread>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* description = R"({
  "name": "fixed", "contract": "arbiter",
  "sources": ["fixed.sv"],
  "top": "fixed",
  "parameters": { "Radix": 4 }, "radix": "Radix",
  "clock": "clk_i",
  "reset": { "port": "rst_ni" },
  "ports": [ { "role": "request", "signal": "request_i" },
             { "role": "grant", "signal": "grant_o" } ]
})";

// An arbiter with fixed priority: the lowest input wins.
constexpr const char* source = R"(module fixed #(parameter int unsigned Radix = 2) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Radix-1:0] request_i,
  output logic [Radix-1:0] grant_o
);
  assign grant_o = request_i & (~request_i + 1'b1);
  logic [31:0] grants_q;
  always_ff @(posedge clk_i) grants_q <= rst_ni ? grants_q + 32'(grant_o != '0) : '0;
endmodule
)";

struct RtlCommandTest : CommandTest {
  RtlCommandTest() {
    environment["ASTERISM_RTL_CACHE"] = (folder / "cache").string();
    fs::create_directories(folder / "cache");
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(asterism_program.parent_path() / "rtl", none))
      if (entry.path().filename().string().starts_with("runtime-"))
        fs::create_symlink(entry.path(), folder / "cache" / entry.path().filename());
    fs::create_directory(folder / "mine");
    write("mine/block.json", description);
    write("mine/fixed.sv", source);
  }

  static std::string replaced(std::string text, const std::string& what, const std::string& by) {
    EXPECT_NE(text.find(what), std::string::npos) << what;
    return text.replace(text.find(what), what.size(), by);
  }
  void change_source(const std::string& what, const std::string& by) const {
    write("mine/fixed.sv", replaced(source, what, by));
  }

  Ended build(const Arguments& overrides = {}) const {
    Arguments all{"rtl", "build", "mine/block.json"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return asterism(all);
  }

  // The names in the cache, without the runtime.
  std::vector<std::string> kept() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder / "cache"))
      if (const std::string name = entry.path().filename().string();
          !name.starts_with("runtime-") && name != ".runtime.lock")
        names.push_back(name);
    return names;
  }
  // The command must be refused with status 65 and this message, and the cache must be empty.
  void expect_refusal(const Ended& ended, const std::string& message) const {
    EXPECT_THAT(ended.err, HasSubstr(message));
    EXPECT_EQ(ended.status, 65);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(kept(), testing::IsEmpty());
  }

  // The path at the end of a build's output.
  std::string library_of(const Ended& ended) const {
    EXPECT_EQ(ended.status, 0) << ended.err;
    const std::string path = ended.out.substr(ended.out.rfind(' ') + 1);
    EXPECT_TRUE(exists(path.substr(0, path.size() - 1))) << ended.out;
    return path;
  }
  // The line of `rtl list` for mine/block.json.
  std::string listed() const {
    const std::string all = asterism({"rtl", "list"}).out;
    const std::size_t end = all.find("\n  mine/block.json\n"), begin = all.rfind('\n', end - 1);
    return end == std::string::npos ? "" : all.substr(begin + 1, end - begin - 1);
  }

  // Installs a compiler that writes its process id into "pid" and never ends.
  void install_endless_compiler() {
    write("slow", "#!/bin/sh\necho $$ > " + (folder / "pid.new").string() + " && mv " +
                      (folder / "pid.new").string() + " " + (folder / "pid").string() +
                      "\nexec sleep 1000\n");
    fs::permissions(folder / "slow", fs::perms::owner_all);
    environment["CXX"] = (folder / "slow").string();
    environment["CCACHE_DISABLE"] = "1";
  }
  pid_t wait_for_compiler() const {
    for (int i = 0; i < 6000 && !exists("pid"); ++i) std::this_thread::sleep_for(10ms);
    return std::stoi(contents("pid"));
  }
  static bool is_gone(pid_t process) {
    for (int i = 0; i < 500; ++i, std::this_thread::sleep_for(10ms))
      if (kill(process, 0) == -1 && errno == ESRCH) return true;
    return false;
  }
};

// ---- bad input ----

TEST_F(RtlCommandTest, ASyntaxErrorIsShownInTheToolsOwnWords) {
  change_source("request_i & (", "request_i & * (");
  const Ended ended = build();
  expect_refusal(ended, "mine/block.json: error: Verilator reports:\n%Error: mine/fixed.sv:7:");
  EXPECT_THAT(ended.err, HasSubstr("    7 |   assign grant_o = request_i & * (~request_i + 1'b1);\n"));
  EXPECT_THAT(ended.err, Not(HasSubstr("partial")));
}

TEST_F(RtlCommandTest, AWrongPortWidthIsReportedWhereTheSignalIsNamed) {
  change_source("output logic [Radix-1:0] grant_o", "output logic [31:0] grant_o");
  expect_refusal(
      build(),
      "mine/block.json:9:43: error: ports.1.signal: grant_o has 32 bits, expected 4: as many as request_i\n");
}

TEST_F(RtlCommandTest, AMissingClockIsReportedWithThePortThatLooksLikeOne) {
  write("mine/block.json", replaced(description, "  \"clock\": \"clk_i\",\n", ""));
  expect_refusal(build(),
                 "mine/block.json:1:1: error: contract arbiter needs \"clock\"; did you mean \"clk_i\"?\n");
}

TEST_F(RtlCommandTest, ACombinationalLoopIsAnError) {
  change_source("  logic [31:0] grants_q;",
                "  logic a, b;\n  assign a = ~b | clk_i;\n  assign b = a ^ rst_ni;\n"
                "  logic [31:0] grants_q;");
  expect_refusal(build(),
                 "%Error-UNOPTFLAT: mine/fixed.sv:8:9: Signal unoptimizable: Circular combinational logic");
}

TEST_F(RtlCommandTest, ALatchAndAnIllConnectedPortAreErrors) {
  change_source("  assign grant_o = ", "  always_comb if (rst_ni) grant_o = ");
  expect_refusal(build(), "%Error-LATCH: mine/fixed.sv:7:3: Latch inferred for signal 'grant_o'");
  change_source("endmodule\n",
                "  sub u(.d(request_i[2:0]));\nendmodule\nmodule sub(input logic [7:0] d);\nendmodule\n");
  expect_refusal(build(), "mine/fixed.sv:10:10: Input port connection 'd' expects 8 bits");
}

TEST_F(RtlCommandTest, UnknownKeysParametersAndModulesNameTheNearest) {
  write("mine/block.json", replaced(description, "\"top\"", "\"tpo\": 1, \"top\""));
  expect_refusal(build(), "mine/block.json:4:3: error: tpo: unknown key; did you mean \"top\"?\n");
  write("mine/block.json", replaced(description, "\"Radix\": 4", "\"Radix\": 4, \"Radis\": 4"));
  expect_refusal(build(),
                 "mine/block.json:5:40: error: parameters.Radis: module fixed has no parameter Radis; did "
                 "you mean \"Radix\"?\n");
  write("mine/block.json", replaced(description, "\"top\": \"fixed\"", "\"top\": \"fixd\""));
  expect_refusal(build(),
                 "mine/block.json:4:10: error: top: there is no module fixd; did you mean \"fixed\"?\n");
}

TEST_F(RtlCommandTest, AFileThatCouldChangeUnseenIsRefused) {
  write("constants.svh", "`define ONE 1'b1\n");
  change_source("module fixed", "`include \"constants.svh\"\nmodule fixed");
  expect_refusal(build(),
                 "mine/block.json:1:1: error: include: constants.svh is included, but is in none of "
                 "the folders named here\n");
}

TEST_F(RtlCommandTest, AFolderWithAllFilesOfTheHostIsNoFolderOfIncludes) {
  EXPECT_EQ(
      build({R"(include=["/"])"}).err,
      "command line: error: include.0: / has more than 10000 files, which would all belong to the block\n");
}

TEST_F(RtlCommandTest, WhatIsNotThereEndsWith66) {
  const Ended source = build({R"(sources=["fixd.sv"])"});
  EXPECT_EQ(source.err,
            "command line: error: sources.0: there is no mine/fixd.sv; did you mean \"fixed.sv\"?\n");
  EXPECT_EQ(source.status, 66);
  const Ended block = asterism({"rtl", "build", "mine"});
  EXPECT_EQ(block.err,
            "command line: error: there is no file \"mine\", but a folder with a block.json; did you mean "
            "\"mine/block.json\"?\n");
  EXPECT_EQ(block.status, 66);
  environment["PATH"] = folder.string();
  const Ended tool = build();
  EXPECT_EQ(
      tool.err,
      "mine/block.json: error: cannot be built: verilator is not installed (scripts/setup installs it)\n");
  EXPECT_EQ(tool.status, 66);
  EXPECT_THAT(kept(), testing::IsEmpty());
}

TEST_F(RtlCommandTest, ACompilerThatFailsLeavesNothing) {
  environment["CXX"] = "false";
  environment["CCACHE_DISABLE"] = "1";
  expect_refusal(build(), "mine/block.json: error: the compiler reports, for the output of Verilator:\n");
}

TEST_F(RtlCommandTest, ACacheThatCannotBeWrittenIsReportedWithItsVariable) {
  write("file", "");
  environment["ASTERISM_RTL_CACHE"] = "file/cache";
  const Ended ended = build();
  EXPECT_THAT(ended.err, HasSubstr("/file/cache: error: libraries cannot be written here: Not a directory; "
                                   "ASTERISM_RTL_CACHE names another folder\n"));
  EXPECT_EQ(ended.status, 65);
}

TEST_F(RtlCommandTest, UnknownVerbsNameTheNearest) {
  const Ended ended = asterism({"rtl", "biuld", "mine/block.json"});
  EXPECT_THAT(ended.err, StartsWith("asterism rtl: there is no verb \"biuld\"; did you mean \"build\"?\n"));
  EXPECT_EQ(ended.status, 64);
}

// ---- the cache ----

TEST_F(RtlCommandTest, ALibraryIsBuiltOnceForWhatItIsMadeOf) {
  const Ended first = build(), second = build();
  const std::string library = library_of(first);
  EXPECT_THAT(first.out, StartsWith("built fixed (Radix=4) in "));
  EXPECT_EQ(second.out, "fixed (Radix=4) is built: " + library);
  EXPECT_THAT(listed(), testing::ContainsRegex("^fixed +built +arbiter +Radix=4$"));

  change_source("!= '0)", "!= 8'd0)");  // a lint warning, which is printed but is no error
  EXPECT_THAT(listed(), testing::ContainsRegex("^fixed +stale +arbiter +Radix=4$"));
  const Ended changed = build();
  EXPECT_NE(library_of(changed), library);
  EXPECT_THAT(changed.err, HasSubstr("%Warning-WIDTH: mine/fixed.sv:9:"));
  EXPECT_THAT(listed(), HasSubstr(" built "));

  write("mine/fixed.sv", source);
  EXPECT_THAT(listed(), HasSubstr(" built "));
  EXPECT_EQ(build().out, "fixed (Radix=4) is built: " + library);
  EXPECT_EQ(kept().size(), 2U);
}

TEST_F(RtlCommandTest, TheListShowsTheTreesBlocksToo) {
  const Ended list = asterism({"rtl", "list"});
  EXPECT_THAT(list.out, StartsWith("block "));
  EXPECT_THAT(list.out,
              testing::ContainsRegex(
                  "\nlrg_arbiter +not built +arbiter +Radix=64\n  [^ ]*rtl/lrg_arbiter/block.json\n"));
  EXPECT_EQ(asterism({"list", "blocks"}).out, list.out);
  std::istringstream lines(list.out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_FALSE(line.starts_with("   ")) << "wrapped, and not on a terminal: " << line;
}

TEST_F(RtlCommandTest, TwoThatBuildTheSameAtOnceBothSucceed) {
  Running other = start({"rtl", "build", "mine/block.json", "parameters.Radix=5"});
  const Ended one = build({"parameters.Radix=5"}), two = other.wait();
  EXPECT_EQ(library_of(one), library_of(two));
  EXPECT_EQ(kept().size(), 1U);
}

// ---- interruptions ----

TEST_F(RtlCommandTest, AnInterruptedBuildLeavesNeitherFilesNorProcesses) {
  install_endless_compiler();
  for (const int signal : {SIGINT, SIGTERM}) {
    fs::remove(folder / "pid");
    Running running = start({"rtl", "build", "mine/block.json"});
    const pid_t compiler = wait_for_compiler();
    running.signal(signal);
    const Ended ended = running.wait();
    EXPECT_EQ(ended.status, 130);
    EXPECT_TRUE(is_gone(compiler));
    EXPECT_THAT(kept(), testing::IsEmpty());
  }
}

TEST_F(RtlCommandTest, WhatAKilledBuildLeavesIsRemovedByTheNext) {
  install_endless_compiler();
  Running running = start({"rtl", "build", "mine/block.json"});
  const pid_t compiler = wait_for_compiler();
  running.signal(SIGKILL);
  EXPECT_EQ(running.wait().status, 128 + SIGKILL);
  kill(-compiler, SIGKILL);
  EXPECT_THAT(kept(), testing::Each(StartsWith(".partial-")));
  EXPECT_THAT(kept(), Not(testing::IsEmpty()));
  environment["CXX"] = "false";
  build();
  EXPECT_THAT(kept(), testing::IsEmpty());
}

// ---- other descriptions ----

TEST_F(RtlCommandTest, AnExportedBlockIsImportedAndBuilt) {
  write("mine/include/grants.svh", "`define GRANTS request_i & (~request_i + 1'b1)\n");
  write("mine/fixed.sv", replaced("`include \"grants.svh\"\n" + std::string(source),
                                  "request_i & (~request_i + 1'b1);", "`GRANTS `NOTHING;"));
  write("mine/block.json", replaced(description, "\"top\"",
                                    R"("include": ["include"], "defines": { "NOTHING": "| 4'd0" }, "top")"));
  const Ended exported =
      asterism({"rtl", "export", "mine/block.json", "--core", "a/fixed.core", "--ipxact", "a/fixed.xml"});
  ASSERT_EQ(exported.status, 65) << exported.err;  // there is no folder a
  fs::create_directory(folder / "a");
  ASSERT_EQ(
      asterism({"rtl", "export", "mine/block.json", "--core", "a/fixed.core", "--ipxact", "a/fixed.xml"})
          .status,
      0);
  for (const char* file : {"a/fixed.core", "a/fixed.xml"}) {
    const Ended imported = asterism({"rtl", "import", file, "contract=arbiter", "radix=Radix", "--replace"});
    ASSERT_EQ(imported.status, 0) << imported.err;
    EXPECT_EQ(imported.out, "fixed of the contract arbiter is described by block.json\n");
    EXPECT_EQ(json("block.json")["sources"], nlohmann::json({"mine/fixed.sv"}));
    EXPECT_EQ(json("block.json")["include"], nlohmann::json({"mine/include"}));
    EXPECT_EQ(json("block.json")["defines"], nlohmann::json({{"NOTHING", "| 4'd0"}}));
  }
  const Ended built = asterism({"rtl", "build", "block.json"});
  EXPECT_EQ(built.status, 0) << built.err;
}

TEST_F(RtlCommandTest, AnImportInTheFolderOfItsFilesFindsAnIncludeFileBesideThem) {
  write("grants.svh", "`define GRANTS request_i & (~request_i + 1'b1)\n");
  write("fixed.sv", replaced("`include \"grants.svh\"\n" + std::string(source),
                             "request_i & (~request_i + 1'b1);", "`GRANTS;"));
  write("notes.txt", "");
  write(
      "fixed.core",
      "CAPI=2:\nname: a:b:fixed\nfilesets:\n  rtl:\n    files:\n      - grants.svh: {is_include_file: true}\n"
      "      - fixed.sv\n    file_type: systemVerilogSource\ntargets:\n  default:\n    filesets: [rtl]\n"
      "    toplevel: fixed\n");
  const Ended imported = asterism({"rtl", "import", "fixed.core", "contract=arbiter"});
  EXPECT_EQ(imported.status, 0) << imported.err;
  EXPECT_EQ(json("block.json")["include"], nlohmann::json({"."}));
  EXPECT_EQ(asterism({"rtl", "build", "block.json"}).status, 0);

  const Ended exported = asterism({"rtl", "export", "block.json", "--core", "-"});
  EXPECT_THAT(exported.out, HasSubstr("      - grants.svh: {is_include_file: true}\n      - fixed.sv\n"));
  EXPECT_THAT(exported.out, Not(HasSubstr("notes.txt")));
}

TEST_F(RtlCommandTest, AForeignCoreBecomesADeviceThatFirmwareUses) {
  const fs::path timer = source_configs().parent_path() / "rtl/apb_timer";
  for (const char* file : {"apb_timer.sv", "apb_timer_channel.sv"}) fs::copy(timer / file, folder / "mine");
  write(
      "mine/timer.core",
      "CAPI=2:\nname: acme:ip:timer:1.0\nfilesets:\n  rtl:\n    files: [apb_timer_channel.sv, apb_timer.sv]\n"
      "    file_type: systemVerilogSource\ntargets:\n  default:\n    filesets: [rtl]\n"
      "    toplevel: apb_timer\n");
  const Ended imported =
      asterism({"rtl", "import", "mine/timer.core", "--out", "mine/timer.json", "--port", "state0_o=output",
                "--port", "state1_o=output", "--port", "idle_o=idle", "--port", "next_event_o=next_event",
                R"(device={ "meaning": "A timer", "compatible": ["asterism,apb_timer"] })"});
  ASSERT_EQ(imported.status, 0) << imported.err;
  write("board.json", R"({
    "node": { "use": "checkpoint_node",
              "devices": { "tick": { "type": "rtl", "base": "0x0b07_0000", "interrupt": [22, 23],
                                     "block": "mine/timer.json", "clock": "4MHz" } } },
    "firmware": "rtl_devices", "args": "timers=1 engines=0", "until": "1s", "expect": { "exit": 0 } })");
  const Ended ran = asterism({"run", "board.json"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(contents("runs/board/console.log"), HasSubstr("rtl_devices: 1 timer, 0 engines, 0 wrong"));
}

TEST_F(RtlCommandTest, AnExportReplacesNothingUnasked) {
  write("mine/fixed.core", "old");
  const Ended refused = asterism(
      {"rtl", "export", "mine/block.json", "--ipxact", "mine/fixed.xml", "--core", "mine/fixed.core"});
  EXPECT_EQ(refused.status, 65);
  EXPECT_EQ(refused.err, "command line: error: --core: mine/fixed.core exists; --replace writes it anew\n");
  EXPECT_EQ(contents("mine/fixed.core"), "old");
  EXPECT_FALSE(exists("mine/fixed.xml"));
  const Ended replaced = asterism({"rtl", "export", "mine/block.json", "--ipxact", "mine/fixed.xml", "--core",
                                   "mine/fixed.core", "--replace"});
  EXPECT_EQ(replaced.status, 0) << replaced.err;
  EXPECT_THAT(contents("mine/fixed.core"), StartsWith("CAPI=2:\n"));
  EXPECT_TRUE(exists("mine/fixed.xml"));
  EXPECT_FALSE(exists("mine/fixed.core.partial"));

  const Ended twice = asterism({"rtl", "export", "mine/block.json", "--ipxact", "mine/../a", "--core", "a"});
  EXPECT_EQ(twice.err, "command line: error: --ipxact: mine/../a is already used by --core\n");
  EXPECT_FALSE(exists("a"));
}

TEST_F(RtlCommandTest, AnExportedCoreIsImportedWithoutAQuestion) {
  ASSERT_EQ(asterism({"rtl", "export", "mine/block.json", "--core", "mine/fixed.core"}).status, 0);
  const Ended imported = asterism({"rtl", "import", "mine/fixed.core", "--out", "mine/again.json"});
  ASSERT_EQ(imported.status, 0) << imported.err;
  EXPECT_THAT(imported.err, HasSubstr("mine/block.json:8"));
  EXPECT_EQ(imported.out, "fixed of the contract arbiter is described by mine/again.json\n");
  EXPECT_EQ(asterism({"check", "mine/again.json"}).out, asterism({"check", "mine/block.json"}).out);
  fs::remove(folder / "mine/block.json");
  const Ended missing = asterism({"rtl", "import", "mine/fixed.core"});
  EXPECT_EQ(missing.status, 66);
  EXPECT_EQ(missing.err, "mine/fixed.core:10:9: error: files: there is no mine/block.json\n");
}

TEST_F(RtlCommandTest, AnImportReplacesNothingUnasked) {
  write("mine/fixed.core",
        "CAPI=2:\nname: a:b:fixed\nfilesets:\n  rtl:\n    files: [fixed.sv]\n"
        "    file_type: systemVerilogSource\ntargets:\n  default:\n    filesets: [rtl]\n"
        "    toplevel: fixed\n");
  const std::string before = contents("mine/block.json");
  const Ended ended =
      asterism({"rtl", "import", "mine/fixed.core", "contract=arbiter", "--out", "mine/block.json"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err, "command line: error: --out: mine/block.json exists; --replace writes it anew\n");
  EXPECT_EQ(contents("mine/block.json"), before);
  const Ended printed = asterism({"rtl", "import", "mine/fixed.core", "contract=arbiter", "--out", "-"});
  EXPECT_EQ(nlohmann::json::parse(printed.out)["ports"][0]["signal"], "request_i");
  EXPECT_EQ(asterism({"rtl", "import", "mine/fixed.core", "--out", "new.json"}).status, 65);
  EXPECT_FALSE(exists("new.json"));
  EXPECT_EQ(asterism({"rtl", "import", "mine/fixd.core"}).status, 66);
  const Ended a_folder = asterism({"rtl", "import", "mine"});
  EXPECT_EQ(a_folder.err, "command line: error: FILE: mine is a folder\n");
  EXPECT_EQ(a_folder.status, 66);
}

}  // namespace
}  // namespace asterism
