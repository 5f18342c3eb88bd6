// A Swizzle-Switch that passes packets flit by flit: the engine whose RTL counterpart is rtl/swizzle_switch
// (abeyratne2017 section 3.2.2). One call is one clock cycle.
//
// Each input and each output is a stream of packets. A flit moves at the end of a cycle in which its valid
// and ready are high, and `last` marks the last flit of a packet.
//
//   request      an input that holds no output requests the destination of its flit while valid is high
//   arbitration  one cycle of an output that is free and requested: it transfers nothing, and its ready does
//                not matter; the least recently granted input wins and becomes the last in the order
//   hold         from the next cycle on the winner's flits are at the output, one per cycle, each waiting for
//                ready, until the last one has moved; the destination of flits after the first is ignored,
//                and an input that has no flit for a while keeps the output
//
// The cycle after that of a last flit is the next arbitration, so a packet of n flits occupies its output for
// n + 1 cycles. A flit waits at its output for the packets of at most radix - 1 other inputs. There are no
// buffers. A flit whose destination is not an output waits for ever.
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
  static constexpr unsigned max_radix = 64;
  using Ports = std::uint64_t;  // one bit for each input, or for each output

  // The inputs of the switch in a cycle.
  struct Inputs {
    Ports valid = 0;  // of inputs
    Ports last = 0;
    std::array<std::uint8_t, max_radix> destination = {};
    Ports out_ready = 0;  // of outputs

    // Offers this flit at the input.
    void offer(unsigned input, unsigned to, bool is_last);
  };
  // The outputs of the switch in the same cycle. Data are not modelled: the flit at an output is that of its
  // source.
  struct Outputs {
    Ports in_ready = 0;  // of inputs
    Ports out_valid = 0;
    Ports out_last = 0;
    std::array<std::uint8_t, max_radix> source = {};  // the input; 0 if out_valid is low
    bool operator==(const Outputs&) const = default;
  };

  // 2 to 64 inputs and as many outputs. Throws std::invalid_argument for another number.
  explicit FlitSwitch(unsigned radix);

  // Returns the outputs of a cycle, and ends it.
  Outputs cycle(const Inputs& in);
  // Returns the outputs only.
  Outputs settle(const Inputs& in) const;

  unsigned radix() const { return radix_; }
  // No output is held, and every order is 0, 1, 2, ...
  void reset();

 private:
  static constexpr std::uint8_t none = 0xff;
  void arbitrate(const Inputs& in);

  unsigned radix_;
  SwizzleSwitch arbiter_;
  std::vector<std::uint8_t> holder_;  // by output
  Ports holding_ = 0;                 // the inputs that hold an output
};

}  // namespace asterism
