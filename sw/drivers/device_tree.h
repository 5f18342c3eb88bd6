// A reader of the flattened device tree (Devicetree Specification 0.4, chapter 5), by which drivers find out
// whether and where a device exists. The tree is at the base of DRAM, where QEMU's virt machine puts it for
// an ELF. Without a valid tree nothing is found.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t base;  // first reg entry
  uint64_t size;
  uint64_t second_base;  // second reg entry; 0 when it has none
  uint32_t interrupt;    // first interrupt as the GIC numbers it (32 + SPI, 16 + PPI); 0 when it has none
  uint32_t second_interrupt;  // 0 when it has none
  uint32_t clock_frequency;   // clock-frequency in Hz; 0 when it has none
} Device;

void device_tree_initialize(
    uintptr_t hint);  // the address of the tree according to a boot loader; ignored if no tree is there
bool device_tree_find(const char* compatible, Device* device);  // first node that lists `compatible`
// Node `instance` of those that list `compatible`, in their order in the tree; 0 is the first one.
bool device_tree_find_instance(const char* compatible, unsigned instance, Device* device);
// Gets a reg entry of the first node that lists `compatible`; false if there is none.
bool device_tree_range(const char* compatible, unsigned entry, uint64_t* base, uint64_t* size);
bool device_tree_memory(Device* memory);  // first node with device_type = "memory"
// The memory that node `instance` of those that list `compatible` accesses, or saves: its asterism,memory, or
// the first memory. False: there is no such node.
bool device_tree_memory_of(const char* compatible, unsigned instance, Device* memory);
// asterism,auxiliary-cores of /chosen: the last cores of the node, which programs must not use. Returns their
// number, and the first one in *first.
uint32_t device_tree_auxiliary_cores(uint32_t* first);
// Gets the release address of the core with this affinity (MPIDR_EL1, Aff1 and Aff0), if its enable-method is
// "spin-table". False: the core is started by another method or does not exist.
bool device_tree_release_address(uint32_t affinity, uint64_t* address);
// Visits the release addresses of all cores, in one walk of the tree.
typedef void (*ReleaseAddressVisitor)(uint32_t affinity, uint64_t address);
void device_tree_release_addresses(ReleaseAddressVisitor visit);
