#include "drivers/cxl_ssd.h"

#include "asterism/platform.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

enum { line_bytes = 64 };

static Device device;
static volatile bool flushed;

static uint32_t read_register(uint32_t offset) { return mmio_read(device.base + offset); }
static void write_register(uint32_t offset, uint32_t value) { mmio_write(device.base + offset, value); }

static void handler(void) {
  write_register(CXL_SSD_DEVICE_INTERRUPT_STATUS, CXL_SSD_DEVICE_INTERRUPT_STATUS_FLUSHED_MASK);
  flushed = true;
}

bool cxl_ssd_probe(CxlSsd* ssd) {
  if (!device_tree_find("asterism,cxl-ssd", &device)) return false;
  ssd->first = (uint64_t)read_register(CXL_SSD_DEVICE_WINDOW_BASE_HIGH) << 32 |
               read_register(CXL_SSD_DEVICE_WINDOW_BASE_LOW);
  ssd->bytes = (uint64_t)read_register(CXL_SSD_DEVICE_CAPACITY) << 20;
  ssd->cache_bytes = (uint64_t)read_register(CXL_SSD_DEVICE_CACHE) << 10;
  ssd->page_bytes = read_register(CXL_SSD_DEVICE_PAGE);
  ssd->is_protected = (read_register(CXL_SSD_DEVICE_STATUS) & CXL_SSD_DEVICE_STATUS_PROTECTED_MASK) != 0;
  gic_enable(device.interrupt, handler);
  write_register(CXL_SSD_DEVICE_INTERRUPT_ENABLE, CXL_SSD_DEVICE_INTERRUPT_ENABLE_FLUSHED_MASK);
  return true;
}

void cxl_ssd_clean(const void* first, size_t bytes) {
  const uintptr_t end = (uintptr_t)first + bytes;
  for (uintptr_t line = (uintptr_t)first & ~(uintptr_t)(line_bytes - 1); line < end; line += line_bytes)
    __asm__ volatile("dc cvac, %0" ::"r"(line) : "memory");
  __asm__ volatile("dsb sy" ::: "memory");
}

bool cxl_ssd_flush(const void* first, size_t bytes) {
  cxl_ssd_clean(first, bytes);
  flushed = false;
  write_register(CXL_SSD_DEVICE_FLUSH, 1);
  sleep_until(&flushed);
  return (read_register(CXL_SSD_DEVICE_STATUS) & CXL_SSD_DEVICE_STATUS_FAILED_MASK) == 0;
}

bool cxl_ssd_has_lost(void) {
  const uint32_t lost =
      read_register(CXL_SSD_DEVICE_INTERRUPT_STATUS) & CXL_SSD_DEVICE_INTERRUPT_STATUS_LOST_MASK;
  if (lost != 0) write_register(CXL_SSD_DEVICE_INTERRUPT_STATUS, lost);
  return lost != 0;
}

uint32_t cxl_ssd_misses(void) { return read_register(CXL_SSD_DEVICE_MISSES); }
uint32_t cxl_ssd_pages_written(void) { return read_register(CXL_SSD_DEVICE_PAGES_WRITTEN); }
uint32_t cxl_ssd_lines_written(void) { return read_register(CXL_SSD_DEVICE_LINES_WRITTEN); }
