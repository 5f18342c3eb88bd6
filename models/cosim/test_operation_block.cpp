// A block of the contract `adder` written by hand behind rtl_abi.h, for tests of RtlOperations without
// Verilator: in.a + in.b as out.sum, three cycles after in.valid. Definitions make variants, some of them
// wrong:
//
//   PROMPT      answers in the cycle of the operation
//   SILENT      never answers
//   NO_CARRY    loses the top bit of the sum
//   GIVES_UP    fails at the 100th edge since its reset, and is not idle before
//   CLOCKLESS   says that it has no clock
//   WIDE        a sum of 16 bits
#include <cstdint>
#include <cstring>
#include <new>

#include "cosim/rtl_abi.h"

namespace {

#ifdef PROMPT
constexpr bool prompt = true;
#else
constexpr bool prompt = false;
#endif
#ifdef SILENT
constexpr bool silent = true;
#else
constexpr bool silent = false;
#endif
#ifdef NO_CARRY
constexpr unsigned sums = 0xFF;
#else
constexpr unsigned sums = 0x1FF;
#endif

struct Instance {
  std::uint8_t clock, reset, in_valid, a, b, out_valid, idle;
  std::uint16_t sum;
  std::uint32_t left, edges;  // until the answer; since the reset, if they are counted
};
Instance& of(void* instance) { return *static_cast<Instance*>(instance); }

void outputs(Instance& i) {
  if (prompt) {
    i.out_valid = i.in_valid;
    i.sum = (i.a + i.b) & sums;
  }
  i.idle = !i.in_valid && !i.out_valid && i.left == 0;
}

void* create(const char*) { return new (std::nothrow) Instance{}; }
void destroy(void* instance) { delete &of(instance); }

void* port(void* instance, std::uint32_t index) {
  Instance& i = of(instance);
  void* const values[] = {&i.clock, &i.reset, &i.in_valid, &i.a, &i.b, &i.out_valid, &i.idle, &i.sum};
  return values[index];
}

int settle(void* instance) {
  of(instance).clock = 0;
  outputs(of(instance));
  return 0;
}

int edge(void* instance) {
  Instance& i = of(instance);
  i.clock = 1;
  if (!prompt) i.out_valid = i.left == 1;
  if (i.left != 0) --i.left;
  if (i.in_valid && !prompt && !silent) {
    i.left = 2;
    i.sum = (i.a + i.b) & sums;
  }
#ifdef GIVES_UP
  ++i.edges;
#endif
  if (!i.reset) i.left = i.edges = 0;
  outputs(i);
  return i.edges == 100;
}

int run(void* instance, std::uint64_t cycles) {
  for (; cycles > 0; --cycles)
    if (settle(instance) != 0 || edge(instance) != 0) return 1;
  return 0;
}

const char* failure(void*) { return "test_adder.sv:7: it gives up"; }

std::uint64_t save(void* instance, void* buffer, std::uint64_t capacity) {
  if (capacity >= sizeof(Instance)) std::memcpy(buffer, instance, sizeof(Instance));
  return sizeof(Instance);
}
int restore(void* instance, const void* buffer, std::uint64_t size) {
  if (size != sizeof(Instance)) return 1;
  std::memcpy(instance, buffer, sizeof(Instance));
  return 0;
}

constexpr auto in = ASTERISM_RTL_INPUT, out = ASTERISM_RTL_OUTPUT;
const AsterismRtlPort ports[] = {
    {"clk_i", "", in, 1},          {"rst_ni", "reset", in, 1}, {"valid_i", "in.valid", in, 1},
    {"a_i", "in.a", in, 8},        {"b_i", "in.b", in, 8},     {"valid_o", "out.valid", out, 1},
#ifdef GIVES_UP
    {"idle_o", "", out, 1},
#else
    {"idle_o", "idle", out, 1},
#endif
#ifdef WIDE
    {"sum_o", "out.sum", out, 16},
#else
    {"sum_o", "out.sum", out, 9},
#endif
};
const AsterismRtlParameter parameters[] = {{"Width", 8}};

}  // namespace

extern "C" const AsterismRtlBlock* asterism_rtl_block() {
  static AsterismRtlBlock block{};
  block.magic = ASTERISM_RTL_MAGIC;
  block.version = ASTERISM_RTL_VERSION;
  block.block = "test_adder";
  block.contract = "adder";
  block.digest = "0";
  block.reset_cycles = 2;
#ifndef CLOCKLESS
  block.has_clock = 1;
#endif
  block.port_count = sizeof ports / sizeof *ports;
  block.ports = ports;
  block.parameter_count = 1;
  block.parameters = parameters;
  block.create = create;
  block.destroy = destroy;
  block.port = port;
  block.settle = settle;
  block.edge = edge;
  block.run = run;
  block.failure = failure;
  block.save = save;
  block.restore = restore;
  return &block;
}
