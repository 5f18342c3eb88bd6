#include "drivers/dimm_ssd.h"

#include "asterism/platform.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/gicv2.h"
#include "drivers/mmio.h"

static Device device;
static volatile bool complete;

static void completed(void) {
  // The line may be seen high for a moment after it was quietened: only the device's word counts.
  const uint32_t status = mmio_read(device.base + DIMM_SSD_INTERRUPT_STATUS);
  if ((status & DIMM_SSD_INTERRUPT_STATUS_COMPLETE_MASK) == 0) return;
  mmio_write(device.base + DIMM_SSD_INTERRUPT_STATUS, DIMM_SSD_INTERRUPT_STATUS_COMPLETE_MASK);
  complete = true;
}

bool dimm_ssd_probe(void) {
  if (!device_tree_find("asterism,dimm-ssd", &device)) return false;
  mmio_write(device.base + DIMM_SSD_INTERRUPT_STATUS, DIMM_SSD_INTERRUPT_STATUS_COMPLETE_MASK);
  if (device.interrupt == 0) device.interrupt = 32 + DIMM_SSD_INTERRUPT;  // a tree that leaves it out
  gic_enable(device.interrupt, completed);
  mmio_write(device.base + DIMM_SSD_INTERRUPT_ENABLE, DIMM_SSD_INTERRUPT_ENABLE_COMPLETE_MASK);
  interrupts_unmask();
  return true;
}

DimmSsdError dimm_ssd_execute(DimmSsdOperation operation, const DimmSsdRequest* request) {
  const uint64_t address = (uintptr_t)request;
  complete = false;
  mmio_write(device.base + DIMM_SSD_DESCRIPTOR_LOW, (uint32_t)address);
  mmio_write(device.base + DIMM_SSD_DESCRIPTOR_HIGH, (uint32_t)(address >> 32));
  data_synchronization_barrier();  // request and pages are in memory before the device looks
  mmio_write(device.base + DIMM_SSD_COMMAND, (uint32_t)operation << DIMM_SSD_COMMAND_OPERATION_SHIFT);
  sleep_until(&complete);
  const uint32_t status = mmio_read(device.base + DIMM_SSD_STATUS);
  data_synchronization_barrier();
  return (DimmSsdError)((status & DIMM_SSD_STATUS_ERROR_MASK) >> DIMM_SSD_STATUS_ERROR_SHIFT);
}

uint64_t dimm_ssd_found_version(void) {
  const uint64_t high = mmio_read(device.base + DIMM_SSD_RESULT_VERSION_HIGH);
  return high << 32 | mmio_read(device.base + DIMM_SSD_RESULT_VERSION_LOW);
}

uint32_t dimm_ssd_found_pages(void) { return mmio_read(device.base + DIMM_SSD_RESULT_PAGES); }
