// The completion of bash (cmake/package/asterism.bash), as readline calls it with a line up to the cursor.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>
#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

struct CompletionTest : CommandTest {
  using Words = std::set<std::string>;
  Words complete(const std::string& words, const std::string& setting = "") const {
    const std::string line = asterism_program.string() + " " + words;
    const Ended ended = program(
        "bash",
        {"-c",
         fmt::format("source '{}'; {}; compopt() {{ :; }}; COMP_LINE=$1 COMP_POINT=${{#1}}; _asterism; "
                     "printf '%s\\n' \"${{COMPREPLY[@]}}\"",
                     ASTERISM_COMPLETION, setting.empty() ? ":" : setting),
         "completion", line});
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.err, "");
    std::istringstream in(ended.out);
    Words all;
    for (std::string word; std::getline(in, word);)
      if (!word.empty()) all.insert(word);
    return all;
  }
};

TEST_F(CompletionTest, VerbsAndTheirOptionsAreThoseOfTheHelp) {
  EXPECT_THAT(complete(""), IsSupersetOf({"run", "study", "sweep", "paper", "check", "schema", "list", "fit",
                                          "new", "trace", "rtl"}));
  EXPECT_THAT(complete("sw"), ElementsAre("sweep"));
  EXPECT_THAT(complete("--v"), ElementsAre("--version"));
  EXPECT_THAT(complete("run power_loss --snap"), ElementsAre("--snapshot", "--snapshot-at"));
  EXPECT_THAT(complete("rtl "), IsSupersetOf({"build", "list"}));
  EXPECT_THAT(complete("rtl build --h"), ElementsAre("--help"));
  EXPECT_THAT(complete("unknown "), IsEmpty());
}

TEST_F(CompletionTest, NamesAreWhatListPrints) {
  EXPECT_THAT(complete("run power"), ElementsAre("power_loss"));
  EXPECT_THAT(complete("sweep --jobs 2 chip"), ElementsAre("chip_failure", "chip_failure_two"));
  EXPECT_THAT(complete("study fab"), ElementsAre("fabric"));
  EXPECT_THAT(complete("check checkpoint_"), Contains("checkpoint_node"));
  EXPECT_THAT(complete("list device"), ElementsAre("device_types", "devices"));
  EXPECT_THAT(complete("schema s"), IsSupersetOf({"scenario", "study"}));
  EXPECT_THAT(complete("paper li2010.t"), ElementsAre("li2010.table1"));
  EXPECT_THAT(complete("fit superst"), ElementsAre("superstar", "superstarx"));
}

TEST_F(CompletionTest, ValuesOfOptionsFollowTheKindThatTheHelpSays) {
  EXPECT_THAT(complete("run --firmware hel"), ElementsAre("hello"));
  EXPECT_THAT(complete("paper --class p"), ElementsAre("predicted"));
  EXPECT_THAT(complete("run power_loss --trace ua"), ElementsAre("uart0"));
  EXPECT_THAT(complete("list devices --node kilocore_a"), ElementsAre("kilocore_a64"));
  EXPECT_THAT(complete("run power_loss --until "), IsEmpty()) << "a time";
  EXPECT_THAT(complete("run power_loss --quiet node.q"), ElementsAre("node.quantum="))
      << "a flag has no value";
}

TEST_F(CompletionTest, KeysAreThoseOfTheSchemaOnePartAtATime) {
  EXPECT_THAT(complete("run power_loss node.fab"), ElementsAre("node.fabric."));
  EXPECT_THAT(complete("run power_loss node.fabric.topo"), ElementsAre("node.fabric.topology="));
  EXPECT_THAT(complete("check checkpoint_node memory.fid"), ElementsAre("memory.fidelity="));
  EXPECT_THAT(complete("list devices "), IsEmpty()) << "there is no node to change";
  EXPECT_THAT(complete("list devices --node checkpoint_node memory.fid"), ElementsAre("memory.fidelity="));
  EXPECT_THAT(complete("study fabric "), AllOf(Contains("topology="), Not(Contains("snapshots="))));
  EXPECT_THAT(complete("study campaign snap"), ElementsAre("snapshot="));
  EXPECT_THAT(complete("rtl build rtl/matt/block.json param"), ElementsAre("parameters."));
}

TEST_F(CompletionTest, DevicesOfTheNodeHaveTheKeysOfTheirTypes) {
  EXPECT_THAT(complete("run power_loss node.devices.ua"), ElementsAre("node.devices.uart0."));
  EXPECT_THAT(complete("run power_loss node.uart0.char"), ElementsAre("node.uart0.characters_per_second="));
  EXPECT_THAT(complete("run power_loss node.uart0.pack"), IsEmpty());
  EXPECT_THAT(complete("run power_loss node.gi"), ElementsAre("node.gic.")) << "of two ranges, gicd and gicc";
  EXPECT_THAT(complete("run power_loss node.dimm_ssd.pack"), ElementsAre("node.dimm_ssd.packages="));
}

TEST_F(CompletionTest, OfAValueOnlyWhatIsBehindTheEqualsSign) {
  EXPECT_THAT(complete("run power_loss node.fabric.fidelity="), ElementsAre("contended", "flit", "loose"));
  EXPECT_THAT(complete("run power_loss node.use=kilocore_a"), ElementsAre("kilocore_a64"));
  EXPECT_THAT(complete("run power_loss node.memory.demand_scrub=t"), ElementsAre("true"));
  EXPECT_THAT(complete("run power_loss node.use=kilocore_a", "COMP_WORDBREAKS=${COMP_WORDBREAKS//=}"),
              ElementsAre("node.use=kilocore_a64"));
}

TEST_F(CompletionTest, PlugInsHaveTypesAndNodes) {
  EXPECT_THAT(complete("plugin "), ElementsAre("check", "new"));
  EXPECT_THAT(complete("plugin check --type pl0"), ElementsAre("pl011", "pl031"));
  EXPECT_THAT(complete("plugin check --node kilocore_a"), ElementsAre("kilocore_a64"));
  EXPECT_THAT(complete("plugin check --node checkpoint_node --device uart"), ElementsAre("uart0"));
  EXPECT_THAT(complete("plugin check --node checkpoint_node memory.fid"), ElementsAre("memory.fidelity="));
  EXPECT_THAT(complete("plugin check --type pl011 char"), ElementsAre("characters_per_second="));
  EXPECT_THAT(complete("plugin check --j"), ElementsAre("--json"));
}

// The names in configs/ of the current folder are those of anybody.
TEST_F(CompletionTest, NamesAreQuotedAndNeverExecuted) {
  write("configs/nodes/a b.json", "{}");
  for (const char* name : {"$(touch owned)", "`touch owned`", "a b", "it's", "say \"$x\"", "any*"})
    write(fmt::format("configs/scenarios/{}.json", name), "{}");
  EXPECT_THAT(complete("run "), IsSupersetOf({"\\$\\(touch\\ owned\\)", "\\`touch\\ owned\\`", "a\\ b",
                                              "it\\'s", "say\\ \\\"\\$x\\\"", "any\\*", "power_loss"}));
  EXPECT_THAT(complete("run \\$"), ElementsAre("\\$\\(touch\\ owned\\)"));
  EXPECT_THAT(complete("run a\\ "), ElementsAre("a\\ b"));
  EXPECT_THAT(complete("run \"it"), ElementsAre("it's"));
  EXPECT_THAT(complete("run 'it"), ElementsAre("it'\\''s"));
  EXPECT_THAT(complete("run \"say"), ElementsAre("say \\\"\\$x\\\""));
  EXPECT_THAT(complete("run power_loss node.use=a"), ElementsAre("a\\ b"));
  EXPECT_THAT(complete("run power_loss node.use='a"), ElementsAre("a b"));
  EXPECT_THAT(complete("run --$(touch${IFS}owned) "), Contains("power_loss"));
  complete("run power_loss --e/e;touch${IFS}owned;p ");
  complete("run '$(touch owned)' node.");
  EXPECT_FALSE(exists("owned"));
}

TEST_F(CompletionTest, AFileMayHaveBlanksInItsName) {
  write("my runs/mine.json", R"({"node": {"use": "checkpoint_node"}, "firmware": "hello"})");
  for (const char* file : {"'my runs/mine.json'", "\"my runs/mine.json\"", "my\\ runs/mine.json"})
    EXPECT_THAT(complete(fmt::format("run {} node.uart0.char", file)),
                ElementsAre("node.uart0.characters_per_second="));
}

}  // namespace
}  // namespace asterism
