#include "platform/registers/register_page.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "platform/node/listed_node.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page_of(std::shared_ptr<const RegisterBank> list) {
  return register_page(AddressMap({{.name = "nic",
                                    .header_name = "NIC",
                                    .range = {Address(0x0b05'0000), 4_KiB},
                                    .interrupts = {15},
                                    .registers = std::move(list)}}));
}

TEST(RegisterPageTest, TheCommittedPageIsWhatTheListsSay) {
  std::ifstream file(ASTERISM_REGISTER_PAGE);
  const std::string committed{std::istreambuf_iterator<char>(file), {}};
  const std::string now = register_page(ListedNode::named("every_device").map);
  EXPECT_TRUE(committed == now) << "docs/registers.md is stale. Renew it, at the root of the tree:\n"
                                << "  build/release/asterism list devices --markdown docs/registers.md";
}

TEST(RegisterPageTest, ShowsRegistersWithFieldsAndValues) {
  struct Bank : RegisterBank {
    // clang-format off
    Register status{*this, 0x0, "STATUS", Access::read_only, 0x5, "State",
        {{"busy", 0, 1, "Works"}, {"error", 8, 8, "How", {{"none", 0}, {"bad", 1, "it was"}}},
         {"burst", 16, 4, "Bytes", {}, Field::Kind::not_modelled}, {"rest", 20, 12, "", {}, Field::Kind::reserved}}};
    Register slots{*this, 0x20, "SLOT", Access::write_one_to_clear, 0, "Slots", {}, 3};
    Register size{*this, 0x30, "SIZE", Access::read_only, varies, "Bytes"};
    // clang-format on
    Bank() : RegisterBank("BANK", 4_KiB, "A bank. And more.") { size.acts_when_read(); }
  };
  const std::string page = page_of(std::make_shared<Bank>());
  EXPECT_THAT(page, HasSubstr("| [NIC](#nic) | 0x0b05_0000 | SPI 15 | A bank |\n"));
  EXPECT_THAT(page, HasSubstr("\n## NIC\n\nA bank. And more.\n\n0x0b05_0000 to 0x0b05_0fff, SPI 15.\n"));
  EXPECT_THAT(page, HasSubstr("| 0x00 | **STATUS** | ro | 0x5 | State |\n"
                              "| | bit 0: `busy` | | | Works |\n"
                              "| | bits 15:8: `error` | | | How: 0 `none`, 1 `bad` (it was) |\n"
                              "| | bits 19:16: `burst` | | | Not modelled: Bytes |\n"
                              "| 0x20 | **SLOT**[0..2] | w1c | 0x0 | Slots |\n"
                              "| 0x30 | **SIZE** | ro, acts | varies | Bytes |\n"));
}

TEST(RegisterPageTest, TextOfAListIsNoMarkup) {
  struct Bank : RegisterBank {
    Register one{*this, 0x0, "ONE", Access::read_write, 0, "a | b < c & *d* _e_ SEND0_TAIL ~0 [x]"};
    Bank() : RegisterBank("BANK", 4_KiB, "A bank") {}
  };
  EXPECT_THAT(page_of(std::make_shared<Bank>()),
              HasSubstr("a \\| b &lt; c &amp; \\*d\\* \\_e\\_ SEND0_TAIL \\~0 \\[x\\] |\n"));
}

TEST(RegisterPageTest, WindowsAreDescribedOnce) {
  const std::string page = register_page(ListedNode::named("gpu_node", {"gpu.count=4"}).map);
  EXPECT_THAT(page, HasSubstr("SPI 17. Windows of 0x800 bytes follow each other; "));
  EXPECT_THAT(page, HasSubstr("| 0x0c | **STATUS** | ro |"));
  EXPECT_THAT(page, Not(HasSubstr("STATUS**[")));
}

TEST(RegisterPageTest, AnArrayWithGapsMayBeBesideOtherRegisters) {
  struct Channels : RegisterBank {
    Register control{*this, 0x0, "CONTROL", Access::read_write, 0, "Of all"};
    Register start{*this, 0x10, "START", Access::read_write, 3, "Of a channel", {}, 2, 8};
    Channels() : RegisterBank("CHANNELS", 4_KiB, "Channels") {}
  };
  const std::string page = page_of(std::make_shared<Channels>());
  EXPECT_THAT(page, HasSubstr("| 0x10 | **START**[0..1], 0x8 bytes apart | rw |"));
  EXPECT_THAT(page, Not(HasSubstr("Windows")));
}

}  // namespace
}  // namespace asterism
