// Makes code of the host for a region. There is one emitter for each kind of host.
//
// The code of a block is a handler (core/a64/operation.h): the handler of the block's first operation,
// entered when the block has been charged, with all of the guest's state in memory. It calls nothing. For
// whatever it does not do itself it writes the registers back and continues with a handler as the last thing
// it does, as handlers do; the operation behind has a handler of the translator again, which reads the
// registers and goes on. So an exception, a call to the host or an exit is the same as without a translator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/a64/translator/region.h"

namespace asterism::a64 {

// Where the code finds the state of its core: distances in bytes from the Cpu.
struct CpuLayout {
  std::int32_t x, v, negative, zero_if, c, overflow;
  std::int32_t fpcr, fpsr;
  std::int32_t block, epoch, jumps, budget;
  std::int32_t tlb, pages;               // pointers to the entries in use
  std::int32_t recent;                   // for each access the entry that it has used last (Memory::recent)
  std::int32_t lines, line_offset_mask;  // of the line filter: pointer to the entries in use
  // Distances in a Block and in a Link.
  std::int32_t charge, storage, pc, context, count, taken, next, link_block, link_epoch;
};
struct HandlersOfEmitter {
  Handler taken, next;         // of a block's last operation: through this exit
  const Operation* overdrawn;  // entered a block for which the budget does not suffice
};

class Emitter {
 public:
  virtual ~Emitter() = default;
  virtual HostRegisters host_registers() const = 0;
  // Writes the code of a region to `to`, at most `most` bytes, and fills in what was made. False: it needs
  // more.
  virtual bool emit(Region& region, std::uint8_t* to, std::size_t most) = 0;
};

// `timed`: blocks are charged with time, too. nullptr: there is none for this host.
std::unique_ptr<Emitter> make_host_emitter(const CpuLayout& layout, const HandlersOfEmitter& handlers,
                                           bool timed);
// The one that translators use. A test may define another one.
std::unique_ptr<Emitter> make_emitter(const CpuLayout& layout, const HandlersOfEmitter& handlers, bool timed);

}  // namespace asterism::a64
