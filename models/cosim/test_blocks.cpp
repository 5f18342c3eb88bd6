// A least-recently-granted arbiter written by hand behind rtl_abi.h, for tests of the loader without
// Verilator. TEST_RADIX is its number of inputs; further definitions make it wrong:
//
//   WRONG_TIE      among several requests the last in the order wins
//   NO_GRANT       never grants when input 1 requests
//   TWO_GRANTS     grants input 0 too when input 1 wins
//   UNASKED_GRANT  grants the input above the winner
//   IDLE_LIES      a cycle without requests moves the first in the order to its end
//   RESTLESS       the same, and it does not say that it is idle
//   FAILS          settle() fails when the last input requests alone
//   NO_RESET       has no reset input
//   NO_TRACE       was built without traces
//   WRONG_MAGIC, OTHER_VERSION, NO_SYMBOL, NO_FUNCTION, NO_INSTANCE, SAME_ROLE, NO_WIDTH, OTHER_CONTRACT,
//   NO_GRANT_PORT  break rtl_abi.h or the contract as their names say
//
// Its trace is a text: a line "<picoseconds> <clock> <request> <grant>" for each sample, sets in hexadecimal.
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <new>
#include <numeric>
#include <string>

#include "cosim/rtl_abi.h"

namespace {

constexpr unsigned radix = TEST_RADIX;

#ifdef WRONG_TIE
constexpr bool wrong_tie = true;
#else
constexpr bool wrong_tie = false;
#endif

// The saved state: everything that an evaluation reads or changes.
struct State {
  std::array<std::uint8_t, radix> order;
  std::array<std::uint32_t, 4> request, grant;  // like ports: the first 1, 2, 4, 8 bytes or as many words
  std::uint8_t clock, reset, idle;
};

struct Instance {
  State state{};
  std::FILE* trace = nullptr;
  std::string failure;
};

bool bit(const std::array<std::uint32_t, 4>& set, unsigned i) { return (set[i / 32] >> i % 32 & 1) != 0; }
void set_bit(std::array<std::uint32_t, 4>& set, unsigned i) { set[i / 32] |= std::uint32_t{1} << i % 32; }
bool any(const std::array<std::uint32_t, 4>& set) {
  return std::ranges::any_of(set, [](std::uint32_t word) { return word != 0; });
}

void move_to_end(State& state, unsigned input) {
  auto* place = std::ranges::find(state.order, input);
  std::rotate(place, place + 1, state.order.end());
}

// The input that wins; radix if there is no request.
unsigned winner(const State& state) {
  unsigned best = radix;
  for (const unsigned input : state.order) {
    if (!bit(state.request, input)) continue;
    best = input;
    if (!wrong_tie) break;
  }
  return best;
}

void evaluate(State& state) {
  state.grant = {};
  state.idle = !any(state.request);
  const unsigned best = winner(state);
  if (best == radix) return;
#if defined NO_GRANT
  if (bit(state.request, 1)) return;
#elif defined TWO_GRANTS
  if (best == 1) set_bit(state.grant, 0);
#elif defined UNASKED_GRANT
  set_bit(state.grant, (best + 1) % radix);
  return;
#endif
  set_bit(state.grant, best);
}

void* create(const char*) {
#ifdef NO_INSTANCE
  return nullptr;
#endif
  auto* instance = new (std::nothrow) Instance;
  if (instance != nullptr) std::iota(instance->state.order.begin(), instance->state.order.end(), 0);
  return instance;
}

void trace_close(void* handle) {
  auto& instance = *static_cast<Instance*>(handle);
  if (instance.trace != nullptr) std::fclose(instance.trace);
  instance.trace = nullptr;
}

void destroy(void* handle) {
  trace_close(handle);
  delete static_cast<Instance*>(handle);
}

void* port(void* handle, std::uint32_t index) {
  State& state = static_cast<Instance*>(handle)->state;
  void* const values[] = {&state.clock, &state.reset, state.request.data(), state.grant.data(), &state.idle};
  return values[index];
}

int settle(void* handle) {
  auto& instance = *static_cast<Instance*>(handle);
  instance.state.clock = 0;
  evaluate(instance.state);
#ifdef FAILS
  if (bit(instance.state.request, radix - 1) && winner(instance.state) == radix - 1) {
    instance.failure = "test_block.sv:12: Assertion failed: last_is_never_alone";
    return 1;
  }
#endif
  return 0;
}

int edge(void* handle) {
  State& state = static_cast<Instance*>(handle)->state;
  state.clock = 1;
#ifndef NO_RESET
  if (state.reset == 0) {
    std::iota(state.order.begin(), state.order.end(), 0);
    evaluate(state);
    return 0;
  }
#endif
  if (any(state.request)) move_to_end(state, winner(state));
#if defined IDLE_LIES || defined RESTLESS
  else
    move_to_end(state, state.order.front());
#endif
  evaluate(state);
  return 0;
}

int run(void* handle, std::uint64_t cycles) {
  for (std::uint64_t i = 0; i < cycles; ++i)
    if (settle(handle) != 0 || edge(handle) != 0) return 1;
  return 0;
}

const char* failure(void* handle) { return static_cast<Instance*>(handle)->failure.c_str(); }

std::uint64_t save(void* handle, void* buffer, std::uint64_t capacity) {
  if (capacity >= sizeof(State)) std::memcpy(buffer, &static_cast<Instance*>(handle)->state, sizeof(State));
  return sizeof(State);
}

int restore(void* handle, const void* buffer, std::uint64_t size) {
  if (size != sizeof(State)) return 1;
  std::memcpy(&static_cast<Instance*>(handle)->state, buffer, sizeof(State));
  return 0;
}

int trace_open(void* handle, const char* file) {
  auto& instance = *static_cast<Instance*>(handle);
  instance.trace = std::fopen(file, "w");
  return instance.trace == nullptr ? 1 : 0;
}

std::string hexadecimal(const std::array<std::uint32_t, 4>& set) {
  char text[36];
  std::snprintf(text, sizeof text, "%08" PRIx32 "%08" PRIx32 "%08" PRIx32 "%08" PRIx32, set[3], set[2],
                set[1], set[0]);
  const std::string digits = text;
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
}

void trace(void* handle, std::uint64_t picoseconds) {
  auto& instance = *static_cast<Instance*>(handle);
  if (instance.trace != nullptr)
    std::fprintf(instance.trace, "%" PRIu64 " %d %s %s\n", picoseconds, instance.state.clock,
                 hexadecimal(instance.state.request).c_str(), hexadecimal(instance.state.grant).c_str());
}

const AsterismRtlPort ports[] = {
    {"clk_i", "", ASTERISM_RTL_INPUT, 1},
#if defined NO_RESET
    {"unused_i", "", ASTERISM_RTL_INPUT, 1},
#elif defined SAME_ROLE
    {"rst_ni", "grant", ASTERISM_RTL_INPUT, 1},
#else
    {"rst_ni", "reset", ASTERISM_RTL_INPUT, 1},
#endif
#ifdef NO_WIDTH
    {"request_i", "request", ASTERISM_RTL_INPUT, 0},
#else
    {"request_i", "request", ASTERISM_RTL_INPUT, radix},
#endif
#ifdef NO_GRANT_PORT
    {"grant_o", "", ASTERISM_RTL_OUTPUT, radix},
#else
    {"grant_o", "grant", ASTERISM_RTL_OUTPUT, radix},
#endif
#ifdef RESTLESS
    {"idle_o", "", ASTERISM_RTL_OUTPUT, 1},
#else
    {"idle_o", "idle", ASTERISM_RTL_OUTPUT, 1},
#endif
};
const AsterismRtlParameter parameters[] = {{"Radix", radix}};

const AsterismRtlBlock block = {
#ifdef WRONG_MAGIC
    .magic = 0x464C457F,
#else
    .magic = ASTERISM_RTL_MAGIC,
#endif
#ifdef OTHER_VERSION
    .version = 7,
#else
    .version = ASTERISM_RTL_VERSION,
#endif
    .block = "test_block",
#ifdef OTHER_CONTRACT
    .contract = "bus_device",
#else
    .contract = "arbiter",
#endif
    .digest = "0",
    .reset_active_high = 0,
    .reset_cycles = 2,
    .has_clock = 1,
#ifdef NO_TRACE
    .has_trace = 0,
#else
    .has_trace = 1,
#endif
    .has_assertions = 0,
    .port_count = std::size(ports),
    .parameter_count = 1,
    .ports = ports,
    .parameters = parameters,
    .create = create,
    .destroy = destroy,
    .port = port,
    .settle = settle,
#ifdef NO_FUNCTION
    .edge = nullptr,
#else
    .edge = edge,
#endif
    .run = run,
    .failure = failure,
    .save = save,
    .restore = restore,
    .trace_open = trace_open,
    .trace = trace,
    .trace_close = trace_close,
};

}  // namespace

#ifndef NO_SYMBOL
extern "C" const AsterismRtlBlock* asterism_rtl_block() { return &block; }
#else
extern "C" const AsterismRtlBlock* another_symbol() { return &block; }
#endif
