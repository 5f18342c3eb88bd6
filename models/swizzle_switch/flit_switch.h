// A Swizzle-Switch that passes packets flit by flit: the engine whose RTL counterpart is rtl/swizzle_switch (abeyratne2017
// section 3.2.2). One call is one clock cycle.
//
// Each input is a stream of packets, each output another one. A flit moves at the end of a cycle in which its valid and
// ready are high, and `last` marks the last one of a packet.
//
//   request      an input that holds no output requests the destination of its flit while valid is high
//   arbitration  one cycle of an output that nobody holds and that is requested: it carries nothing, whether its ready
//                is high does not count; least recently granted wins and goes to the end of the order
//   hold         from the next cycle on the winner's flits are at the output, one a cycle, each waiting for ready, until
//                the last one has moved; the destination of flits after the first does not count, and an input that
//                has none for a while keeps the output
//
// The cycle after that of a last flit is the next one of arbitration, so a packet of n flits takes its output for n + 1
// cycles. A flit waits at its output for the packets of at most radix - 1 other inputs. There are no buffers. A flit
// whose destination is no output stays for ever.
//
//   FlitSwitch flits(4);
//   FlitSwitch::Inputs in;
//   in.offer(2, 3, true);                                    input 2: one flit for output 3
//   in.out_ready = 0b1111;
//   flits.cycle(in).out_valid   0                            arbitration
//   flits.cycle(in).out_valid   0b1000, source[3] is 2       the flit moves
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "swizzle_switch/swizzle_switch.h"

namespace asterism {

class FlitSwitch {
 public:
  static constexpr unsigned largest_radix = 64;
  using Ports = std::uint64_t;  // a bit for each input, or for each output

  // What the cycle finds at the switch.
  struct Inputs {
    Ports valid = 0;  // of inputs
    Ports last = 0;
    std::array<std::uint8_t, largest_radix> destination = {};
    Ports out_ready = 0;  // of outputs

    // The input has this flit.
    void offer(unsigned input, unsigned to, bool is_last);
  };
  // What the switch makes of it in the same cycle. Data is not looked at: the flit at an output is that of its source.
  struct Outputs {
    Ports in_ready = 0;  // of inputs
    Ports out_valid = 0;
    Ports out_last = 0;
    std::array<std::uint8_t, largest_radix> source = {};  // input; 0 where out_valid is low
    bool operator==(const Outputs&) const = default;
  };

  // 2 to 64 inputs and as many outputs. Throws std::invalid_argument for another number.
  explicit FlitSwitch(unsigned radix);

  // The outputs of a cycle, and its end.
  Outputs cycle(const Inputs& in);
  // The outputs alone.
  Outputs settle(const Inputs& in) const;

  unsigned radix() const { return radix_; }
  // Nobody holds an output, every order is 0, 1, 2, ...
  void reset();

 private:
  static constexpr std::uint8_t nobody = 0xff;
  void arbitrate(const Inputs& in);

  unsigned radix_;
  SwizzleSwitch arbiter_;
  std::vector<std::uint8_t> holder_;  // of each output
  Ports holding_ = 0;                 // inputs
};

}  // namespace asterism
