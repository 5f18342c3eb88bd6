// A store that consists of space lent by the nodes of a cluster (li2010 section IV-A): rank 0 is the manager,
// the next `clients` ranks write checkpoints and read them back, and all others are benefactors, which lend a
// part of their DIMM-SSDs. A node without a rank waits as a spare until it gets one: as a benefactor it
// starts without files, as a client it resumes from the newest checkpoint that the other nodes hold.
//
//   benefactors [clients=1] [chunks=64] [versions=4] [copies=2] [width=3] [lend=256] [client_lends=0]
//               [heartbeat_us=100] [silence_us=350] [timeout_us=500] [retry_limit_us=20000] [pause_us=0]
//               [seed=1] [constant=0]
//               [chain=PLUG-INS] [buffers=8]
//
// chunks: the size of a client's state in chunks of 4 KiB; a step changes all but the first `constant` ones.
// versions: number of steps; after each the state is written to the benefactors, read back and compared.
// copies, width: the striping. lend: chunks that each benefactor lends.
// client_lends: chunks that each client lends, which is then a benefactor, too: the manager places chunks
//   first at their client's own node.
// heartbeat_us: the interval of a benefactor's announcements. silence_us: the time after which the manager
//   forgets one. timeout_us: the time after which a client counts a node as lost. retry_limit_us: how long a
//   client tries to store a version. pause_us: the time between writing a version and reading it back.
//
// With chain= clients only call the checkpoint library, once for each version, and continue: a chain of
// plug-ins (auxiliary/chain.h) on their auxiliary cores stores it, also at benefactors if the chain says so:
// chain=benefactors, or chain=dedup,pcram,drain_benefactors. At the end they read the newest version back,
// from each place in which the chain keeps it; these clients lend nothing.
//
// The exit status is 0 when the run of all ranks has ended. Otherwise: 1 a state was read back wrong, a
// version could not be stored, or the NIC has stopped; 2 a wrong argument; 3 no NIC, no cluster, too few
// ranks, no DIMM-SSD or too little memory. result.txt holds a client's digest.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/benefactors/link.h"
#include "apps/result/result.h"
#include "auxiliary/benefactor.h"
#include "auxiliary/benefactor_image.h"
#include "auxiliary/checkpoint_chain.h"
#include "auxiliary/chunk_hash.h"
#include "auxiliary/chunk_store.h"
#include "auxiliary/drain.h"
#include "auxiliary/storage_client.h"
#include "auxiliary/storage_service.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "drivers/generic_timer.h"
#include "drivers/nic.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

static struct {
  uint64_t clients, chunks, versions, copies, width, lend, client_lends;
  uint64_t heartbeat_us, silence_us, timeout_us, retry_limit_us, pause_us, seed, constant, buffers;
  const char* chain;
} options = {.clients = 1,
             .chunks = 64,
             .versions = 4,
             .copies = 2,
             .width = 3,
             .lend = 256,
             .heartbeat_us = 100,
             .silence_us = 350,
             .timeout_us = 500,
             .retry_limit_us = 20000,
             .seed = 1,
             .buffers = 8};
static Chain chain;

static bool chain_is_right(void) {
  char error[160];
  if (options.chain == NULL) return true;
  bool right = chain_parse(options.chain, &chain, error, sizeof error);
  if (right && options.client_lends != 0) {
    snprintf(error, sizeof error, "clients with a chain do not lend: client_lends=0");
    right = false;
  }
  if (!right) printf("benefactors: argument 'chain=%s' is wrong: %s\n", options.chain, error);
  return right;
}

static bool read_options(int argc, char** argv) {
  enum { longest = 1000000000 };
  const Argument table[] = {
      {"clients", argument_number, &options.clients, 1, benefactor_client_limit,
       "ranks that are clients, from 1 on"},
      {"chunks", argument_number, &options.chunks, 1, checkpoint_chunk_limit, "size of a client's state"},
      {"versions", argument_number, &options.versions, 1, 1000000, "versions that each client writes"},
      {"copies", argument_number, &options.copies, 1, copy_limit, "copies of each chunk"},
      {"width", argument_number, &options.width, 1, benefactor_limit, "benefactors in a stripe"},
      {"lend", argument_number, &options.lend, 1, checkpoint_chunk_limit,
       "chunks that each benefactor lends"},
      {"client_lends", argument_number, &options.client_lends, 0, checkpoint_chunk_limit,
       "chunks of each client"},
      {"heartbeat_us", argument_number, &options.heartbeat_us, 1, longest, "time between announcements"},
      {"silence_us", argument_number, &options.silence_us, 1, longest,
       "after which a benefactor is forgotten"},
      {"timeout_us", argument_number, &options.timeout_us, 1, longest,
       "time after which a node counts as lost"},
      {"retry_limit_us", argument_number, &options.retry_limit_us, 0, longest,
       "time limit to store a version"},
      {"pause_us", argument_number, &options.pause_us, 0, longest, "time between writing and reading"},
      {"seed", argument_number, &options.seed, 0, UINT64_MAX, "seed of the initial state"},
      {"constant", argument_number, &options.constant, 0, checkpoint_chunk_limit,
       "chunks that steps leave as they are"},
      {"chain", argument_text, &options.chain, 1, 100, "plug-ins behind the checkpoint library"},
      {"buffers", argument_number, &options.buffers, 1, buffer_limit, "blocks in progress in the chain"},
  };
  return arguments_read(argc, argv, table, sizeof table / sizeof *table) && chain_is_right();
}

static StorageManager manager;
static StorageService service = {.manager = &manager};
static StorageClient client;

// ---- for every role ----

typedef enum { role_spare, role_manager, role_client, role_benefactor } Role;

static Role role;
static bool lends;  // whether this node is a benefactor, alone or in addition to a client
static uint32_t rank;
static uint64_t next_heartbeat, alarm_at;

static uint64_t now(void* context) {
  (void)context;
  return generic_timer_now();
}

static void handle_message(uint32_t node, const StorageMessage* message, const uint8_t* data, size_t bytes) {
  if (role == role_manager)
    service_handle_message(&service, node, message, data, bytes, generic_timer_now());
  else if (role == role_client)
    client_handle_message(&client, node, message, data, bytes);
  if (lends) benefactor_handle_message(node, message, data, bytes);
}

static void announce_when_due(void) {
  const uint64_t at = generic_timer_now();
  if (at < next_heartbeat) return;
  next_heartbeat = at + generic_timer_ticks(options.heartbeat_us);
  const uint32_t node = nic_node_of(0);
  if (node != NIC_NONE) benefactor_announce(node);
}

static bool is_ready(void) {
  return generic_timer_now() >= alarm_at || (lends && benefactor_device_has_ended()) || auxiliary_has_block();
}

static void sleep_until_something(uint64_t until) {
  alarm_at = lends && next_heartbeat < until ? next_heartbeat : until;
  if (alarm_at != UINT64_MAX) generic_timer_alarm(alarm_at, NULL);
  nic_sleep_unless(is_ready);
}

// Returns false when the run has ended, when this node has lost the rank, or when the NIC has stopped.
static bool goes_on(void) { return !nic_run_has_ended() && nic_rank() == rank && nic_error() == nic_ok; }

// Waits until a message has arrived, something was done, or the time is `until`.
static bool poll(void* context, uint64_t until) {
  (void)context;
  for (;;) {
    nic_begin_poll();
    if (!goes_on()) return false;
    if (lends) announce_when_due();
    bool moved = link_receive(handle_message);
    if (lends) moved = benefactor_progress() || moved;
    moved = auxiliary_process_block() || moved;  // if this is the draining core of a client
    if (moved || generic_timer_now() >= until) return true;
    sleep_until_something(until);
  }
}

static bool rest(uint64_t microseconds) {
  const uint64_t until = generic_timer_now() + generic_timer_ticks(microseconds);
  while (generic_timer_now() < until)
    if (!poll(NULL, until)) return false;
  return true;
}

static void serve(void) {
  while (poll(NULL, UINT64_MAX)) continue;
}

// ---- manager and benefactors ----

static void be_manager(void) {
  manager_initialize(&manager, generic_timer_ticks(options.silence_us));
  service.link = nic_link;
  nic_report_finished(0);
  printf("benefactors: node %u is the manager\n", (unsigned)nic_node());
  serve();
  printf("benefactors: manager: %u benefactors known at the end, with space for %llu chunks\n",
         manager_known(&manager, generic_timer_now()),
         (Printable)manager_free(&manager, generic_timer_now()));
}

static bool begin_lending(uint64_t chunks) {
  const char* const missing = benefactor_prepare(&nic_link, (uint32_t)chunks, (unsigned)options.clients);
  lends = missing == NULL;
  if (lends)
    printf("benefactors: node %u lends %llu chunks\n", (unsigned)nic_node(), (Printable)chunks);
  else
    printf("benefactors: %s\n", missing);
  return lends;
}

static void print_lent(void) {
  const BenefactorCounts counts = benefactor_counts();
  printf(
      "benefactors: benefactor: %llu chunks stored, %llu fetched, %llu refused\n"
      "benefactors: files: %llu written, %llu read, %llu forgotten, %llu commands failed\n",
      (Printable)counts.stored, (Printable)counts.fetched, (Printable)counts.refused,
      (Printable)counts.written, (Printable)counts.read, (Printable)counts.forgotten,
      (Printable)counts.failed);
}

static ExitStatus be_benefactor(void) {
  if (!begin_lending(options.lend)) return exit_unavailable;
  nic_report_finished(0);
  serve();
  print_lent();
  return exit_passed;
}

// ---- clients ----

static uint64_t *state, *other;
static struct { uint64_t write_ticks, read_ticks, written, read, attempts; } totals;

static size_t state_bytes(void) { return (size_t)options.chunks * chunk_bytes; }

// Messages are handled between chunks, so that a client that lends does not become silent while it computes.
static uint64_t* next_chunk(uint64_t* of, uint64_t chunk) {
  if (lends) poll(NULL, 0);
  return of + chunk * chunk_words;
}

static void begin(uint64_t* of) {
  const uint64_t first = options.seed * 0x9e3779b97f4a7c15u + client.number;
  for (uint64_t chunk = 0; chunk < options.chunks; ++chunk) {
    uint64_t* const word = next_chunk(of, chunk);
    for (uint64_t i = 0; i < chunk_words; ++i)
      word[i] = (chunk * chunk_words + i + first) * 0xd1342543de82ef95u;
  }
}

static void step(uint64_t* of, uint64_t version) {
  for (uint64_t chunk = 0; chunk < options.chunks; ++chunk) {
    uint64_t* const word = next_chunk(of, chunk);
    for (uint64_t i = 0; chunk >= options.constant && i < chunk_words; ++i)
      word[i] = ((word[i] << 13 | word[i] >> 51) ^ (version + chunk + i)) * 0x2545f4914f6cdd1du;
  }
}

static void clear(uint64_t* of) {
  for (uint64_t chunk = 0; chunk < options.chunks; ++chunk) memset(next_chunk(of, chunk), 0, chunk_bytes);
}

static bool both_are_equal(void) {
  for (uint64_t chunk = 0; chunk < options.chunks; ++chunk)
    if (memcmp(next_chunk(state, chunk), other + chunk * chunk_words, chunk_bytes) != 0) return false;
  return true;
}

static uint64_t digest_of(uint64_t* of) {
  static uint64_t hashes[checkpoint_chunk_limit];
  for (uint64_t chunk = 0; chunk < options.chunks; ++chunk)
    hashes[chunk] = chunk_hash(next_chunk(of, chunk), chunk_words);
  return chunk_hash(hashes, options.chunks);
}

static void print_status(const char* what, uint64_t version, StorageStatus status) {
  printf("benefactors: rank %u: %s version %llu: %s", (unsigned)rank, what, (Printable)version,
         storage_text(status));
  if (client.fault.node != NIC_NONE) printf(", node %u", (unsigned)client.fault.node);
  if (client.fault.chunk != NIC_NONE) printf(", chunk %u", (unsigned)client.fault.chunk);
  if (status == storage_no_space && client.fault.node == nic_node_of(0))
    printf(": %u benefactors with space for %u chunks", (unsigned)client.fault.benefactors,
           (unsigned)client.fault.space);
  printf("\n");
}

static uint32_t manager_node(void* context) {
  (void)context;
  return nic_node_of(0);
}

static StorageStatus read_back(uint64_t version, uint64_t* into) {
  const uint64_t start = generic_timer_now();
  const StorageStatus status = client_read(&client, version, into, (uint32_t)options.chunks);
  if (status != storage_ok) return status;
  totals.read_ticks += generic_timer_now() - start;
  totals.read += state_bytes();
  return storage_ok;
}

static StorageStatus write_out(uint64_t version) {
  const uint64_t start = generic_timer_now();
  const StorageStatus status = client_write(&client, version, state, (uint32_t)options.chunks);
  ++totals.attempts;
  if (status != storage_ok) return status;
  totals.write_ticks += generic_timer_now() - start;
  totals.written += state_bytes();
  return storage_ok;
}

typedef enum { kept, not_kept, gone } Kept;

// Writes the version, and repeats that until it can be read back, for at most `retry_limit_us`.
static Kept keep(uint64_t version) {
  const uint64_t deadline = generic_timer_now() + generic_timer_ticks(options.retry_limit_us);
  StorageStatus last_status = storage_ok;
  for (;;) {
    const char* what = "writing";
    StorageStatus status = write_out(version);
    if (status == storage_ok) {
      if (options.pause_us != 0 && !rest(options.pause_us)) return gone;
      what = "reading";
      clear(other);
      status = read_back(version, other);
    }
    if (status == storage_ok && both_are_equal()) return kept;
    if (status == storage_ok) {
      printf("benefactors: rank %u: version %llu was read back wrong\n", (unsigned)rank, (Printable)version);
      return not_kept;
    }
    if (status == storage_gone) return gone;
    if (status != last_status) print_status(what, version, status);
    last_status = status;
    if (client_remove(&client, version) == storage_gone) return gone;
    if (generic_timer_now() >= deadline) {
      printf("benefactors: rank %u: gives up version %llu\n", (unsigned)rank, (Printable)version);
      return not_kept;
    }
    if (!rest(options.timeout_us)) return gone;
  }
}

static void compute_again(uint64_t version) {
  begin(other);
  for (uint64_t i = 1; i <= version; ++i) step(other, i);
}

// Reports that a client without its memory has resumed: all its data come from other nodes.
static void report_recovery(void) {
  if (power_probe()) power_recovered(recovered_from_cluster);
}

// The version from which it resumes; 0 if no version is held.
static bool restore(uint64_t* version) {
  const uint64_t deadline = generic_timer_now() + generic_timer_ticks(options.retry_limit_us);
  begin(state);
  StorageStatus status;
  while ((status = client_newest(&client, UINT64_MAX, version)) == storage_silent &&
         generic_timer_now() < deadline)
    continue;
  if (status == storage_gone) return false;
  if (status != storage_ok) {
    *version = 0;
    return true;
  }
  for (const uint64_t newest = *version; *version > 0 && *version + 2 > newest; --*version) {
    status = read_back(*version, state);
    if (status == storage_gone) return false;
    if (status != storage_ok) {
      print_status("reading", *version, status);
      continue;
    }
    compute_again(*version);
    const bool same = both_are_equal();
    printf("benefactors: rank %u: resumes from version %llu of its neighbours, which is %s\n", (unsigned)rank,
           (Printable)*version, same ? "right" : "WRONG");
    report_recovery();
    return true;
  }
  *version = 0;
  begin(state);
  return true;
}

static double megabytes_a_second(uint64_t bytes, uint64_t ticks) {
  return ticks == 0 ? 0 : (double)bytes * (double)generic_timer_frequency() / (double)ticks / 1e6;
}

// Reports the result, and continues as long as the other ranks.
static ExitStatus report(uint64_t digest) {
  char text[40];
  snprintf(text, sizeof text, "digest 0x%016llx\n", (Printable)digest);
  if (!result_write(text)) return exit_failed;
  nic_report_finished(digest);
  serve();
  return exit_passed;
}

static ExitStatus finish(void) {
  compute_again(options.versions);
  const bool right = both_are_equal();
  const uint64_t digest = digest_of(state);
  printf("benefactors: rank %u: %llu versions, %llu writes, digest 0x%016llx, %s\n", (unsigned)rank,
         (Printable)options.versions, (Printable)totals.attempts, (Printable)digest,
         right ? "verified" : "WRONG");
  printf(
      "benefactors: rank %u: %llu chunks written, %.1f MB/s\n"
      "benefactors: rank %u: %llu read, %llu of them second copies, %.1f MB/s\n",
      (unsigned)rank, (Printable)client.counts.written,
      megabytes_a_second(totals.written, totals.write_ticks), (unsigned)rank, (Printable)client.counts.read,
      (Printable)client.counts.second_copies, megabytes_a_second(totals.read, totals.read_ticks));
  if (!right) return exit_failed;
  const ExitStatus status = report(digest);
  if (lends) print_lent();
  return status;
}

// ---- clients that only call the checkpoint library ----

static const char name[] = "state";
enum { record_words = 8 };  // pages in a block

static void take_link(void) { nic_probe(); }  // this core gets its interrupt

static const char* prepare_chain(void) {
  const BenefactorLink link = {.client = &client,
                               .take = take_link,
                               .retry_limit = generic_timer_ticks(options.retry_limit_us),
                               .pause = generic_timer_ticks(options.timeout_us)};
  benefactor_image_use(&link);
  checkpoint_initialize();  // whether a DIMM-SSD is needed depends on the chain
  const char* const missing = checkpoint_use_chain(&chain, (unsigned)options.buffers, record_words);
  if (missing != NULL) return missing;
  checkpoint_protect(0, state, state_bytes());
  return checkpoint_pages() <= checkpoint_chunk_limit - 1 ? NULL : "the state is too large for the chain";
}

static const char* place_of(AuxiliarySource source) {
  return chain.plug_ins[source == auxiliary_from_store ? chain.transforms : chain.count - 1]->name;
}

// Waits for a manager that has just started.
static void await_manager(void) {
  const uint64_t deadline = generic_timer_now() + generic_timer_ticks(options.retry_limit_us);
  uint64_t version;
  while (client_newest(&client, UINT64_MAX, &version) == storage_silent && generic_timer_now() < deadline)
    continue;
}

// The version from which it resumes; 0 if none can be read back.
static uint64_t restore_from_chain(void) {
  uint64_t version;
  begin(state);
  await_manager();
  for (uint64_t limit = checkpoint_any_version;
       checkpoint_find_newest(name, limit, &version) == checkpoint_ok && version != 0; limit = version - 1) {
    const CheckpointStatus status = checkpoint_restore(name, version);
    if (status != checkpoint_ok) {
      printf("benefactors: rank %u: version %llu: %s\n", (unsigned)rank, (Printable)version,
             checkpoint_text(status));
      continue;
    }
    compute_again(version);
    printf("benefactors: rank %u: resumes from version %llu of %s: %s\n", (unsigned)rank, (Printable)version,
           place_of(checkpoint_chain_source()), both_are_equal() ? "right" : "WRONG");
    report_recovery();
    return version;
  }
  begin(state);
  return 0;
}

// Reads the newest version from one place only; it must be `other`.
static bool comes_back_from(AuxiliarySource source) {
  uint64_t version = 0;
  clear(state);
  checkpoint_chain_ask(source);
  const bool right = checkpoint_find_newest(name, checkpoint_any_version, &version) == checkpoint_ok &&
                     version == options.versions && checkpoint_restore(name, version) == checkpoint_ok &&
                     both_are_equal();
  printf("benefactors: rank %u: version %llu from %s is %s\n", (unsigned)rank, (Printable)version,
         place_of(source), right ? "right" : "WRONG");
  return right;
}

static void print_chain_counts(uint64_t stalled_ticks) {
  const AuxiliaryCounts counts = auxiliary_counts();
  const ChunkStoreCounts chunks = chunk_store_counts();
  const DrainCounts drained = drain_counts();
  printf("benefactors: rank %u: %llu checkpoints written, %llu not, stalled %llu us\n", (unsigned)rank,
         (Printable)counts.written, (Printable)counts.failed,
         (Printable)(stalled_ticks * 1000000 / generic_timer_frequency()));
  printf("benefactors: rank %u: PCRAM: %llu chunks stored, %llu duplicates\n", (unsigned)rank,
         (Printable)chunks.stored, (Printable)chunks.duplicates);
  printf("benefactors: rank %u: drained: %llu, %llu not\n", (unsigned)rank, (Printable)drained.checkpoints,
         (Printable)drained.failed);
  printf("benefactors: rank %u: at benefactors: %llu written, %llu tries\n", (unsigned)rank,
         (Printable)benefactor_image_counts().written, (Printable)benefactor_image_counts().tries);
}

// A version that was handed over and not stored ends the client, unless another node has its rank by now.
static ExitStatus ended_by(CheckpointStatus status) {
  checkpoint_chain_finish();
  if (!goes_on()) return exit_passed;
  printf("benefactors: rank %u: %s: %s\n", (unsigned)rank, checkpoint_text(status),
         storage_text(benefactor_image_counts().failure));
  return exit_failed;
}

static ExitStatus be_client_with_chain(void) {
  const char* const missing = prepare_chain();
  if (missing != NULL) {
    printf("benefactors: %s\n", missing);
    return exit_unavailable;
  }
  uint64_t version = restore_from_chain(), stalled_ticks = 0;
  const bool writes = version < options.versions;
  while (version < options.versions && goes_on()) {
    step(state, ++version);
    const uint64_t start = generic_timer_now();
    const CheckpointStatus status = checkpoint_begin(name, version);
    stalled_ticks += generic_timer_now() - start;
    if (status != checkpoint_ok) return ended_by(status);
  }
  const CheckpointStatus status = checkpoint_wait(checkpoint_any_version);
  if (status != checkpoint_ok || !goes_on()) return ended_by(status);
  checkpoint_chain_finish();
  print_chain_counts(stalled_ticks);
  compute_again(options.versions);
  bool right = both_are_equal();
  if (writes) right = comes_back_from(auxiliary_from_store) && right;
  if (chain.plug_ins[chain.count - 1]->kind == plug_in_drain)
    right = comes_back_from(auxiliary_from_drain) && right;
  if (!goes_on()) return exit_passed;
  return right ? report(digest_of(other)) : exit_failed;
}

// ---- a client ----

static ExitStatus be_client(void) {
  client = (StorageClient){
      .number = rank - 1,
      .width = (uint32_t)options.width,
      .copies = (uint32_t)options.copies,
      .timeout = generic_timer_ticks(options.timeout_us),
      .poll_interval = generic_timer_ticks(options.timeout_us) / 10,
      .link = nic_link,
      .calls = {.now = now, .poll = poll, .manager = manager_node},
  };
  // Answers to requests of an earlier client on this node are not for this one.
  client.last_number = generic_timer_now() << 8;
  if (state == NULL) state = memory_allocate(state_bytes());
  if (other == NULL) other = memory_allocate(state_bytes());
  if (state == NULL || other == NULL) {
    printf("benefactors: %llu chunks do not fit twice into the memory of this machine\n",
           (Printable)options.chunks);
    return exit_unavailable;
  }
  printf("benefactors: node %u is rank %u, a client\n", (unsigned)nic_node(), (unsigned)rank);
  if (options.chain != NULL) return be_client_with_chain();
  if (options.client_lends != 0 && !begin_lending(options.client_lends)) return exit_unavailable;
  uint64_t version;
  if (!restore(&version)) return exit_passed;
  client_remove(&client, version + 1);  // an earlier client may have begun it
  while (version < options.versions) {
    step(state, ++version);
    if (version > 2)
      client_remove(&client, version - 2);  // the version before is kept until this one is stored
    const Kept how = keep(version);
    if (how == gone) return exit_passed;
    if (how == not_kept) return exit_failed;
  }
  return finish();
}

// ---- the node ----

// If another node has the rank by then, this node continues as a spare.
static ExitStatus run(void) {
  for (;;) {
    rank = nic_rank();
    role = rank == NIC_NONE          ? role_spare
           : rank == 0               ? role_manager
           : rank <= options.clients ? role_client
                                     : role_benefactor;
    lends = false;
    ExitStatus status = exit_passed;
    if (role == role_manager)
      be_manager();
    else if (role == role_client)
      status = be_client();
    else if (role == role_benefactor)
      status = be_benefactor();
    else
      serve();
    if (status != exit_passed || nic_run_has_ended()) return status;
    if (nic_error() != nic_ok) {
      printf("benefactors: the NIC has stopped: %s\n", nic_error_text(nic_error()));
      return exit_failed;
    }
  }
}

int main(int argc, char** argv) {
  if (!read_options(argc, argv)) return exit_usage;
  if (!nic_probe()) {
    printf("benefactors: this machine has no NIC\n");
    return exit_unavailable;
  }
  if (nic_ranks() < options.clients + 2) {
    printf("benefactors: %u ranks; a manager, %llu clients and a benefactor are %llu\n",
           (unsigned)nic_ranks(), (Printable)options.clients, (Printable)options.clients + 2);
    return exit_unavailable;
  }
  if (!link_open()) {
    printf("benefactors: the rings do not fit into the memory of this machine\n");
    return exit_unavailable;
  }
  return run();
}
