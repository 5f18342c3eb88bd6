#include "apps/pcram/neighbour.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "apps/result/result.h"
#include "boot/memory.h"
#include "drivers/generic_timer.h"
#include "drivers/nic.h"
#include "drivers/pcram.h"

typedef unsigned long long Printable;

// While a batch is read from PCRAM, it takes most of the bandwidth of memory, and the NIC waits for its
// pages. With a short batch this wait passes while the link still sends earlier pages; with 32 pages the link
// is idle for a tenth of the time.
enum { ring_entries = 128, batch = 4, page_words = page_bytes / 8 };

typedef enum { message_ready = 1, message_kept, message_send_back } MessageKind;
typedef struct {
  uint64_t kind, pages;
} Message;  // shorter than a page, which is sent without a header

// Rank 0 stores the pages in the first half of its modules or layers, rank 1 in the second one.
static uint32_t place_of(const uint64_t* memory, uint32_t page, uint32_t pages, uint32_t rank) {
  if (pcram_layer_pages() != 0) return pcram_place_of(memory + (size_t)page * page_words, rank);
  return rank * pages + page;
}

static bool failed(const char* what) {
  printf("pcram_dump: %s\n", what);
  return false;
}

static bool goes_on(void) { return nic_error() == nic_ok && !nic_run_has_ended(); }

static bool wait_for_frame(NicFrame* frame) {
  for (;;) {
    nic_begin_poll();
    if (nic_receive(frame)) return true;
    if (!goes_on()) return failed("the cluster has ended");
    nic_sleep();
  }
}

static bool await_message(MessageKind kind) {
  NicFrame frame;
  Message message = {0};
  if (!wait_for_frame(&frame)) return false;
  if (frame.bytes == sizeof message) memcpy(&message, frame.data, sizeof message);
  nic_release();
  return message.kind == kind || failed("an unexpected frame has come");
}

static void send_message(uint32_t node, MessageKind kind, uint64_t pages) {
  const Message message = {kind, pages};
  memcpy(nic_buffer(nic_checkpoint), &message, sizeof message);
  nic_send_buffer(nic_checkpoint, node, sizeof message);
}

// Waits until all but `left` of the queued frames have been read from memory.
static bool await_sent(uint64_t left) {
  for (;;) {
    nic_begin_poll();
    if (nic_given(nic_checkpoint) - nic_sent(nic_checkpoint) <= left) return true;
    if (!goes_on()) return failed("the cluster has ended");
    nic_sleep();
  }
}

// Copies 64 bytes at a time: the loop of memcpy would be slower than the link.
static void copy_page(uint64_t* to, const uint8_t* from) {
  const uint64_t* const words = (const uint64_t*)(const void*)from;
  for (uint32_t i = 0; i < page_words; i += 8) {
    const uint64_t a = words[i], b = words[i + 1], c = words[i + 2], d = words[i + 3], e = words[i + 4],
                   f = words[i + 5], g = words[i + 6], h = words[i + 7];
    to[i] = a, to[i + 1] = b, to[i + 2] = c, to[i + 3] = d;
    to[i + 4] = e, to[i + 5] = f, to[i + 6] = g, to[i + 7] = h;
  }
}

// Sends pages from this rank's PCRAM to the other rank's memory. While the frames of a batch are sent, the
// next batch is read. In a stack a page returns to its own address.
static bool send_all(uint64_t* memory, uint32_t pages, uint32_t rank, uint32_t node) {
  static uint64_t buffers[2][batch * page_words] __attribute__((aligned(page_bytes)));
  const bool is_stack = pcram_layer_pages() != 0;
  for (uint32_t first = 0, batches = 0; first < pages; first += batch, ++batches) {
    const uint32_t count = pages - first < batch ? pages - first : batch;
    uint64_t* const from = is_stack ? memory + (size_t)first * page_words : buffers[batches % 2];
    if (!await_sent(batch)) return false;  // then only the previous batch is being sent
    if (pcram_load(from, count, place_of(memory, first, pages, rank)) != pcram_ok)
      return failed("PCRAM cannot be read");
    for (uint32_t i = 0; i < count; ++i)
      nic_send(nic_checkpoint, node, from + (size_t)i * page_words, page_bytes);
  }
  return await_sent(0);
}

static bool end_save(bool* saving) {
  const bool saved = !*saving || pcram_wait() == pcram_ok;
  *saving = false;
  return saved || failed("PCRAM cannot be written");
}

// Receives pages into memory, and saves them batch by batch to PCRAM if `kept`: while one is saved, the next
// is taken from the NIC.
static bool receive_all(uint64_t* memory, uint32_t pages, uint32_t rank, bool kept) {
  bool saving = false;
  for (uint32_t page = 0; page < pages; ++page) {
    NicFrame frame;
    if (!wait_for_frame(&frame)) return false;
    if (frame.bytes != page_bytes) return failed("an unexpected frame has come");
    copy_page(memory + (size_t)page * page_words, frame.data);
    nic_release();
    const uint32_t gathered = page % batch + 1;
    if (!kept || (gathered < batch && page + 1 < pages)) continue;
    const uint32_t first = page + 1 - gathered;
    if (!end_save(&saving)) return false;
    saving = pcram_start_save(memory + (size_t)first * page_words, gathered,
                              place_of(memory, first, pages, rank), false);
    if (!saving) return failed("PCRAM is busy");
  }
  return end_save(&saving);
}

static uint64_t nanoseconds(uint64_t ticks) {
  return (uint64_t)((double)ticks * 1e9 / (double)generic_timer_frequency());
}

static void print(const char* what, uint32_t pages, uint64_t ticks) {
  const double ns = (double)nanoseconds(ticks);
  printf("pcram_dump: %-10s %6u pages %9.1f us %8.2f GB/s\n", what, (unsigned)pages, ns / 1e3,
         (double)pages * page_bytes / ns);
}

static uint64_t sum_of(const uint64_t* words, uint32_t pages) {
  uint64_t sum = 0;
  for (size_t i = 0; i < (size_t)pages * page_words; ++i) sum = (sum ^ words[i]) * 0x9e3779b97f4a7c15u;
  return sum;
}

static bool report(uint32_t pages, const uint64_t ticks[3]) {
  static const char* const ways[] = {"local", "neighbour", "back"};
  char text[200];
  int length = snprintf(text, sizeof text, "bytes %llu\n", (Printable)pages * page_bytes);
  for (int i = 0; i < 3; ++i) {
    print(ways[i], pages, ticks[i]);
    length += snprintf(text + length, sizeof text - (size_t)length, "%s_ns %llu\n", ways[i],
                       (Printable)nanoseconds(ticks[i]));
  }
  return result_write(text) || failed("result.txt cannot be written");
}

static bool be_first(uint64_t* memory, uint32_t pages) {
  const uint32_t node = nic_node_of(1);
  const uint64_t sum = sum_of(memory, pages);
  uint64_t at[3];
  if (!await_message(message_ready)) return false;
  at[0] = generic_timer_now();
  if (pcram_save(memory, pages, place_of(memory, 0, pages, 0), false) != pcram_ok)
    return failed("PCRAM cannot be written");
  at[1] = generic_timer_now();
  if (!send_all(memory, pages, 0, node) || !await_message(message_kept)) return false;
  at[2] = generic_timer_now();
  memset(memory, 0, (size_t)pages * page_bytes);
  if (!await_message(message_ready)) return false;
  const uint64_t start = generic_timer_now();
  send_message(node, message_send_back, pages);
  if (!receive_all(memory, pages, 0, false)) return false;
  const uint64_t ticks[] = {at[1] - at[0], at[2] - at[1], generic_timer_now() - start};
  const bool same = sum_of(memory, pages) == sum;
  printf("pcram_dump: the pages read back are %s\n", same ? "correct" : "WRONG");
  nic_report_finished(sum_of(memory, pages));
  return report(pages, ticks) && same;
}

static bool be_neighbour(uint64_t* memory, uint32_t pages) {
  const uint32_t node = nic_node_of(0);
  memset(memory, 0, (size_t)pages * page_bytes);
  send_message(node, message_ready, pages);
  if (!receive_all(memory, pages, 1, true)) return false;
  send_message(node, message_kept, pages);
  const uint64_t sum = sum_of(memory, pages);
  memset(memory, 0, (size_t)pages * page_bytes);  // the contents must come from PCRAM
  send_message(node, message_ready, pages);
  if (!await_message(message_send_back) || !send_all(memory, pages, 1, node)) return false;
  nic_report_finished(sum);
  return true;
}

ExitStatus neighbour_dump(uint64_t* first, uint32_t pages) {
  if (!nic_probe() || nic_ranks() != 2 || nic_rank() > 1) {
    printf("pcram_dump: to=neighbour needs a cluster of two ranks\n");
    return exit_unavailable;
  }
  const bool fits =
      pcram_layer_pages() != 0 ? pcram_pages() >= 2 * pcram_layer_pages() : pcram_pages() >= 2 * pages;
  if (!fits || !nic_open(ring_entries, ring_entries)) {
    printf("pcram_dump: %u pages do not fit\n", (unsigned)pages);
    return exit_unavailable;
  }
  const bool right = nic_rank() == 0 ? be_first(first, pages) : be_neighbour(first, pages);
  while (right && goes_on()) {
    nic_begin_poll();
    if (goes_on()) nic_sleep();
  }
  return right ? exit_passed : exit_failed;
}
