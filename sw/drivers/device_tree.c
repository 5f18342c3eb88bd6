#include "drivers/device_tree.h"

#include <stddef.h>
#include <string.h>

#include "asterism/platform.h"

enum {
  magic = 0xd00dfeed,
  token_begin = 1,
  token_end = 2,
  token_property = 3,
  token_nop = 4,
  token_finish = 9,
  depth_limit = 8,
};

typedef struct {
  // The first token after its name. The alignment is that of the pairs of vector registers that clear a node.
  _Alignas(16) const uint32_t* properties;
  const char* compatible;
  uint32_t compatible_bytes;
  const char* device_type;
  const uint32_t* reg;
  uint32_t reg_bytes;
  const uint32_t* interrupts;
  uint32_t interrupts_bytes;
  const uint32_t* clock_frequency;
  const uint32_t* auxiliary_cores;  // of /chosen
  uint32_t auxiliary_cores_bytes;
  const char* enable_method;  // of a core
  const uint32_t* release_address;
  uint32_t release_address_bytes;
  uint32_t parent_cells[2];  // #address-cells and #size-cells of the parent, once the node was found
} Node;

typedef bool (*Matches)(const Node* node, const void* wanted);

static const uint32_t* tree;  // NULL: none

static uint32_t big_endian(uint32_t value) { return __builtin_bswap32(value); }

static bool tree_at(uintptr_t address) {
  return address != 0 && (address & 7) == 0 && big_endian(*(const volatile uint32_t*)address) == magic;
}

void device_tree_initialize(uintptr_t hint) {
  const bool in_dram =
      hint >= DRAM_BASE;  // QEMU's virt machine leaves x0 undefined: do not read from an unmapped address
  if (in_dram && tree_at(hint))
    tree = (const uint32_t*)hint;
  else
    tree = tree_at(DRAM_BASE) ? (const uint32_t*)(uintptr_t)DRAM_BASE : NULL;
}

static uint64_t cells(const uint32_t* from, uint32_t count) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < count; ++i) value = value << 32 | big_endian(from[i]);
  return value;
}

static bool lists(const Node* node, const void* wanted) {
  for (uint32_t at = 0; node->compatible != NULL && at < node->compatible_bytes;) {
    if (strcmp(node->compatible + at, wanted) == 0) return true;
    at += (uint32_t)strlen(node->compatible + at) + 1;
  }
  return false;
}

typedef struct {
  const char* compatible;
  unsigned* before;  // how many nodes that list it are to be passed over
} Instance;

static bool is_instance(const Node* node, const void* wanted) {
  const Instance* const instance = wanted;
  return lists(node, instance->compatible) && (*instance->before)-- == 0;
}

static bool is_type(const Node* node, const void* wanted) {
  return node->device_type != NULL && strcmp(node->device_type, wanted) == 0;
}

static bool names_auxiliary_cores(const Node* node, const void* wanted) {
  (void)wanted;
  return node->auxiliary_cores != NULL;
}

// The affinity of a core node: the last cell of its reg.
static uint32_t affinity_of(const Node* node) { return big_endian(node->reg[node->reg_bytes / 4 - 1]); }

// `wanted` points to the affinity of the core.
static bool is_core(const Node* node, const void* wanted) {
  return is_type(node, "cpu") && node->reg_bytes >= 4 && affinity_of(node) == *(const uint32_t*)wanted;
}

// The most frequent names are compared first.
static void take_property(Node* node, uint32_t* child_cells, const char* name, const uint32_t* value,
                          uint32_t bytes) {
  if (strcmp(name, "reg") == 0) {
    node->reg = value;
    node->reg_bytes = bytes;
  } else if (strcmp(name, "device_type") == 0) {
    node->device_type = (const char*)value;
  } else if (strcmp(name, "compatible") == 0) {
    node->compatible = (const char*)value;
    node->compatible_bytes = bytes;
  } else if (strcmp(name, "enable-method") == 0) {
    node->enable_method = (const char*)value;
  } else if (strcmp(name, "cpu-release-addr") == 0) {
    node->release_address = value;
    node->release_address_bytes = bytes;
  } else if (strcmp(name, "interrupts") == 0) {
    node->interrupts = value;
    node->interrupts_bytes = bytes;
  } else if (strcmp(name, "clock-frequency") == 0) {
    node->clock_frequency = value;
  } else if (strcmp(name, "#address-cells") == 0) {
    child_cells[0] = big_endian(*value);
  } else if (strcmp(name, "#size-cells") == 0) {
    child_cells[1] = big_endian(*value);
  } else if (strcmp(name, "asterism,auxiliary-cores") == 0) {
    node->auxiliary_cores = value;
    node->auxiliary_cores_bytes = bytes;
  }
}

// The number of an interrupt of three cells: type, number within the type, flags.
static uint32_t interrupt_of(const uint32_t* interrupt) {
  const bool private = big_endian(interrupt[0]) == 1;
  return big_endian(interrupt[1]) + (private ? 16 : 32);
}

static void describe(const Node* node, Device* device) {
  const uint32_t* const parent_cells = node->parent_cells;
  *device = (Device){0};
  if (node->reg != NULL && node->reg_bytes >= (parent_cells[0] + parent_cells[1]) * 4) {
    device->base = cells(node->reg, parent_cells[0]);
    device->size = cells(node->reg + parent_cells[0], parent_cells[1]);
    const uint32_t entry_cells = parent_cells[0] + parent_cells[1];
    if (node->reg_bytes >= entry_cells * 8)
      device->second_base = cells(node->reg + entry_cells, parent_cells[0]);
  }
  if (node->interrupts_bytes >= 12) device->interrupt = interrupt_of(node->interrupts);
  if (node->interrupts_bytes >= 24) device->second_interrupt = interrupt_of(node->interrupts + 3);
  if (node->clock_frequency != NULL) device->clock_frequency = big_endian(*node->clock_frequency);
}

// The properties of a node precede its children: it is complete at the next begin or end token.
static bool find(Matches matches, const void* wanted, Node* found) {
  if (tree == NULL) return false;
  const uint32_t* at = tree + big_endian(tree[2]) / 4;
  const uint32_t* const end = tree + big_endian(tree[1]) / 4;
  const char* const names = (const char*)tree + big_endian(tree[3]);
  uint32_t child_cells[depth_limit]
                      [2];  // cell counts of the open node at each depth, for the reg of its children
  int depth = -1;
  Node node = {0};
  while (at < end) {
    const uint32_t token = big_endian(*at++);
    if (token == token_begin || token == token_end) {
      if (depth > 0 && matches(&node, wanted)) {
        *found = node;
        memcpy(found->parent_cells, child_cells[depth - 1], sizeof found->parent_cells);
        return true;
      }
      node = (Node){0};
    }
    if (token == token_begin) {
      if (++depth == depth_limit) return false;
      child_cells[depth][0] = 2;
      child_cells[depth][1] = 1;
      at += strlen((const char*)at) / 4 + 1;
      node.properties = at;
    } else if (token == token_end) {
      --depth;
    } else if (token == token_property) {
      const uint32_t bytes = big_endian(at[0]);
      take_property(&node, child_cells[depth], names + big_endian(at[1]), at + 2, bytes);
      at += 2 + (bytes + 3) / 4;
    } else if (token != token_nop) {
      return false;
    }
  }
  return false;
}

static bool find_device(Matches matches, const void* wanted, Device* device) {
  Node node;
  const bool found = find(matches, wanted, &node);
  if (found) describe(&node, device);
  return found;
}

bool device_tree_find(const char* compatible, Device* device) {
  return find_device(lists, compatible, device);
}
bool device_tree_find_instance(const char* compatible, unsigned instance, Device* device) {
  const Instance wanted = {compatible, &instance};
  return find_device(is_instance, &wanted, device);
}
bool device_tree_memory(Device* memory) { return find_device(is_type, "memory", memory); }

// The value of a property that take_property() does not know; NULL if the node does not have it.
static const uint32_t* value_of(const Node* node, const char* name) {
  const char* const names = (const char*)tree + big_endian(tree[3]);
  for (const uint32_t* at = node->properties;
       big_endian(*at) == token_property || big_endian(*at) == token_nop;) {
    if (big_endian(*at++) == token_nop) continue;
    if (strcmp(names + big_endian(at[1]), name) == 0) return at + 2;
    at += 2 + (big_endian(at[0]) + 3) / 4;
  }
  return NULL;
}

bool device_tree_memory_of(const char* compatible, unsigned instance, Device* memory) {
  const Instance wanted = {compatible, &instance};
  Node node;
  if (!find(is_instance, &wanted, &node)) return false;
  const uint32_t* const range = value_of(&node, "asterism,memory");
  if (range == NULL) return device_tree_memory(memory);
  *memory = (Device){.base = cells(range, 2), .size = cells(range + 2, 2)};
  return true;
}

bool device_tree_range(const char* compatible, unsigned entry, uint64_t* base, uint64_t* size) {
  Node node;
  if (!find(lists, compatible, &node) || node.reg == NULL) return false;
  const uint32_t words = node.parent_cells[0] + node.parent_cells[1];
  if (node.reg_bytes < (entry + 1) * words * 4) return false;
  *base = cells(node.reg + entry * words, node.parent_cells[0]);
  *size = cells(node.reg + entry * words + node.parent_cells[0], node.parent_cells[1]);
  return true;
}

uint32_t device_tree_auxiliary_cores(uint32_t* first) {
  Node node;
  if (!find(names_auxiliary_cores, NULL, &node) || node.auxiliary_cores_bytes < 4) return 0;
  *first = big_endian(node.auxiliary_cores[0]);
  return node.auxiliary_cores_bytes / 4;
}

static bool has_release_address(const Node* node) {
  return node->enable_method != NULL && strcmp(node->enable_method, "spin-table") == 0 &&
         node->release_address_bytes == 8;
}

bool device_tree_release_address(uint32_t affinity, uint64_t* address) {
  Node node;
  if (!find(is_core, &affinity, &node) || !has_release_address(&node)) return false;
  *address = cells(node.release_address, 2);
  return true;
}

// Matches no node, so that all nodes are visited.
static bool visit_core(const Node* node, const void* visit) {
  if (is_type(node, "cpu") && node->reg_bytes >= 4 && has_release_address(node))
    (*(const ReleaseAddressVisitor*)visit)(affinity_of(node), cells(node->release_address, 2));
  return false;
}

void device_tree_release_addresses(ReleaseAddressVisitor visit) {
  Node none;
  find(visit_core, &visit, &none);
}
