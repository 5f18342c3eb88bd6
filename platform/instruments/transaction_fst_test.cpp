#include "platform/instruments/transaction_fst.h"

#include <gtest/gtest.h>
#include <gtkwave/fstapi.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "base/temporary_folder.h"
#include "base/thrown.h"

namespace asterism {
namespace {

using Values = std::vector<std::pair<std::uint64_t, std::string>>;  // time, value

// Every value of every signal, by its path.
struct FstFile {
  std::map<fstHandle, std::string> names;
  std::map<std::string, Values> values;
  int timescale = 0;

  explicit FstFile(const std::filesystem::path& file) {
    void* reader = fstReaderOpen(file.c_str());
    if (!reader) return;
    timescale = fstReaderGetTimescale(reader);
    std::vector<std::string> scopes;
    while (const fstHier* entry = fstReaderIterateHier(reader)) {
      if (entry->htyp == FST_HT_SCOPE) scopes.emplace_back(entry->u.scope.name);
      if (entry->htyp == FST_HT_UPSCOPE) scopes.pop_back();
      if (entry->htyp != FST_HT_VAR) continue;
      std::string path;
      for (const std::string& scope : scopes) path += scope + "/";
      names[entry->u.var.handle] = path + entry->u.var.name;
    }
    fstReaderSetFacProcessMaskAll(reader);
    fstReaderIterBlocks2(
        reader,
        [](void* me, std::uint64_t at, fstHandle handle, const unsigned char* value) {
          add(me, at, handle, reinterpret_cast<const char*>(value));
        },
        [](void* me, std::uint64_t at, fstHandle handle, const unsigned char* value, std::uint32_t length) {
          add(me, at, handle, std::string(reinterpret_cast<const char*>(value), length));
        },
        this, nullptr);
    fstReaderClose(reader);
  }
  static void add(void* me, std::uint64_t at, fstHandle handle, const std::string& value) {
    auto& self = *static_cast<FstFile*>(me);
    self.values[self.names[handle]].emplace_back(at, value);
  }
  // The values of a signal, without the unknown ones at the beginning.
  Values of(const std::string& signal) const {
    Values known;
    const auto found = values.find(signal);
    if (found == values.end()) return known;
    std::ranges::copy_if(found->second, std::back_inserter(known), [](const auto& value) {
      return !value.second.empty() && value.second.find('x') == std::string::npos;
    });
    return known;
  }
};

struct TransactionFstTest : testing::Test {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "transactions.fst";
  FstFile written(const TransactionTrace& trace) const {
    write_fst(trace, file);
    return FstFile(file);
  }
};

std::string bits(std::uint64_t value, unsigned count) {
  std::string text;
  for (unsigned bit = count; bit-- > 0;) text += (value >> bit & 1) != 0 ? '1' : '0';
  return text;
}

const TransactionTrace two{
    {"node.core0", "node.dimm_ssd"},
    {{.start = 10_ns, .end = 14_ns, .address = Address(0x4000'0000), .length = 64, .master = 0},
     {.start = 20_ns,
      .end = 25_ns,
      .address = Address(0x900'0000),
      .length = 4,
      .master = 0,
      .command = TracedTransaction::Command::write,
      .response = TracedTransaction::Response::address_error}}};

TEST_F(TransactionFstTest, ShowsWhatEachMasterDoesInPicoseconds) {
  const FstFile fst = written(two);
  EXPECT_EQ(fst.timescale, -12);
  EXPECT_EQ(fst.of("node.core0/0/busy"),
            (Values{{0, "0"}, {10'000, "1"}, {14'000, "0"}, {20'000, "1"}, {25'000, "0"}}));
  EXPECT_EQ(fst.of("node.core0/0/command"), (Values{{10'000, "read"}, {20'000, "write"}}));
  EXPECT_EQ(fst.of("node.core0/0/address"),
            (Values{{10'000, bits(0x4000'0000, 64)}, {20'000, bits(0x900'0000, 64)}}));
  EXPECT_EQ(fst.of("node.core0/0/bytes"), (Values{{10'000, bits(64, 32)}, {20'000, bits(4, 32)}}));
  EXPECT_EQ(fst.of("node.core0/0/response"), (Values{{14'000, "ok"}, {25'000, "address_error"}}));
  EXPECT_EQ(fst.values.count("node.dimm_ssd/0/busy"), 0u);
}

TEST_F(TransactionFstTest, WhatOverlapsHasLanesOfItsOwn) {
  TransactionTrace trace{
      {"node.gpu"},
      {{.start = 10_ns, .end = 30_ns}, {.start = 20_ns, .end = 25_ns}, {.start = 30_ns, .end = 40_ns}}};
  const FstFile fst = written(trace);
  EXPECT_EQ(fst.of("node.gpu/0/busy").back(), (std::pair<std::uint64_t, std::string>(40'000, "0")));
  EXPECT_EQ(fst.of("node.gpu/1/busy"), (Values{{0, "0"}, {20'000, "1"}, {25'000, "0"}}));
  EXPECT_EQ(fst.values.count("node.gpu/2/busy"), 0u);
}

TEST_F(TransactionFstTest, DependsOnTheTraceOnly) {
  const auto bytes = [this] {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  };
  write_fst(two, file);
  const std::string once = bytes();
  write_fst(two, file);
  EXPECT_EQ(bytes(), once);
}

TEST_F(TransactionFstTest, SaysThatItsFileCannotBeMade) {
  EXPECT_EQ(thrown<TransactionTraceError>([] { write_fst(two, "/nowhere/t.fst"); }),
            "/nowhere/t.fst cannot be written");
}

}  // namespace
}  // namespace asterism
