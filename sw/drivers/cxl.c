#include "drivers/cxl.h"

#include "asterism/platform.h"
#include "drivers/device_tree.h"
#include "drivers/mmio.h"

enum { get_poison_list = 0x4300, inject_poison = 0x4301, clear_poison = 0x4302, line_bytes = 64 };

static Device device;
static CxlMemory window;

static uint32_t read_register(uint32_t offset) { return mmio_read(device.base + offset); }
static void write_register(uint32_t offset, uint32_t value) { mmio_write(device.base + offset, value); }

static uint64_t wide(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }

bool cxl_probe(CxlMemory* memory) {
  if (!device_tree_find("asterism,cxl-memory", &device)) return false;
  window.first = wide(read_register(CXL_DEVICE_WINDOW_BASE_LOW), read_register(CXL_DEVICE_WINDOW_BASE_HIGH));
  window.bytes = (uint64_t)read_register(CXL_DEVICE_CAPACITY) << 20;
  window.keeps_contents = (read_register(CXL_DEVICE_LINK) & CXL_DEVICE_LINK_OWN_SUPPLY_MASK) != 0;
  *memory = window;
  return true;
}

static bool command(uint32_t opcode, uint64_t offset) {
  write_register(CXL_DEVICE_ADDRESS_LOW, (uint32_t)offset);
  write_register(CXL_DEVICE_ADDRESS_HIGH, (uint32_t)(offset >> 32));
  write_register(CXL_DEVICE_COMMAND, opcode);
  return read_register(CXL_DEVICE_RETURN_CODE) == 0;
}

uint32_t cxl_poisoned(void) {
  command(get_poison_list, 0);
  return read_register(CXL_DEVICE_POISON_COUNT) & CXL_DEVICE_POISON_COUNT_LISTED_MASK;
}

uint32_t cxl_poisoned_reads(void) { return read_register(CXL_DEVICE_POISONED); }

bool cxl_inject_poison(uint64_t line) { return command(inject_poison, line - window.first); }

unsigned cxl_clear_poison(uint64_t first, uint64_t bytes) {
  unsigned cleared = 0;
  // A line that is cleared leaves the list, and the next one takes its place.
  for (uint32_t index = 0; index < cxl_poisoned();) {
    write_register(CXL_DEVICE_POISON_INDEX, index);
    const uint64_t line = wide(read_register(CXL_DEVICE_POISON_ADDRESS_LOW) & ~(uint32_t)(line_bytes - 1),
                               read_register(CXL_DEVICE_POISON_ADDRESS_HIGH));
    const uint64_t address = window.first + line;
    ++index;
    if (address + line_bytes <= first || address >= first + bytes) continue;
    command(clear_poison, line);
    if (read_register(CXL_DEVICE_RETURN_CODE) != 0) continue;
    ++cleared;
    --index;
  }
  return cleared;
}
