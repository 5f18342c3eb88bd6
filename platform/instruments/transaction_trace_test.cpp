#include "platform/instruments/transaction_trace.h"

#include <gmock/gmock.h>

#include <sstream>

#include "base/random.h"
#include "base/temporary_folder.h"
#include "base/thrown.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct TransactionTraceTest : testing::Test {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "transactions.bin";

  static std::vector<TracedTransaction> random_transactions(std::size_t count) {
    Random random(1);
    std::vector<TracedTransaction> all;
    for (std::size_t i = 0; i < count; ++i) {
      TracedTransaction t;
      t.start = Picoseconds(random.below(1ull << 50));
      t.end = t.start + Picoseconds(random.below(1 << 20));
      t.address = Address(random.below(1ull << 60));
      t.length = static_cast<std::uint32_t>(random.below(1 << 16));
      t.master = static_cast<std::uint16_t>(random.below(2));
      t.command = static_cast<TracedTransaction::Command>(random.below(3));
      t.response = static_cast<TracedTransaction::Response>(random.below(7));
      t.is_monitored = random.below(2) != 0;
      t.is_poisoned = random.below(2) != 0;
      all.push_back(t);
    }
    return all;
  }
  std::string written(const std::vector<TracedTransaction>& all) const {
    TransactionTraceWriter writer(file, {"node.core0", "node.dimm_ssd"});
    for (const TracedTransaction& t : all) writer.add(t);
    writer.finish();
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }
  static TransactionTrace read(const std::string& bytes) {
    std::istringstream in(bytes);
    return TransactionTrace::read(in);
  }
  static std::string refusal(const std::string& bytes) {
    return thrown<TransactionTraceError>([&] { read(bytes); });
  }
};

TEST_F(TransactionTraceTest, GivesBackWhatWasWritten) {
  for (const std::size_t count : {0, 1, 4096, 10'000}) {
    const std::vector<TracedTransaction> all = random_transactions(count);
    const TransactionTrace trace = read(written(all));
    EXPECT_EQ(trace.masters, (std::vector<std::string>{"node.core0", "node.dimm_ssd"}));
    EXPECT_TRUE(trace.transactions == all) << count;
  }
}

TEST_F(TransactionTraceTest, IsLaidOutAsDocumented) {
  const std::string bytes = written({{.start = Picoseconds(0x0102030405060708),
                                      .end = Picoseconds(9),
                                      .address = Address(0x4000'0010),
                                      .length = 64,
                                      .master = 1,
                                      .command = TracedTransaction::Command::write,
                                      .response = TracedTransaction::Response::ok,
                                      .is_monitored = true}});
  const std::size_t record = 8 + 4 + 4 + 2 + 10 + 2 + 13 + 4 + 4;
  EXPECT_THAT(bytes,
              StartsWith(std::string("ASTERTLM\1\0\0\0\2\0\0\0\12\0node.core0\15\0node.dimm_ssd", 43)));
  EXPECT_EQ(
      bytes.substr(record, 32),
      std::string(
          "\x08\x07\x06\x05\x04\x03\x02\x01\x09\0\0\0\0\0\0\0\x10\0\0\x40\0\0\0\0\x40\0\0\0\1\0\x41\1", 32));
  EXPECT_EQ(bytes.size(), record + 32 + 4 + 4 + 8 + 4);
}

TEST_F(TransactionTraceTest, IsTextWithUnits) {
  EXPECT_EQ(
      read(written({{.start = 1_us,
                     .end = 1_us + 54_ns,
                     .address = Address(0x900'0000),
                     .length = 4,
                     .master = 0,
                     .command = TracedTransaction::Command::write,
                     .response = TracedTransaction::Response::address_error}}))
          .to_text(),
      "        start_ps           end_ps master        does              address   bytes response\n"
      "         1000000          1054000 node.core0    write  0x0000000009000000       4 address_error\n");
}

TEST_F(TransactionTraceTest, SaysWhereItIsTruncated) {
  const std::string whole = written(random_transactions(5));
  for (std::size_t size = 0; size < whole.size(); ++size)
    ASSERT_THAT(refusal(whole.substr(0, size)),
                StartsWith("is truncated: ends at byte " + std::to_string(size) + ", expected "));
}

TEST_F(TransactionTraceTest, SaysWhatIsDamagedForEveryByteThatIsFlipped) {
  const std::string whole = written(random_transactions(5));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    ASSERT_THAT(refusal(bad), HasSubstr(" byte")) << at;
  }
  std::string bad = whole;
  bad[70] ^= 1;
  EXPECT_THAT(refusal(bad), StartsWith("is damaged: a block at bytes 47 to 210 has checksum "));
}

TEST_F(TransactionTraceTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(refusal("PK\3\4 something else, long enough"),
            "is no trace of transactions: expected \"ASTERTLM\" at byte 0");
  std::string bytes = written({});
  bytes[8] = 2;
  EXPECT_EQ(refusal(bytes), "has version 2 at byte 8, expected 1");
  EXPECT_EQ(refusal(written({}) + "x"), "goes on at byte 63, expected its end there");
}

TEST_F(TransactionTraceTest, SaysThatItsFileCannotBeMade) {
  EXPECT_EQ(thrown<TransactionTraceError>([] { TransactionTraceWriter("/nowhere/t.bin", {}); }),
            "/nowhere/t.bin cannot be written");
}

}  // namespace
}  // namespace asterism
