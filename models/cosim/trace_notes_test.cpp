#include "cosim/trace_notes.h"

#include <gmock/gmock.h>
#include <gtkwave/fstapi.h>

#include <fstream>
#include <map>

#include "base/temporary_folder.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;

// The changes of each signal of an FST file, "<time> <value>", by the path of the signal.
using Waves = std::map<std::string, std::vector<std::string>>;

struct Reading {
  std::map<fstHandle, std::vector<std::string>> paths;
  Waves waves;
  void take(std::uint64_t at, fstHandle signal, const std::string& value) {
    for (const std::string& path : paths[signal]) waves[path].push_back(std::to_string(at) + " " + value);
  }
};

Waves waves_of(const std::filesystem::path& file) {
  void* const reader = fstReaderOpen(file.c_str());
  EXPECT_NE(reader, nullptr);
  Reading reading;
  std::string scope;
  while (const fstHier* entry = fstReaderIterateHier(reader)) {
    if (entry->htyp == FST_HT_SCOPE) scope += entry->u.scope.name + std::string(".");
    if (entry->htyp == FST_HT_UPSCOPE) scope.erase(scope.rfind('.', scope.size() - 2) + 1);
    if (entry->htyp == FST_HT_VAR) reading.paths[entry->u.var.handle].push_back(scope + entry->u.var.name);
  }
  fstReaderSetFacProcessMaskAll(reader);
  fstReaderIterBlocks2(
      reader,
      [](void* to, std::uint64_t at, fstHandle signal, const unsigned char* value) {
        static_cast<Reading*>(to)->take(at, signal, reinterpret_cast<const char*>(value));
      },
      [](void* to, std::uint64_t at, fstHandle signal, const unsigned char* value, std::uint32_t size) {
        static_cast<Reading*>(to)->take(at, signal, {reinterpret_cast<const char*>(value), size});
      },
      &reading, nullptr);
  fstReaderClose(reader);
  return reading.waves;
}

struct TraceNotesTest : testing::Test {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "a.fst";

  // A trace as Verilator writes it: a port appears in the scope above its module and again within it.
  TraceNotesTest() {
    void* const writer = fstWriterCreate(file.c_str(), 1);
    fstWriterSetTimescale(writer, -12);
    fstWriterSetScope(writer, FST_ST_VCD_SCOPE, "top", nullptr);
    const fstHandle request =
        fstWriterCreateVar(writer, FST_VT_VCD_WIRE, FST_VD_INPUT, 3, "request_i [2:0]", 0);
    fstWriterSetScope(writer, FST_ST_VCD_MODULE, "arbiter", nullptr);
    fstWriterCreateVar(writer, FST_VT_VCD_WIRE, FST_VD_INPUT, 3, "request_i [2:0]", request);
    const fstHandle order = fstWriterCreateVar(writer, FST_VT_VCD_REG, FST_VD_IMPLICIT, 2, "order_q", 0);
    fstWriterSetUpscope(writer);
    fstWriterSetUpscope(writer);
    fstWriterEmitTimeChange(writer, 500);
    fstWriterEmitValueChange(writer, request, "011");
    fstWriterEmitValueChange(writer, order, "01");
    fstWriterEmitTimeChange(writer, 1500);
    fstWriterEmitValueChange(writer, request, "110");
    fstWriterEmitTimeChange(writer, 2000);
    fstWriterEmitValueChange(writer, order, "10");
    fstWriterClose(writer);
  }
};

TEST_F(TraceNotesTest, AddsMarkerAnswersAndNamedBitsAndKeepsEverySignal) {
  const std::vector<std::string> names{"core0", "core1", "dram"};
  const Waves before = waves_of(file);
  add_notes(file, {.mismatch = 1500_ps,
                   .answers = {{1500_ps, "grants dram"}},
                   .vectors = {{.name = "request", .bits = names, .port = "request_i"},
                               {.name = "model_grant",
                                .bits = names,
                                .changes = {{500_ps, {0b001, 0}}, {1500_ps, {0b100, 0}}}}}});
  Waves after = waves_of(file);
  EXPECT_THAT(after, IsSupersetOf(before));
  EXPECT_THAT(after["lockstep.mismatch"], ElementsAre("500 0", "1500 1"));
  EXPECT_THAT(after["lockstep.model_answer"], testing::Contains("1500 grants dram"));
  EXPECT_THAT(after["lockstep.model_grant"], ElementsAre("500 001", "1500 100"));
  EXPECT_THAT(after["lockstep.model_grant.dram"], ElementsAre("500 0", "1500 1"));
  EXPECT_THAT(after["lockstep.request.core0"], ElementsAre("500 1", "1500 0"));
  EXPECT_THAT(after["lockstep.request"], ElementsAre("500 011", "1500 110"));
}

TEST_F(TraceNotesTest, LeavesAnotherFormatAsItIs) {
  std::ofstream(file) << "500 0 3 1\n";
  add_notes(file, {.mismatch = 1_ns});
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "500 0 3 1");
}

}  // namespace
}  // namespace asterism
