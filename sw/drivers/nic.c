#include "drivers/nic.h"

#include "asterism/platform.h"
#include "boot/interrupts.h"
#include "boot/memory.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

static const char compatible[] = "asterism,nic";

enum {
  queues = 2,
  slot_bytes = 8192,
  slot_header = 16,
  ring_stride = NIC_SEND1_BASE_LOW - NIC_SEND0_BASE_LOW,
};

typedef struct {
  uint64_t address;
  uint32_t bytes;
  uint32_t node;
} Descriptor;

typedef struct {
  volatile Descriptor* descriptors;
  uint8_t* buffers;
  uint32_t head, tail;
  uint64_t given, sent;
} SendRing;

typedef struct {
  Device device;
  SendRing send_rings[queues];
  uint8_t* slots;
  uint32_t send_entries, receive_entries, send_limit, receive_limit;
  uint32_t receive_tail;
} State;

static State nic;  // of the selected device
static State unselected[nic_limit];
static unsigned selected;
static volatile bool happened;  // to any of them

static uint32_t read_register(uint32_t offset) { return mmio_read(nic.device.base + offset); }
static void write_register(uint32_t offset, uint32_t value) { mmio_write(nic.device.base + offset, value); }
static uint32_t of_ring(NicQueue queue, uint32_t offset) { return offset + (uint32_t)queue * ring_stride; }

const char* nic_error_text(NicError error) {
  static const char* const texts[] = {"ok", "bad descriptor", "bad ring", "no memory"};
  return (unsigned)error < sizeof texts / sizeof *texts ? texts[error] : "unknown error";
}

static void collect(void) {
  write_register(NIC_INTERRUPT_STATUS, read_register(NIC_INTERRUPT_STATUS));
  happened = true;
}

// Of all NICs, as soon as a second one is selected.
static InterruptHandler handler = collect;

bool nic_probe(void) {
  if (!device_tree_find_instance(compatible, selected, &nic.device)) return false;
  gic_enable(nic.device.interrupt, handler);
  write_register(NIC_INTERRUPT_ENABLE, NIC_INTERRUPT_ENABLE_RECEIVED_MASK |
                                           NIC_INTERRUPT_ENABLE_MEMBERSHIP_MASK |
                                           NIC_INTERRUPT_ENABLE_SENT_MASK | NIC_INTERRUPT_ENABLE_ERROR_MASK);
  interrupts_unmask();
  return true;
}

static bool is_size(uint32_t entries) {
  return entries >= 2 && entries <= nic_entries_limit && (entries & (entries - 1)) == 0;
}

// Memory cannot be freed; therefore it is allocated only once.
static bool take_memory(uint32_t to_send, uint32_t to_receive) {
  if (nic.slots != NULL) return to_send <= nic.send_limit && to_receive <= nic.receive_limit;
  for (unsigned queue = 0; queue < queues; ++queue) {
    SendRing* const ring = &nic.send_rings[queue];
    ring->descriptors = memory_allocate(to_send * sizeof(Descriptor));
    ring->buffers = memory_allocate((size_t)to_send * nic_frame_limit);
    if (ring->descriptors == NULL || ring->buffers == NULL) return false;
  }
  nic.slots = memory_allocate((size_t)to_receive * slot_bytes);
  nic.send_limit = to_send;
  nic.receive_limit = to_receive;
  return nic.slots != NULL;
}

static void open_ring(uint32_t base_low, const volatile void* memory, uint32_t entries) {
  const uint64_t address = (uintptr_t)memory;
  write_register(base_low, (uint32_t)address);
  write_register(base_low + (NIC_SEND0_BASE_HIGH - NIC_SEND0_BASE_LOW), (uint32_t)(address >> 32));
  write_register(base_low + (NIC_SEND0_ENTRIES - NIC_SEND0_BASE_LOW), entries);
}

bool nic_open(uint32_t to_send, uint32_t to_receive) {
  if (!is_size(to_send) || !is_size(to_receive) || !take_memory(to_send, to_receive)) return false;
  nic.send_entries = to_send;
  nic.receive_entries = to_receive;
  for (unsigned queue = 0; queue < queues; ++queue) {
    SendRing* const ring = &nic.send_rings[queue];
    ring->head = ring->tail = 0;
    ring->given = ring->sent = 0;
    open_ring(of_ring((NicQueue)queue, NIC_SEND0_BASE_LOW), ring->descriptors, nic.send_entries);
  }
  nic.receive_tail = 0;
  open_ring(NIC_RECEIVE_BASE_LOW, nic.slots, nic.receive_entries);
  return true;
}

NicError nic_error(void) {
  return (NicError)((read_register(NIC_STATUS) & NIC_STATUS_ERROR_MASK) >> NIC_STATUS_ERROR_SHIFT);
}

// ---- sending ----

static SendRing* updated(NicQueue queue) {
  SendRing* const ring = &nic.send_rings[queue];
  const uint32_t tail = read_register(of_ring(queue, NIC_SEND0_TAIL));
  ring->sent += (tail - ring->tail) & (nic.send_entries - 1);
  ring->tail = tail;
  return ring;
}

uint32_t nic_free_entries(NicQueue queue) {
  const SendRing* const ring = updated(queue);
  return (ring->tail - ring->head - 1) & (nic.send_entries - 1);
}

void nic_send(NicQueue queue, uint32_t node, const void* data, uint32_t bytes) {
  SendRing* const ring = &nic.send_rings[queue];
  volatile Descriptor* const descriptor = &ring->descriptors[ring->head];
  descriptor->address = (uintptr_t)data;
  descriptor->bytes = bytes;
  descriptor->node = node;
  ring->head = (ring->head + 1) & (nic.send_entries - 1);
  ++ring->given;
  data_synchronization_barrier();  // data and descriptor must be in memory before the NIC reads them
  write_register(of_ring(queue, NIC_SEND0_HEAD), ring->head);
}

void* nic_buffer(NicQueue queue) {
  const SendRing* const ring = &nic.send_rings[queue];
  return ring->buffers + (size_t)ring->head * nic_frame_limit;
}

void nic_send_buffer(NicQueue queue, uint32_t node, uint32_t bytes) {
  nic_send(queue, node, nic_buffer(queue), bytes);
}

uint64_t nic_given(NicQueue queue) { return nic.send_rings[queue].given; }
uint64_t nic_sent(NicQueue queue) { return updated(queue)->sent; }

// ---- receiving ----

bool nic_receive(NicFrame* frame) {
  if (read_register(NIC_RECEIVE_HEAD) == nic.receive_tail) return false;
  data_synchronization_barrier();
  const uint8_t* const slot = nic.slots + (size_t)nic.receive_tail * slot_bytes;
  const volatile uint32_t* const header = (const volatile uint32_t*)slot;
  frame->source = header[0];
  frame->bytes = header[1];
  frame->data = slot + slot_header;
  return true;
}

void nic_release(void) {
  nic.receive_tail = (nic.receive_tail + 1) & (nic.receive_entries - 1);
  data_synchronization_barrier();  // the slot must have been read before the NIC fills it again
  write_register(NIC_RECEIVE_TAIL, nic.receive_tail);
}

// ---- waiting ----

void nic_begin_poll(void) { happened = false; }
void nic_sleep(void) { sleep_until(&happened); }
bool nic_has_happened(void) { return happened; }

void nic_sleep_unless(bool (*ready)(void)) {
  for (;;) {
    interrupts_mask();
    if (happened || ready()) break;
    wait_for_interrupt();
    interrupts_unmask();  // the handlers run here
  }
  interrupts_unmask();
}

// ---- the cluster ----

uint32_t nic_node(void) { return read_register(NIC_NODE); }
uint32_t nic_nodes(void) { return read_register(NIC_NODES); }
uint32_t nic_epoch(void) { return read_register(NIC_EPOCH); }
uint32_t nic_rank(void) { return read_register(NIC_RANK); }
uint32_t nic_ranks(void) { return read_register(NIC_RANKS); }
uint32_t nic_storage_node(void) { return read_register(NIC_STORAGE_NODE); }

uint32_t nic_node_of(uint32_t rank) {
  write_register(NIC_RANK_SELECT, rank);
  return read_register(NIC_RANK_NODE);
}

void nic_set_tickets(uint32_t application, uint32_t checkpoint) {
  write_register(NIC_APPLICATION_TICKETS, application);
  write_register(NIC_CHECKPOINT_TICKETS, checkpoint);
}

static void set_result(uint64_t result) {
  write_register(NIC_RESULT_LOW, (uint32_t)result);
  write_register(NIC_RESULT_HIGH, (uint32_t)(result >> 32));
}

static void report(uint32_t what, uint64_t result) {
  set_result(result);
  write_register(NIC_REPORT, what << NIC_REPORT_WHAT_SHIFT);
}

void nic_mark(uint32_t what, uint64_t number) {
  set_result(number);
  write_register(NIC_MARK, what << NIC_MARK_WHAT_SHIFT);
}

void nic_report_finished(uint64_t result) { report(NIC_REPORT_WHAT_FINISHED, result); }
void nic_report_not_recoverable(uint64_t ranks) { report(NIC_REPORT_WHAT_NOT_RECOVERABLE, ranks); }
bool nic_run_has_ended(void) { return (read_register(NIC_RUN) & NIC_RUN_STATE_MASK) != 0; }

// ---- several NICs ----

// With interrupts masked.
static void exchange(unsigned instance) {
  unselected[selected] = nic;
  nic = unselected[instance];
  selected = instance;
}

static void collect_all(void) {
  const unsigned before = selected;
  for (unsigned instance = 0; instance < nic_limit; ++instance) {
    exchange(instance);
    if (nic.device.base != 0) collect();
  }
  exchange(before);
}

bool nic_select(unsigned instance) {
  Device found;
  if (instance >= nic_limit || !device_tree_find_instance(compatible, instance, &found)) return false;
  if (nic.device.base != 0) gic_enable(nic.device.interrupt, collect_all);
  handler = collect_all;
  interrupts_mask();
  exchange(instance);
  interrupts_unmask();
  return true;
}
