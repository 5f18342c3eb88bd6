// A reader of the flattened device tree (Devicetree Specification 0.4, chapter 5) for drivers that ask "is
// there one, and where". The tree lies at the base of DRAM, as virt puts it for an ELF. Without a valid tree
// nothing is found.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t base;  // first reg entry
  uint64_t size;
  uint64_t second_base;  // second reg entry; 0 when it has none
  uint32_t interrupt;    // first interrupt as the GIC numbers it (32 + SPI, 16 + PPI); 0 when it has none
} Device;

void device_tree_initialize(
    uintptr_t hint);  // hint: where a boot loader says the tree is; ignored when none is there
bool device_tree_find(const char* compatible, Device* device);  // first node that lists `compatible`
// The reg entry of this number, of the first node that lists `compatible`; false: it has none.
bool device_tree_range(const char* compatible, unsigned entry, uint64_t* base, uint64_t* size);
bool device_tree_memory(Device* memory);  // first node with device_type = "memory"
// asterism,auxiliary-cores of /chosen: the cores that programs leave alone, the last of the node. Returns how many; 0: none.
uint32_t device_tree_auxiliary_cores(uint32_t* first);
// Where the core whose affinity this is (MPIDR_EL1, Aff1 and Aff0) waits for the address to start at, with enable-method = "spin-table". False: it is started otherwise, or there is none.
bool device_tree_release_address(uint32_t affinity, uint64_t* address);
// The same of all cores that wait so, in one walk of the tree.
typedef void (*ReleaseAddressVisitor)(uint32_t affinity, uint64_t address);
void device_tree_release_addresses(ReleaseAddressVisitor visit);
