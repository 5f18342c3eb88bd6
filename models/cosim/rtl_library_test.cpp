#include "cosim/rtl_library.h"

#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <fstream>

#include "base/thrown.h"
#include "cosim/test_blocks.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string error_of_opening(const std::string& variant) {
  return thrown<RtlError>([&] { test_block(variant); });
}

// Executes a cycle and returns the winner, or 0 if there is none.
std::uint64_t cycle(RtlInstance& arbiter, std::uint64_t requests) {
  arbiter.port("request").set(requests);
  arbiter.settle();
  const std::uint64_t grant = arbiter.port("grant").get();
  arbiter.edge();
  return grant;
}

// ---- library ----

TEST(RtlLibraryTest, SaysWhatItIs) {
  const auto library = test_block("correct");
  EXPECT_EQ(library->name(), "test_block");
  EXPECT_EQ(library->contract(), "arbiter");
  EXPECT_EQ(library->parameter("Radix"), 4u);
  EXPECT_EQ(library->parameter("Width"), std::nullopt);
  EXPECT_EQ(library->ports().size(), 5u);
  EXPECT_EQ(library->find("grant"), 3u);
  EXPECT_EQ(library->width("request"), 4u);
  EXPECT_EQ(library->width("next_event"), 0u);
}

TEST(RtlLibraryTest, IsSharedByAllThatOpenIt) {
  const fs::path file = test_block_file("correct");
  EXPECT_EQ(RtlLibrary::open(file),
            RtlLibrary::open(file.parent_path() / ".." / file.parent_path().filename() / file.filename()));
}

TEST(RtlLibraryTest, VariantsLiveSideBySide) {
  RtlInstance right(test_block("correct"), "a"), wrong(test_block("wrong_tie"), "b");
  right.reset();
  wrong.reset();
  EXPECT_EQ(cycle(right, 0b1111), 0b0001u);
  EXPECT_EQ(cycle(wrong, 0b1111), 0b1000u);
}

TEST(RtlLibraryTest, NamesTheRoleThatIsMissing) {
  const auto library = test_block("no_grant_port");
  EXPECT_EQ(library->index_of("request", ASTERISM_RTL_INPUT), 2u);
  EXPECT_THAT(thrown<RtlError>([&] { (void)library->index_of("grant", ASTERISM_RTL_OUTPUT); }),
              AllOf(StartsWith("test_block ("),
                    HasSubstr("it has no port of the role grant, an output is expected")));
  EXPECT_THAT(thrown<RtlError>([&] { (void)library->index_of("request", ASTERISM_RTL_OUTPUT); }),
              HasSubstr("its port request_i of the role request is not an output"));
}

TEST(RtlLibraryTest, RefusesAFileThatIsNotThere) {
  EXPECT_EQ(thrown<RtlError>([] { RtlLibrary::open("/nowhere/block.so"); }),
            "/nowhere/block.so: cannot be loaded, a shared library is expected: No such file or directory");
  EXPECT_THAT(thrown<RtlError>([] { RtlLibrary::open(testing::TempDir()); }),
              HasSubstr("is not a file, a shared library is expected"));
}

TEST(RtlLibraryTest, RefusesAFileThatIsNoSharedLibrary) {
  const TemporaryFolder folder;
  const fs::path file = folder / "block.so";
  std::ofstream(file) << "module lrg_arbiter #(parameter int Radix = 64) (input logic clk_i);"
                      << std::string(80, '\n');
  EXPECT_EQ(thrown<RtlError>([&] { RtlLibrary::open(file); }),
            file.string() + ": cannot be loaded, a shared library is expected: invalid ELF header");
}

TEST(RtlLibraryTest, RefusesALibraryOfAnotherKind) {
  EXPECT_THAT(
      error_of_opening("no_symbol"),
      HasSubstr("no_symbol.so: has no symbol asterism_rtl_block: is it made by hand? `asterism rtl build` "
                "writes one with the symbol"));
  EXPECT_THAT(error_of_opening("wrong_magic"),
              HasSubstr("is not an RTL block: its description begins with 0x464c457f, expected 0x4c545241"));
  EXPECT_THAT(error_of_opening("other_version"),
              HasSubstr("has interface version 7, this program expects 1: build it again"));
}

TEST(RtlLibraryTest, RefusesADescriptionWithHoles) {
  EXPECT_THAT(error_of_opening("no_function"), HasSubstr("its function edge is a null pointer"));
  EXPECT_THAT(error_of_opening("same_role"),
              HasSubstr("two of its ports have the role grant, the second is grant_o"));
  EXPECT_THAT(error_of_opening("no_width"), HasSubstr("its port request_i has a width of 0 bits"));
}

// ---- port ----

TEST(RtlPortTest, HoldsAnyWidth) {
  std::array<std::uint32_t, 4> storage{};
  for (const std::uint32_t width : {1u, 8u, 9u, 16u, 17u, 32u, 33u, 64u, 65u, 96u, 97u, 128u}) {
    storage.fill(0);
    RtlPort port(storage.data(), width);
    for (std::uint32_t word = 0; word < port.words(); ++word) port.set(~std::uint64_t{0}, word);
    std::uint32_t ones = 0;
    for (std::uint32_t word = 0; word < port.words(); ++word)
      ones += static_cast<std::uint32_t>(std::popcount(port.get(word)));
    EXPECT_EQ(ones, width);
    std::uint32_t stored = 0;
    for (const std::uint32_t word : storage) stored += static_cast<std::uint32_t>(std::popcount(word));
    EXPECT_EQ(stored, width);
  }
}

TEST(RtlPortTest, ThatIsNotThereReadsAsZero) {
  RtlPort port;
  port.set(1);
  EXPECT_EQ(port.get(), 0u);
  EXPECT_FALSE(port.is_set());
}

// ---- instance ----

TEST(RtlInstanceTest, StepsAndResets) {
  RtlInstance arbiter(test_block("correct"), "node.arbiter");
  arbiter.reset();
  EXPECT_EQ(cycle(arbiter, 0b1010), 0b0010u);
  EXPECT_EQ(cycle(arbiter, 0b1010), 0b1000u);
  EXPECT_EQ(cycle(arbiter, 0), 0u);
  EXPECT_EQ(cycle(arbiter, 0b1010), 0b0010u);
  arbiter.reset();
  EXPECT_EQ(cycle(arbiter, 0b1010), 0b0010u);
}

TEST(RtlInstanceTest, WithoutAResetInputIsAsMade) {
  RtlInstance arbiter(test_block("no_reset"), "node.arbiter");
  arbiter.reset();
  EXPECT_EQ(cycle(arbiter, 0b1010), 0b0010u);
  arbiter.reset();
  EXPECT_EQ(cycle(arbiter, 0b1010), 0b0010u);
}

TEST(RtlInstanceTest, RunsCyclesWithTheInputsAsTheyAre) {
  RtlInstance arbiter(test_block("correct"), "node.arbiter");
  arbiter.reset();
  arbiter.port("request").set(0b1111);
  arbiter.run(6);
  EXPECT_EQ(cycle(arbiter, 0b1111), 0b0100u);
}

TEST(RtlInstanceTest, ResumesFromASnapshotInAnotherInstance) {
  RtlInstance arbiter(test_block("correct"), "node.arbiter");
  arbiter.reset();
  cycle(arbiter, 0b0011);
  RtlInstance::Snapshot snapshot;
  arbiter.save(snapshot);
  RtlInstance other(arbiter.shared_library(), "other");
  other.restore(snapshot);
  EXPECT_EQ(cycle(other, 0b0011), 0b0010u);
  EXPECT_EQ(cycle(arbiter, 0b0011), 0b0010u);
  snapshot.pop_back();
  EXPECT_THAT(thrown<RtlError>([&] { other.restore(snapshot); }),
              StartsWith("other: does not accept the state"));
}

TEST(RtlInstanceTest, MovesWithItsState) {
  RtlInstance first(test_block("correct"), "node.arbiter");
  first.reset();
  cycle(first, 0b0001);
  RtlInstance second(std::move(first));
  EXPECT_EQ(second.name(), "node.arbiter");
  EXPECT_EQ(cycle(second, 0b0011), 0b0010u);
}

TEST(RtlInstanceTest, SaysWhyItEndedItself) {
  RtlInstance arbiter(test_block("fails"), "node.arbiter");
  arbiter.reset();
  cycle(arbiter, 0b1001);
  EXPECT_EQ(thrown<RtlError>([&] { cycle(arbiter, 0b1000); }),
            "node.arbiter: test_block.sv:12: Assertion failed: last_is_never_alone");
}

TEST(RtlInstanceTest, ThatCannotBeMadeIsAnError) {
  EXPECT_THAT(thrown<RtlError>([] { RtlInstance(test_block("no_instance"), "node.arbiter"); }),
              StartsWith("node.arbiter: test_block ("));
}

TEST(RtlInstanceTest, TracesWhileATraceIsOpen) {
  const TemporaryFolder folder;
  const fs::path file = folder / "block.so";
  RtlInstance arbiter(test_block("correct"), "node.arbiter");
  arbiter.reset();
  arbiter.trace(1'000);  // no trace is open
  arbiter.trace_open(file);
  arbiter.port("request").set(0b0110);
  arbiter.settle();
  arbiter.trace(1'500);
  arbiter.edge();
  arbiter.trace(2'000);
  arbiter.trace_close();
  arbiter.trace(2'500);
  EXPECT_THAT(lines_of(file), testing::ElementsAre("1500 0 6 2", "2000 1 6 4"));
}

TEST(RtlInstanceTest, RefusesATraceThatCannotBe) {
  RtlInstance arbiter(test_block("correct"), "node.arbiter"), untraced(test_block("no_trace"), "b");
  EXPECT_EQ(thrown<RtlError>([&] { arbiter.trace_open("/nowhere/a.fst"); }),
            "node.arbiter: the trace /nowhere/a.fst cannot be written");
  EXPECT_THAT(thrown<RtlError>([&] { untraced.trace_open("a.fst"); }), HasSubstr("was built without traces"));
}

}  // namespace
}  // namespace asterism
