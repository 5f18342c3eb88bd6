#include "tlm/dma_initiator.h"

#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/activity_lines.h"
#include "tlm/initiator_extension.h"
#include "tlm/systemc_test.h"

namespace asterism {
namespace {

constexpr Address base(0x4000'0000);

// A memory of 32 KiB. Each transaction takes 10 ns, which it annotates or, with `waits`, waits for.
struct Target : sc_core::sc_module {
  struct Seen {
    char kind;
    std::uint64_t offset;
    unsigned length, master;
    Picoseconds at;
    bool operator==(const Seen&) const = default;
  };
  tlm_utils::simple_target_socket<Target> socket{"socket"};
  std::vector<unsigned char> bytes = std::vector<unsigned char>(32 << 10);
  bool waits = false;
  std::optional<std::uint64_t> refused, poisoned;  // offsets
  sc_core::sc_event* holds = nullptr;              // a write waits for this event
  std::vector<Seen> seen;

  explicit Target(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Target::b_transport);
    socket.register_transport_dbg(this, &Target::transport_dbg);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    auto& who = *payload.get_extension<InitiatorExtension>();
    seen.push_back({payload.is_read() ? 'r' : 'w', payload.get_address(), payload.get_data_length(),
                    who.master, now() + to_picoseconds(delay)});
    if (holds && payload.is_write()) sc_core::wait(*holds);
    payload.set_response_status(refused == payload.get_address() || who.aborted
                                    ? tlm::TLM_GENERIC_ERROR_RESPONSE
                                    : tlm::TLM_OK_RESPONSE);
    who.poison = poisoned == payload.get_address();
    if (payload.is_response_ok()) transport_dbg(payload);
    waits ? sc_core::wait(to_sc_time(10_ns)) : void(delay += to_sc_time(10_ns));
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    unsigned char* const cells = bytes.data() + payload.get_address();
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), cells, payload.get_data_length());
    if (payload.is_write()) std::memcpy(cells, payload.get_data_ptr(), payload.get_data_length());
    return payload.get_data_length();
  }
};

struct DmaDevice : sc_core::sc_module {
  DmaInitiator memory{"memory", {base, 32_KiB}, 2};
  explicit DmaDevice(const sc_core::sc_module_name& name) : sc_module(name) {}
};

struct DmaInitiatorTest : SystemCTest {
  struct Ended {
    int which;
    Picoseconds at;
    bool ok;
    bool operator==(const Ended&) const = default;
  };
  Target target{"target"};
  DmaDevice device{"device"};
  DmaInitiator& dma = device.memory;
  std::vector<Ended> ended;
  std::vector<std::byte> data;
  unsigned calls = 0;

  DmaInitiatorTest() {
    dma.bind(target.socket);
    dma.identify(InitiatorExtension::first_device_master + 5);
    dma.after_access = [this] { ++calls; };
  }
  OnAccessEnd note(int which) {
    return [this, which](const AccessEnd& end) {
      ended.push_back({which, end.at, end.ok});
      data.assign(end.data.begin(), end.data.end());
    };
  }
  void write(int which, std::uint64_t offset, std::size_t size, unsigned channel = 0) {
    dma.channel(channel).write(now(), base + Bytes(offset),
                               std::vector<std::byte>(size, static_cast<std::byte>(which)), note(which));
  }
  void read(int which, std::uint64_t offset, std::uint64_t size, unsigned channel = 0) {
    dma.channel(channel).read(now(), base + Bytes(offset), Bytes(size), note(which));
  }
};

SYSTEMC_TEST_F(DmaInitiatorTest, AnAccessMovesItsDataAndSaysWhenItEnds) {
  write(7, 100, 8);
  read(1, 100, 8);
  wait_for(1_us);
  EXPECT_EQ(ended, (std::vector<Ended>{{7, 10_ns, true}, {1, 20_ns, true}}));
  EXPECT_EQ(data, std::vector<std::byte>(8, std::byte{7}));
  EXPECT_EQ(calls, 2u);
  const unsigned master = InitiatorExtension::first_device_master + 5;
  EXPECT_EQ(target.seen,
            (std::vector<Target::Seen>{{'w', 100, 8, master, 0_ns}, {'r', 100, 8, master, 10_ns}}));
}

SYSTEMC_TEST_F(DmaInitiatorTest, AccessesOfAChannelAreRecorded) {
  ActivityLines activity;
  dma.record_in(activity, 1, "dma");
  write(7, 0, 8, 1);
  read(1, 4096, 4096, 1);
  read(2, 0, 8, 0);
  wait_for(1_us);
  EXPECT_EQ(activity.lines,
            (std::vector<std::string>{"device.dma write 0-10 address=1073741824 bytes=8",
                                      "device.dma read 10-20 address=1073745920 bytes=4096"}));
}

// The end is known as soon as the target has annotated it, and the next access begins only then.
SYSTEMC_TEST_F(DmaInitiatorTest, TheEndOfAnAnnotatedAccessIsKnownBefore) {
  write(1, 0, 4);
  settle();
  EXPECT_EQ(ended, (std::vector<Ended>{{1, 10_ns, true}}));
  wait_for(4_ns);
  write(2, 0, 4);
  wait_for(5_ns);
  EXPECT_EQ(target.seen.size(), 1u);
  wait_for(1_ns);
  EXPECT_EQ(target.seen.size(), 2u);
}

SYSTEMC_TEST_F(DmaInitiatorTest, ATargetMayWait) {
  target.waits = true;
  read(1, 0, 4);
  write(2, 0, 4);
  wait_for(1_us);
  EXPECT_EQ(ended, (std::vector<Ended>{{1, 10_ns, true}, {2, 20_ns, true}}));
}

SYSTEMC_TEST_F(DmaInitiatorTest, ChannelsWorkSideBySide) {
  target.waits = true;
  for (int i = 0; i < 2; ++i) write(i, 0, 4, 0), write(10 + i, 0, 4, 1);
  wait_for(1_us);
  std::ranges::sort(ended, {}, &Ended::which);
  EXPECT_EQ(ended,
            (std::vector<Ended>{{0, 10_ns, true}, {1, 20_ns, true}, {10, 10_ns, true}, {11, 20_ns, true}}));
}

SYSTEMC_TEST_F(DmaInitiatorTest, ATransactionDoesNotCrossAPage) {
  write(3, 4000, 4200);
  wait_for(1_us);
  const unsigned master = InitiatorExtension::first_device_master + 5;
  EXPECT_EQ(target.seen, (std::vector<Target::Seen>{{'w', 4000, 96, master, 0_ns},
                                                    {'w', 4096, 4096, master, 10_ns},
                                                    {'w', 8192, 8, master, 20_ns}}));
  EXPECT_EQ(ended, (std::vector<Ended>{{3, 30_ns, true}}));
  EXPECT_EQ(std::ranges::count(target.bytes, 3), 4200);
}

SYSTEMC_TEST_F(DmaInitiatorTest, AnAccessMayHaveSeveralPlaces) {
  target.bytes[64] = 1, target.bytes[256] = 2;
  dma.read(0, {{base + 64_B, 64_B}, {base + 256_B, 64_B}}, note(1));
  wait_for(1_us);
  ASSERT_EQ(data.size(), 128u);
  EXPECT_EQ(data[0], std::byte{1});
  EXPECT_EQ(data[64], std::byte{2});
  EXPECT_EQ(target.seen.size(), 2u);
}

SYSTEMC_TEST_F(DmaInitiatorTest, AFailureEndsTheAccess) {
  target.refused = 4096;
  target.poisoned = 64;
  write(1, 0, 12'288);
  read(2, 64, 4);
  read(3, 32 << 10, 1);
  dma.channel().read(now(), Address(0), 8_B, note(4));
  wait_for(1_us);
  EXPECT_EQ(ended,
            (std::vector<Ended>{{1, 20_ns, false}, {2, 30_ns, false}, {3, 30_ns, false}, {4, 30_ns, false}}));
  EXPECT_EQ(target.seen.size(), 3u);  // what comes after a failure is not done, nor is what lies outside
}

SYSTEMC_TEST_F(DmaInitiatorTest, AResetDropsWhatWaitsAndWhatIsUnderWayEndsWithoutACall) {
  sc_core::sc_event released;
  target.holds = &released;
  write(1, 0, 4);
  write(2, 0, 4);
  wait_for(50_ns);
  dma.reset(Reset::warm);
  write(3, 4, 4);
  released.notify();
  settle();
  EXPECT_EQ(target.bytes[0], 0u) << "a write that a target still delays does not happen";
  released.notify(sc_core::SC_ZERO_TIME);
  wait_for(1_us);
  EXPECT_EQ(ended, (std::vector<Ended>{{3, 60_ns, true}}));
  EXPECT_EQ(target.bytes[4], 3u);
}

SYSTEMC_TEST_F(DmaInitiatorTest, AChannelAbandonsItsAccessesOnly) {
  sc_core::sc_event released;
  target.holds = &released;
  write(1, 0, 4, 0);
  write(2, 4, 4, 1);
  wait_for(50_ns);
  dma.channel(0).abandon();
  released.notify();
  wait_for(1_us);
  EXPECT_EQ(ended, (std::vector<Ended>{{2, 60_ns, true}}));
  EXPECT_EQ(target.bytes[0], 0u);
  EXPECT_EQ(target.bytes[4], 2u);
}

SYSTEMC_TEST_F(DmaInitiatorTest, APeekTakesNoTime) {
  target.bytes[9] = 7;
  std::vector<std::byte> byte(1);
  EXPECT_TRUE(dma.peek(base + 9_B, byte));
  EXPECT_EQ(byte[0], std::byte{7});
  EXPECT_FALSE(dma.peek(base + 32_KiB, byte));
  EXPECT_TRUE(target.seen.empty());
}

}  // namespace
}  // namespace asterism
