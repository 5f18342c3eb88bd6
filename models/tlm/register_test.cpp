#include "tlm/register.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

struct Bank : RegisterBank {
  Register control{*this,
                   0x0,
                   "CONTROL",
                   Access::read_write,
                   0x5,
                   "",
                   {{"enable", 0},
                    {"burst", 8, 4, "", {}, Field::Kind::not_modelled},
                    {"high", 16, 16, "", {}, Field::Kind::reserved}}};
  Register status{*this, 0x4, "STATUS", Access::read_only, 0x80, ""};
  Register pending{*this, 0x8, "PENDING", Access::write_one_to_clear, 0, ""};
  Register command{*this, 0xc, "COMMAND", Access::write_only, 0, ""};
  Register slots{*this, 0x20, "SLOT", Access::read_write, 7, "", {}, 4};
  std::vector<std::string> log;
  Bank() : RegisterBank("BANK", 4_KiB) {
    warn = [this](const std::string& line) { log.push_back(line); };
  }
};

TEST(Register, WritesOnlyTheEnabledLanes) {
  Bank bank;
  bank.control.set(0x11223344);
  bank.write(0x0, 0x000000AA, 0x000000FF, first_core);
  EXPECT_EQ(bank.read(0x0, first_core), 0x112233AAu);
}

TEST(Register, ReadOnlyKeepsItsValueAndSaysSo) {
  Bank bank;
  bank.write(0x4, 0xFF, ~0u, first_core);
  EXPECT_EQ(bank.read(0x4, first_core), 0x80u);
  ASSERT_EQ(bank.log.size(), 1u);
  EXPECT_EQ(bank.log[0], "guest wrote the read-only register STATUS (offset 0x4, value 0xff): ignored");
}

TEST(Register, WriteOneToClearClearsOnlyTheOnes) {
  Bank bank;
  bank.pending.set(0b1110);
  bank.write(0x8, 0b0110, ~0u, first_core);
  EXPECT_EQ(bank.read(0x8, first_core), 0b1000u);
}

TEST(Register, WriteOneToSetSetsOnlyTheOnes) {
  Bank bank;
  Register set(bank, 0x40, "SET", Access::write_one_to_set, 0x100, "");
  std::uint32_t ones = 0;
  set.on_write([&](std::uint32_t value) { ones = value; });
  bank.write(0x40, 0xFF06, 0xFF, first_core);
  EXPECT_EQ(bank.read(0x40, first_core), 0x106u);
  EXPECT_EQ(ones, 0x06u);
}

TEST(Register, ANarrowWriteOfAComputedRegisterKeepsTheBytesOfItsOwner) {
  Bank bank;
  std::uint32_t owned[2] = {0x11223344, 0x55667788};  // banked by master
  bank.control.computed([&](unsigned, Accessor who) { return owned[who.master]; });
  bank.control.on_write([&](unsigned, std::uint32_t value, Accessor who) { owned[who.master] = value; });
  bank.write(0x0, 0xAA, 0xFF, {0});
  bank.write(0x0, 0xBB, 0xFF, {1});
  EXPECT_EQ(owned[0], 0x112233AAu);
  EXPECT_EQ(owned[1], 0x556677BBu);
}

TEST(Register, ANarrowWriteOfAWriteOnlyRegisterHasZeroInItsOtherBytes) {
  Bank bank;
  bank.write(0xc, 0x01020304, ~0u, first_core);
  bank.write(0xc, 0x05, 0xFF, first_core);
  EXPECT_EQ(bank.command.value(), 0x05u);
}

TEST(Register, WriteOnlyReadsAsZero) {
  Bank bank;
  bank.write(0xc, 3, ~0u, first_core);
  EXPECT_EQ(bank.read(0xc, first_core), 0u);
  EXPECT_EQ(bank.command.value(), 3u);
}

TEST(Register, ReadMayActButPeekMayNot) {
  Bank bank;
  int left = 2;
  bank.status.acts_when_read().computed([&] { return left; }).on_read([&] { --left; });
  EXPECT_EQ(bank.peek(0x4, first_core), 2u);
  EXPECT_EQ(bank.read(0x4, first_core), 2u);
  EXPECT_EQ(bank.peek(0x4, first_core), 1u);
}

TEST(Register, TheListSaysWhichReadsAct) {
  Bank bank;
  EXPECT_FALSE(bank.status.is_acting_when_read());
  EXPECT_THROW(bank.status.on_read([] {}), std::logic_error);
  EXPECT_TRUE(bank.status.acts_when_read().is_acting_when_read());
  EXPECT_NO_THROW(bank.status.on_read([] {}));
}

TEST(Register, AResetValueThatVariesBeginsAsZero) {
  Bank bank;
  Register size(bank, 0x40, "SIZE", Access::read_only, varies, "");
  EXPECT_FALSE(size.has_fixed_reset_value());
  EXPECT_EQ(bank.read(0x40, first_core), 0u);
  EXPECT_TRUE(bank.control.has_fixed_reset_value());
  EXPECT_EQ(bank.control.reset_value(), 5u);
}

TEST(Register, UnusableBitsAreLoggedByName) {
  Bank bank;
  bank.write(0x0, 0x00010301, ~0u, first_core);
  ASSERT_EQ(bank.log.size(), 2u);
  EXPECT_EQ(bank.log[0], "guest set CONTROL.burst to 0x3, which is not modelled");
  EXPECT_EQ(bank.log[1], "guest set CONTROL.high to 0x1, which is reserved");
}

TEST(Register, ArraysKnowTheirIndexAndMaster) {
  Bank bank;
  unsigned seen = 99, master = 99;
  bank.slots.on_write(
      [&](unsigned index, std::uint32_t, Accessor who) { seen = index, master = who.master; });
  bank.write(0x28, 1, ~0u, {3});
  EXPECT_EQ(seen, 2u);
  EXPECT_EQ(master, 3u);
  EXPECT_EQ(bank.read(0x2c, first_core), 7u);
}

TEST(Register, HolesReadAsZeroAndAreLogged) {
  Bank bank;
  bank.write(0x100, 5, ~0u, first_core);
  EXPECT_EQ(bank.read(0x100, first_core), 0u);
  EXPECT_EQ(bank.log.size(), 2u);
}

TEST(Register, ResetRestoresStoredValues) {
  Bank bank;
  bank.write(0x0, 0, ~0u, first_core);
  bank.write(0x24, 0, ~0u, first_core);
  bank.reset();
  EXPECT_EQ(bank.read(0x0, first_core), 5u);
  EXPECT_EQ(bank.read(0x24, first_core), 7u);
}

TEST(Register, TypedFieldsAreReadAndComposedByName) {
  enum class Error { none, timeout = 3 };
  Bank bank;
  struct State : Register {
    using Register::Register;
    FieldOf<bool> busy{*this, {"busy", 1, 1, "A command is under way"}};
    FieldOf<Error> error{*this, {"error", 8, 4, "How it ended"}};
  } state{bank, 0x40, "STATE", Access::read_only, 0, ""};
  EXPECT_EQ(state.busy.bits(true) | state.error.bits(Error::timeout), 0x302u);
  EXPECT_EQ(state.error.get(0x3FF), Error::timeout);
  EXPECT_FALSE(state.busy.get(0x3FD));
  ASSERT_EQ(state.fields().size(), 2u);
  EXPECT_EQ(state.fields()[1].name, "error");
}

TEST(Register, OverlappingRegistersAreAnErrorOfTheModel) {
  Bank bank;
  EXPECT_THROW(Register(bank, 0x24, "AGAIN", Access::read_write, 0, ""), std::logic_error);
  EXPECT_THROW(Register(bank, 0x1000, "OUTSIDE", Access::read_write, 0, ""), std::logic_error);
}

}  // namespace
}  // namespace asterism
