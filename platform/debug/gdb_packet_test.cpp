#include "platform/debug/gdb_packet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

namespace asterism {

void PrintTo(const GdbPacketReader::Item& item, std::ostream* out) {
  *out << static_cast<int>(item.kind) << " \"" << item.payload << '"';
}

namespace {

using Kind = GdbPacketReader::Kind;
using Item = GdbPacketReader::Item;

std::vector<Item> read(std::string_view bytes, std::size_t piece = 1000) {
  GdbPacketReader reader;
  std::vector<Item> items;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    reader.feed(bytes.substr(0, piece));
    while (const auto item = reader.next()) items.push_back(*item);
  }
  return items;
}

TEST(GdbPacketTest, ReadsPacketsInWhateverPiecesTheyCome) {
  const std::string bytes = "+$qC#b4" + gdb_packet("") + "\x03-" + gdb_packet("vCont;c");
  const std::vector<Item> expected{{Kind::acknowledged}, {Kind::packet, "qC"}, {Kind::packet, ""},
                                   {Kind::interrupt},    {Kind::repeat},       {Kind::packet, "vCont;c"}};
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece)
    EXPECT_EQ(read(bytes, piece), expected) << piece;
}

TEST(GdbPacketTest, AWrongChecksumIsADamagedPacket) {
  EXPECT_EQ(read("$qC#b5$qC#b4"), (std::vector<Item>{{Kind::damaged}, {Kind::packet, "qC"}}));
  EXPECT_EQ(read("$qC#zz$qC#B4"), (std::vector<Item>{{Kind::damaged}, {Kind::packet, "qC"}}));
}

TEST(GdbPacketTest, WhatStandsBetweenPacketsIsPassedOver) {
  EXPECT_EQ(read("garbage\r\n$?#3f"), (std::vector<Item>{{Kind::packet, "?"}}));
}

TEST(GdbPacketTest, APacketThatIsTooLargeIsDamagedAndNotKept) {
  const std::string large(3 * GdbPacketReader::largest, 'x');
  for (const std::size_t piece : {1000u, 50'000u, 1'000'000u})
    EXPECT_EQ(read(gdb_packet(large) + "$?#3f", piece),
              (std::vector<Item>{{Kind::damaged}, {Kind::packet, "?"}}))
        << piece;
  const std::string just(GdbPacketReader::largest, 'x');
  EXPECT_EQ(read(gdb_packet(just)), (std::vector<Item>{{Kind::packet, just}}));
}

TEST(GdbPacketTest, EscapesWhatMustNotStandInAPacket) {
  const std::string payload = "a$b#c}d*e";
  const auto items = read(gdb_packet(payload));
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].kind, Kind::packet);
  EXPECT_EQ(items[0].payload.find_first_of("$#*"), std::string::npos);
  EXPECT_EQ(gdb_unescaped(items[0].payload), payload);
  EXPECT_EQ(gdb_unescaped("a}"), "a}");  // nothing to be flipped
}

TEST(GdbPacketTest, HexGoesBothWays) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(from_hex(to_hex(all)), all);
  EXPECT_EQ(to_hex("\x0f\xf0"), "0ff0");
  EXPECT_EQ(from_hex("0F"), "\x0f");
  for (const char* bad : {"0", "0g", "-1", "+1", " 1"}) EXPECT_FALSE(from_hex(bad)) << bad;
}

TEST(GdbPacketTest, NumbersAreAtMostSixteenDigits) {
  EXPECT_EQ(hex_number("ffffffffffffffff"), ~std::uint64_t{0});
  EXPECT_EQ(hex_number("10"), 16u);
  for (const char* bad : {"", "10000000000000000", "00000000000000001", "1 ", "x", "-1", "0x1"})
    EXPECT_FALSE(hex_number(bad)) << bad;
}

}  // namespace
}  // namespace asterism
