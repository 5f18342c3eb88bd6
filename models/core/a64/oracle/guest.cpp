#include "core/a64/oracle/guest.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/a64/oracle/program.h"

namespace asterism::a64::oracle {
namespace {

constexpr unsigned scratch = 18, counter = 19;

// The few instructions that form the frame of a guest.
class Assembler {
 public:
  explicit Assembler(std::uint64_t base) : base_(base) {}
  std::uint64_t here() const { return base_ + 4 * words_.size(); }
  const std::vector<std::uint32_t>& words() const { return words_; }

  void put(std::uint32_t word) { words_.push_back(word); }
  void put(const std::vector<std::uint32_t>& words) {
    words_.insert(words_.end(), words.begin(), words.end());
  }
  void move(unsigned rd, std::uint64_t value) {
    for (unsigned part = 0; part < 4; ++part)  // MOVZ, MOVK
      put((part == 0 ? 0xd280'0000 : 0xf280'0000) | part << 21 |
          static_cast<std::uint32_t>(value >> (16 * part) & 0xffff) << 5 | rd);
  }
  void branch_to(std::uint64_t target) { put(0x1400'0000 | (distance(target) & 0x03ff'ffff)); }
  void branch_if_not_equal(std::uint64_t target) { put(0x5400'0001 | (distance(target) & 0x7'ffff) << 5); }

 private:
  std::uint32_t distance(std::uint64_t target) const {
    return static_cast<std::uint32_t>((target - here()) / 4);
  }
  std::uint64_t base_;
  std::vector<std::uint32_t> words_;
};

std::vector<std::uint32_t> skip_unless_svc() {
  return {
      0xd518d092,  // msr tpidr_el1, x18
      0xd5385212,  // mrs x18, esr_el1
      0xd35afe52,  // lsr x18, x18, #26
      0xd1005652,  // sub x18, x18, #0x15
      0xb4000092,  // cbz x18, .+16
      0xd5384032,  // mrs x18, elr_el1
      0x91001252,  // add x18, x18, #4
      0xd5184032,  // msr elr_el1, x18
      0xd538d092,  // mrs x18, tpidr_el1
      0xd69f03e0,  // eret
  };
}

std::vector<std::uint32_t> acknowledge() {
  Assembler handler(0);
  handler.put(0xd518d092);  // msr tpidr_el1, x18
  handler.move(scratch, guest_device + 0x10);
  handler.put({0xf9000252,    // str x18, [x18]
               0xd538d092,    // mrs x18, tpidr_el1
               0xd69f03e0});  // eret
  return handler.words();
}

class GuestMaker {
 public:
  explicit GuestMaker(std::uint64_t seed)
      : random_(seed), generator_("all", "", {}, seed), assembler_(code_base) {}

  Guest make(unsigned level) {
    Guest guest{std::vector<std::uint8_t>(code_size), std::vector<std::uint8_t>(data_size), {}};
    generator_.fill(guest.data);
    begin();
    for (int i = 0; i < 40; ++i) segment();
    assembler_.branch_to(code_base);
    place(guest, code_base, assembler_.words());
    for (const std::uint64_t source : {0x200u, 0x400u}) {
      place(guest, vectors + source, skip_unless_svc());
      place(guest, vectors + source + 0x80, acknowledge());
      for (const std::uint64_t other : {0x100u, 0x180u}) place(guest, vectors + source + other, {0xd69f03e0});
    }
    const Registers registers = generator_.registers();
    std::ranges::copy(registers.x, guest.state.x.begin());
    guest.state.v = registers.v;
    guest.state.pc = code_base;
    guest.state.daif = 0x3c0;
    guest.state.level = static_cast<std::uint8_t>(level);
    guest.state.uses_sp_el1 = level == 1;
    guest.state.system.cpacr = 3u << 20;
    guest.state.system.vbar = vectors;
    if (level == 0) guest.state.daif = 0;
    return guest;
  }

 private:
  void begin() {
    assembler_.move(20, random_.below(256));
    assembler_.move(21, random_.below(32));
    assembler_.move(22, random_.next() << 32 | random_.below(256));
    assembler_.move(23, ~random_.below(256));
    assembler_.move(24, data_centre + random_.below(512));
    assembler_.move(25, data_centre + random_.below(512));
    for (unsigned i = 26; i < 29; ++i) assembler_.move(i, data_centre + 16 * random_.below(16));
  }

  void piece(unsigned length) { assembler_.put(generator_.program(length).words); }

  void segment() {
    switch (random_.below(10)) {
      case 0:
      case 1: {
        assembler_.put(0xd280'0000 | static_cast<std::uint32_t>(1 + random_.below(9)) << 5 | counter);
        const std::uint64_t again = assembler_.here();
        piece(8);
        assembler_.put(0xf100'0673);  // subs x19, x19, #1
        assembler_.branch_if_not_equal(again);
        break;
      }
      case 2:
        assembler_.put(0xd400'0001 | static_cast<std::uint32_t>(random_.below(0x1'0000)) << 5);  // svc
        break;
      case 3:
        assembler_.put(0xd420'0000 | static_cast<std::uint32_t>(random_.below(0x1'0000)) << 5);  // brk
        break;
      case 4:
        assembler_.put(random_.below(2) ? 0 : 0x6b2f'ffff);  // undefined
        break;
      case 5: {
        static constexpr std::uint32_t masks[] = {0xd50342df, 0xd50342ff, 0xd50346df,
                                                  0xd50346ff};  // msr daifset, daifclr
        assembler_.put(masks[random_.below(4)]);
        break;
      }
      case 6:
        touch_device();
        break;
      case 7:
        change_code();
        break;
      case 8:
        assembler_.put(random_.below(2) ? 0xd503205f : 0xd503203f);  // wfe, yield
        break;
      default:
        piece(24);
    }
  }

  void touch_device() {
    assembler_.move(scratch, guest_device + 8 * random_.below(64));
    const auto rt = static_cast<std::uint32_t>(random_.below(16));
    assembler_.put((random_.below(2) ? 0xf940'0240 : 0xf900'0240) | rt);  // ldr, str xt, [x18]
  }

  // Changes `add x0, x0, #1` into `add x0, x0, #2` and back, a few instructions ahead or behind.
  void change_code() {
    const bool ahead = random_.below(2);
    if (!ahead) assembler_.put(0x9100'0400);
    const std::uint64_t slot = ahead ? assembler_.here() + 32 : assembler_.here() - 4;
    assembler_.move(scratch, slot);
    assembler_.put({0xb940'0250,    // ldr w16, [x18]
                    0x5216'0610,    // eor w16, w16, #0xc00
                    0xb900'0250});  // str w16, [x18]
    if (ahead) assembler_.put({0xd503'201f, 0x9100'0400});
  }

  static void place(Guest& guest, std::uint64_t at, const std::vector<std::uint32_t>& words) {
    if (at - code_base + 4 * words.size() > guest.code.size())
      throw std::logic_error("a guest that is too long");
    std::memcpy(guest.code.data() + (at - code_base), words.data(), 4 * words.size());
  }

  Random random_;
  Generator generator_;
  Assembler assembler_;
};

}  // namespace

Guest make_guest(std::uint64_t seed, unsigned level) { return GuestMaker(seed).make(level); }

// Every class takes another time.
Options guest_options() {
  return {.features = CoreFeatures::all(),
          .timing = std::make_shared<CoreTiming>(CoreTiming{.width = 3,
                                                            .integer = {1, 2},
                                                            .multiply = {3, 1},
                                                            .divide = {12, 0.25},
                                                            .load = {4, 2},
                                                            .store = {2, 1.5},
                                                            .fp_add = {2.5, 2},
                                                            .fp_multiply = {3.5, 2},
                                                            .fp_fused = {5, 2},
                                                            .fp_divide = {10, 0.125},
                                                            .vector = {2.25, 2},
                                                            .other = {7, 0.5},
                                                            .branch = {1, 1, 0.1, 11}})};
}

GuestHost::GuestHost(const GuestResult& from, std::uint64_t interrupt_seed, const Options& options)
    : backing_(from.backing),
      first_tables_(from.tables),
      code_(code_size),
      data_(data_size),
      tables_(tables_size),
      iss_(make_native_iss(*this, 0, options)),
      begun_(from.instructions),
      begun_time_(from.time) {
  std::ranges::copy(from.code, code_.bytes().begin());
  std::ranges::copy(from.data, data_.bytes().begin());
  iss_->reset();
  iss_->map_direct({Address(code_base), Bytes(code_size)}, code_.bytes().data());
  for (std::size_t i = 0; i < backing_.size(); ++i)
    if (backing_[i] == Backing::direct)
      iss_->map_direct({Address(data_base + 4096 * i), Bytes(4096)}, data_.bytes().data() + 4096 * i);
  if (!from.tables.empty()) {
    std::memcpy(tables_.bytes().data(), from.tables.data(), from.tables.size() * sizeof(std::uint64_t));
    iss_->map_direct({Address(tables_base), Bytes(tables_size)}, tables_.bytes().data());
  }
  iss_->set_state(from.state);
  raise_irq(from.irq);
  Random random(interrupt_seed);
  for (std::uint64_t at = 0; interrupts_.size() < 1000;) interrupts_.push_back(at += 1 + random.below(400));
}

GuestResult GuestHost::run(std::uint64_t to, std::uint64_t interval) {
  to_ = to, interval_ = interval;
  call_next();
  while (count() < to) {
    const Iss::Stop stop = iss_->run();
    if (stop == Iss::Stop::requested) continue;
    seen_.push_back({Seen::What::stop, count(), static_cast<std::uint64_t>(stop)});
    if (stop == Iss::Stop::locked_up) break;
  }
  const auto code = code_.bytes(), data = data_.bytes();
  return {iss_->state(),
          count(),
          {code.begin(), code.end()},
          {data.begin(), data.end()},
          seen_,
          irq_,
          backing_,
          first_tables_,
          iss_->executed_time() + begun_time_,
          iss_->collect_writes({Address(data_base), Bytes(data_size)})};
}

void GuestHost::call_next() {
  const std::uint64_t now = count();
  const auto interrupt = std::ranges::upper_bound(interrupts_, now);
  std::uint64_t next = std::min(to_, (now / interval_ + 1) * interval_);
  if (interrupt != interrupts_.end()) next = std::min(next, *interrupt);
  iss_->call_at(next - begun_);
}

void GuestHost::due() {
  if (std::ranges::binary_search(interrupts_, count())) raise_irq(true);
  if (count() >= to_) {
    iss_->request_stop();
  } else {
    call_next();
  }
}

// The host's memory for a page of the data; nullptr if the page is not there.
std::uint8_t* GuestHost::by_host(Address address, unsigned size) {
  const std::uint64_t at = address.value() - data_base;
  if (at >= data_size || size > data_size - at || backing_[at / 4096] != Backing::by_host) return nullptr;
  return data_.bytes().data() + at;
}

bool GuestHost::load(Address address, unsigned size, std::uint64_t& value) {
  if (const std::uint8_t* from = by_host(address, size)) {
    value = 0;
    std::memcpy(&value, from, size);
    return true;
  }
  value = count() * 0x9E37'79B9'7F4A'7C15u;
  seen_.push_back({Seen::What::load, count(), address.value(), value});
  return address.value() >= guest_device && address.value() < guest_device + 0x1000;
}

bool GuestHost::store(Address address, unsigned size, std::uint64_t value) {
  if (std::uint8_t* to = by_host(address, size)) {
    std::memcpy(to, &value, size);
    return true;
  }
  seen_.push_back({Seen::What::store, count(), address.value(), value});
  raise_irq(false);
  return address.value() >= guest_device && address.value() < guest_device + 0x1000;
}

}  // namespace asterism::a64::oracle
