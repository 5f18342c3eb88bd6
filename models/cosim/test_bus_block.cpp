// A device with registers written by hand behind rtl_abi.h, for tests of the bus without Verilator. Its
// registers, of 32 bits:
//
//   0x00  SCRATCH  read and write
//   0x04  COUNT    clock cycles since the reset, while CONTROL is not 0; kept over a reset without
//                  power_on_reset
//   0x08  TIMER    written n: the interrupt rises at the n-th edge after that of the write; reads the
//                  remaining edges
//   0x0C  CLEAR    any write clears the interrupt
//   0x10  POP      counts its own reads
//   0x14  WAIT     wait states of every access
//   0x18  REFUSE   every access is an error
//   0x1C  HANG     no access is ever ready
//   0x20  LOOP     reading it never returns
//   0x24  CONTROL
//   0x28  SOURCE, 0x2C TARGET, 0x30 WORDS   written n: copies n words through the master port; reads the
//                                           remaining words
//   0x34  FAIL     a write ends the model
//
// Its trace is a text: a line for each sample, "<picoseconds> <clock> select 1 enable 0 ...".
//
// Definitions make variants:
//
//   LYING_IDLE     counts, and says that it is idle
//   LYING_EVENT    the timer ends two cycles earlier than next_event says
//   NO_EVENT       has no next_event
//   NO_IDLE        has neither idle nor next_event
//   NO_STROBE      has no byte strobes
//   NO_BATTERY     has no power_on_reset
//   NO_MASTER      has no master port
//   NO_INTERRUPT   has neither a master port nor an interrupt
//   TWO_INTERRUPTS has a second interrupt, for the end of a copy; CLEAR clears those whose bit is written
//   TWO_INTERRUPTS_NO_MASTER  the same without a master port: a copy takes four cycles a word and
//                  moves nothing
//   PULSE          has neither idle nor next_event; its interrupt is high for one cycle, and the timer
//                  restarts
//
// and variants without a master port that behave differently:
//
//   WRONG_DATA     SCRATCH loses its bit 7
//   WRONG_STATUS   a write of SCRATCH is an error
//   LATE           the interrupt rises 30 cycles later
//   SLOW           40 more wait states
//
//   NO_DEVICE      is a block of another contract
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "cosim/rtl_abi.h"

#ifdef PULSE
#define NO_IDLE
#endif
#ifdef TWO_INTERRUPTS_NO_MASTER
#define TWO_INTERRUPTS
#define NO_MASTER
#endif
#if defined NO_INTERRUPT || defined WRONG_DATA || defined WRONG_STATUS || defined LATE || defined SLOW
#define NO_MASTER
#endif

namespace {

struct Ports {
  std::uint8_t clock, reset, power_on;
  std::uint16_t address;
  std::uint8_t select, enable, write, strobe;
  std::uint32_t write_data, read_data;
  std::uint8_t ready, error, interrupt, copy_interrupt, idle, state;
  std::uint32_t next_event;
  std::uint32_t m_address, m_write_data, m_read_data;
  std::uint8_t m_select, m_enable, m_write, m_ready, m_error;
};

struct Registers {
  std::uint32_t scratch, timer, period, pop, wait, control, source, target, words, word;
  std::uint32_t waited;
  std::uint8_t raised, copied;
  std::uint8_t copying;  // 0 no, 1 setup of a read, 2 read, 3 setup of a write, 4 write
};

struct State {
  Ports ports;
  Registers regs;
  std::uint32_t count;
};

struct Instance {
  State state;
  std::FILE* trace;
  std::string failure;
};

#ifdef LATE
constexpr std::uint32_t timer_extra = 30;
#else
constexpr std::uint32_t timer_extra = 0;
#endif
#ifdef SLOW
constexpr std::uint32_t extra_wait = 40;
#else
constexpr std::uint32_t extra_wait = 0;
#endif

std::uint32_t read(const State& s) {
  const Registers& r = s.regs;
  switch (s.ports.address & 0x3C) {
    case 0x00:
      return r.scratch;
    case 0x04:
      return s.count;
    case 0x08:
      return r.timer;
    case 0x10:
      return r.pop;
    case 0x14:
      return r.wait;
    case 0x20:
      for (volatile bool forever = s.ports.select && s.ports.enable && !s.ports.write; forever;) {
      }
      return 0;
    case 0x24:
      return r.control;
    case 0x28:
      return r.source;
    case 0x2C:
      return r.target;
    case 0x30:
      return r.words;
    default:
      return 0;
  }
}

void outputs(State& s) {
  Ports& p = s.ports;
  const Registers& r = s.regs;
  const bool access = p.select && p.enable;
  p.read_data = p.select && !p.write ? read(s) : 0;
  p.ready = access && r.waited >= r.wait + extra_wait && (p.address & 0x3C) != 0x1C;
  p.error = access && (p.address & 0x3C) == 0x18;
#ifdef WRONG_STATUS
  p.error |= access && p.write && (p.address & 0x3C) == 0;
#endif
  p.interrupt = r.raised;
  p.copy_interrupt = r.copied;
  p.state = r.copying;
#ifdef LYING_IDLE
  p.idle = !p.select && r.timer == 0 && r.copying == 0;
#else
  p.idle = !p.select && r.timer == 0 && r.copying == 0 && r.control == 0;
#endif
  p.next_event = r.copying || p.select ? 1 : r.timer ? r.timer : ~0u;
#ifdef LYING_EVENT
  if (r.timer && !p.select) p.next_event += 2;
#endif
  p.m_select = r.copying != 0;
  p.m_enable = r.copying == 2 || r.copying == 4;
  p.m_write = r.copying >= 3;
  p.m_address = r.copying >= 3 ? r.target : r.source;
  p.m_write_data = r.copying >= 3 ? r.word : 0;
}

void write(State& s, Instance& instance) {
  Registers& r = s.regs;
  std::uint32_t mask = 0;
  for (int byte = 0; byte < 4; ++byte)
    if (s.ports.strobe >> byte & 1) mask |= 0xFFu << 8 * byte;
#ifdef NO_STROBE
  mask = ~0u;
#endif
  const auto set = [&](std::uint32_t& reg) { reg = (reg & ~mask) | (s.ports.write_data & mask); };
  switch (s.ports.address & 0x3C) {
    case 0x00:
      set(r.scratch);
#ifdef WRONG_DATA
      r.scratch &= ~0x80u;
#endif
      break;
    case 0x08:
      set(r.timer);
      if (r.timer) r.timer += timer_extra;
#ifdef PULSE
      r.period = r.timer;
#endif
      break;
    case 0x0C:
#ifdef TWO_INTERRUPTS
      if (s.ports.write_data & 1) r.raised = 0;
      if (s.ports.write_data & 2) r.copied = 0;
#else
      r.raised = 0;
#endif
      break;
    case 0x14:
      set(r.wait);
      break;
    case 0x24:
      set(r.control);
      break;
    case 0x28:
      set(r.source);
      break;
    case 0x2C:
      set(r.target);
      break;
    case 0x30:
      set(r.words);
      if (r.words) r.copying = 1;
      break;
    case 0x34:
      instance.failure = "test_bus_block.sv:34: FAIL was written";
      break;
    default:
      break;
  }
}

#ifdef TWO_INTERRUPTS_NO_MASTER
constexpr bool waits_for_memory = false;
#else
constexpr bool waits_for_memory = true;
#endif

void copy(State& s) {
  Registers& r = s.regs;
  const bool waits = waits_for_memory && !s.ports.m_ready;
  switch (r.copying) {
    case 2:
      if (waits) return;
      r.word = s.ports.m_read_data;
      r.source += 4;
      r.copying = 3;
      return;
    case 4:
      if (waits) return;
      r.target += 4;
      r.copying = --r.words ? 1 : 0;
#ifdef TWO_INTERRUPTS
      if (r.words == 0) r.copied = 1;
#else
      if (r.words == 0) r.raised = 1;
#endif
      return;
    case 1:
    case 3:
      ++r.copying;
      return;
    default:
      return;
  }
}

#ifdef NO_BATTERY
constexpr bool battery = false;
#else
constexpr bool battery = true;
#endif

void clock(State& s, Instance& instance) {
  if (!s.ports.reset) {
    const std::uint32_t control = s.regs.control;
    s.regs = {};
    if (battery && s.ports.power_on) {
      s.regs.control = control;
      s.count += control != 0;
    } else {
      s.count = 0;
    }
    return;
  }
  Registers& r = s.regs;
  const bool access = s.ports.select && s.ports.enable, done = access && s.ports.ready;
  s.count += r.control != 0;
#ifdef LYING_IDLE
  ++s.count;
#endif
#ifdef PULSE
  r.raised = 0;
#endif
  if (r.timer && --r.timer == 0) {
    r.raised = 1;
    r.timer = r.period;
  }
  copy(s);
  r.waited = access && !done ? r.waited + 1 : 0;
  if (done && s.ports.write) write(s, instance);
  if (done && !s.ports.write && (s.ports.address & 0x3C) == 0x10) ++r.pop;
}

void* create(const char*) { return new (std::nothrow) Instance{}; }
Instance& of(void* instance) { return *static_cast<Instance*>(instance); }

int trace_open(void* instance, const char* file) {
  of(instance).trace = std::fopen(file, "w");
  return of(instance).trace == nullptr ? 1 : 0;
}
void trace(void* instance, std::uint64_t picoseconds) {
  const Ports& p = of(instance).state.ports;
  std::fprintf(of(instance).trace, "%llu %d select %d enable %d write %d address %03x read %x\n",
               static_cast<unsigned long long>(picoseconds), p.clock, p.select, p.enable, p.write, p.address,
               p.read_data);
}
void trace_close(void* instance) {
  if (of(instance).trace != nullptr) std::fclose(of(instance).trace);
  of(instance).trace = nullptr;
}
void destroy(void* instance) {
  trace_close(instance);
  delete static_cast<Instance*>(instance);
}

int settle(void* instance) {
  of(instance).state.ports.clock = 0;
  outputs(of(instance).state);
  return 0;
}
int edge(void* instance) {
  Instance& i = of(instance);
  i.state.ports.clock = 1;
  clock(i.state, i);
  outputs(i.state);
  return i.failure.empty() ? 0 : 1;
}
int run(void* instance, std::uint64_t cycles) {
  for (; cycles > 0; --cycles)
    if (settle(instance) != 0 || edge(instance) != 0) return 1;
  return 0;
}
const char* failure(void* instance) { return of(instance).failure.c_str(); }

std::uint64_t save(void* instance, void* buffer, std::uint64_t capacity) {
  if (capacity >= sizeof(State)) std::memcpy(buffer, &of(instance).state, sizeof(State));
  return sizeof(State);
}
int restore(void* instance, const void* buffer, std::uint64_t size) {
  if (size != sizeof(State)) return 1;
  std::memcpy(&of(instance).state, buffer, sizeof(State));
  return 0;
}

constexpr auto in = ASTERISM_RTL_INPUT, out = ASTERISM_RTL_OUTPUT;
struct Place {
  AsterismRtlPort port;
  std::size_t offset;
};
#define PORT(name, role, direction, width, member) \
  { {name, role, direction, width}, offsetof(Ports, member) }
const Place places[] = {
    PORT("clk_i", "", in, 1, clock),
    PORT("rst_ni", "reset", in, 1, reset),
#ifndef NO_BATTERY
    PORT("por_ni", "power_on_reset", in, 1, power_on),
#endif
    PORT("paddr_i", "bus.address", in, 12, address),
    PORT("psel_i", "bus.select", in, 1, select),
    PORT("penable_i", "bus.enable", in, 1, enable),
    PORT("pwrite_i", "bus.write", in, 1, write),
#ifndef NO_STROBE
    PORT("pstrb_i", "bus.strobe", in, 4, strobe),
#endif
    PORT("pwdata_i", "bus.write_data", in, 32, write_data),
    PORT("prdata_o", "bus.read_data", out, 32, read_data),
    PORT("pready_o", "bus.ready", out, 1, ready),
    PORT("pslverr_o", "bus.error", out, 1, error),
    PORT("state_o", "state.0", out, 3, state),
#ifndef NO_INTERRUPT
    PORT("irq_o", "interrupt.0", out, 1, interrupt),
#ifdef TWO_INTERRUPTS
    PORT("copy_irq_o", "interrupt.1", out, 1, copy_interrupt),
#endif
#endif
#ifndef NO_IDLE
    PORT("idle_o", "idle", out, 1, idle),
#ifndef NO_EVENT
    PORT("next_event_o", "next_event", out, 32, next_event),
#endif
#endif
#ifndef NO_MASTER
    PORT("m_paddr_o", "master.address", out, 32, m_address),
    PORT("m_psel_o", "master.select", out, 1, m_select),
    PORT("m_penable_o", "master.enable", out, 1, m_enable),
    PORT("m_pwrite_o", "master.write", out, 1, m_write),
    PORT("m_pwdata_o", "master.write_data", out, 32, m_write_data),
    PORT("m_prdata_i", "master.read_data", in, 32, m_read_data),
    PORT("m_pready_i", "master.ready", in, 1, m_ready),
    PORT("m_pslverr_i", "master.error", in, 1, m_error),
#endif
};
constexpr std::uint32_t port_count = sizeof places / sizeof *places;

void* port(void* instance, std::uint32_t index) {
  return reinterpret_cast<unsigned char*>(&of(instance).state.ports) + places[index].offset;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const AsterismRtlBlock* asterism_rtl_block(void) {
  static AsterismRtlPort ports[port_count];
  for (std::uint32_t i = 0; i < port_count; ++i) ports[i] = places[i].port;
  static AsterismRtlBlock block{};
  block.magic = ASTERISM_RTL_MAGIC;
  block.version = ASTERISM_RTL_VERSION;
  block.block = "test_bus_block";
#ifdef NO_DEVICE
  block.contract = "arbiter";
#else
  block.contract = "bus_device";
#endif
  block.digest = TEST_VARIANT;
  block.reset_cycles = 2;
  block.has_clock = 1;
  block.port_count = port_count;
  block.ports = ports;
  block.create = create;
  block.destroy = destroy;
  block.port = port;
  block.settle = settle;
  block.edge = edge;
  block.run = run;
  block.failure = failure;
  block.save = save;
  block.restore = restore;
  block.has_trace = 1;
  block.trace_open = trace_open;
  block.trace = trace;
  block.trace_close = trace_close;
  return &block;
}
