// For tests: random payloads to a target. Any payload gets an answer, at a time that never decreases (TLM
// rules 1, 5-8).
#pragma once

#include <gtest/gtest.h>

#include "base/random.h"
#include "tlm/test_initiator.h"

namespace asterism {

inline void expect_an_answer_to_any_payload(TestInitiator& cpu, Bytes size, std::uint64_t seed) {
  Random random(seed);
  unsigned char data[64] = {}, enables[8];
  for (int i = 0; i < 20'000; ++i) {
    for (auto& byte : data) byte = static_cast<unsigned char>(random.next());
    for (auto& enable : enables) enable = random.below(2) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    tlm::tlm_generic_payload payload;
    const std::uint64_t address = random.below(8) ? random.below(size.count() + 16) : random.next();
    const auto length = static_cast<unsigned>(random.below(4) ? random.below(9) : random.below(65));
    TestInitiator::fill(payload, static_cast<tlm::tlm_command>(random.below(3)), address, data, length);
    if (random.below(4) == 0) payload.set_streaming_width(static_cast<unsigned>(random.below(70)));
    if (random.below(2)) {
      payload.set_byte_enable_ptr(enables);
      payload.set_byte_enable_length(static_cast<unsigned>(random.below(9)));
    }
    cpu.who.master = static_cast<unsigned>(random.below(10) ? random.below(4) : random.next());
    cpu.delay = to_sc_time(Picoseconds(random.below(1000)));
    const Picoseconds earliest = now() + to_picoseconds(cpu.delay);
    cpu.transport(payload);
    ASSERT_NE(cpu.status, tlm::TLM_INCOMPLETE_RESPONSE);
    ASSERT_GE(now() + to_picoseconds(cpu.delay), earliest);
  }
}

}  // namespace asterism
