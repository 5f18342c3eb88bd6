#include "auxiliary/auxiliary.h"

#include <string.h>

#include "auxiliary/queue.h"
#include "boot/cores.h"
#include "boot/memory.h"
#include "drivers/generic_timer.h"

static struct {
  Chain chain;
  unsigned record_words;
  Block blocks[buffer_limit];
  struct {
    uint64_t* pages;
    uint32_t chunks;
  } regions[region_limit];
  unsigned region_count;
  uint32_t chunks;  // of all regions

  Queue free, filled, transformed;
  CheckpointFile file;   // that is under way
  uint64_t begun;        // when its hand-over began
  uint32_t stored;       // blocks of it
  bool sound;            // and no plug-in refused one
  uint32_t handed_over;  // checkpoints
  uint32_t completed;    // of them; changes at the end of each
  uint32_t stopping;
  uint64_t waited[MAX_CORES];  // of each core, in this checkpoint
  AuxiliaryCounts counts;
} state;

const char* auxiliary_initialize(const Chain* chain, unsigned buffers, unsigned record_words) {
  memset(&state, 0, sizeof state);
  state.chain = *chain;
  state.record_words = record_words;
  queue_initialize(&state.free);
  queue_initialize(&state.filled);
  queue_initialize(&state.transformed);
  const size_t bytes = (size_t)record_words * chunk_bytes;
  for (unsigned i = 0; i < buffers; ++i) {
    state.blocks[i].words = memory_allocate(bytes);
    state.blocks[i].scratch = memory_allocate(bytes);
    if (state.blocks[i].words == NULL || state.blocks[i].scratch == NULL)
      return "too little memory for the buffers";
    queue_push(&state.free, i);
  }
  for (unsigned i = chain->transforms; i < chain->count; ++i) {
    const char* const missing = chain->plug_ins[i]->prepare();
    if (missing != NULL) return missing;
  }
  return NULL;
}

bool auxiliary_protect(void* pages, uint32_t chunks) {
  if (state.region_count == region_limit || chunks > checkpoint_chunk_limit - state.chunks) return false;
  state.regions[state.region_count].pages = pages;
  state.regions[state.region_count++].chunks = chunks;
  state.chunks += chunks;
  return true;
}

static CheckpointFile file_of(uint64_t version) {
  return (CheckpointFile){version, state.chunks, state.record_words, state.chain.conversions};
}

static uint64_t* chunk_of_program(uint32_t chunk) {
  unsigned region = 0;
  for (; chunk >= state.regions[region].chunks; ++region) chunk -= state.regions[region].chunks;
  return state.regions[region].pages + (size_t)chunk * chunk_words;
}

static void add(uint64_t* count, uint64_t more) { __atomic_fetch_add(count, more, __ATOMIC_RELAXED); }

static bool run_plug_in(unsigned i, Block* block) {
  const uint64_t start = generic_timer_now();
  const bool right = state.chain.plug_ins[i]->write(&state.file, block);
  add(&state.counts.plug_in_ticks[i], generic_timer_now() - start);
  return right;
}

// A transform cannot fail: what it does not like it leaves as it is.
static void transform(Block* block) {
  block->hashed = false;
  for (unsigned i = 0; i < state.chain.transforms; ++i) run_plug_in(i, block);
}

static void open_file(void) {
  state.sound = true;
  for (unsigned i = state.chain.transforms; i < state.chain.count && state.sound; ++i)
    if (state.chain.plug_ins[i]->open != NULL) state.sound = state.chain.plug_ins[i]->open(&state.file);
}

static void close_file(void) {
  for (unsigned i = state.chain.transforms; i < state.chain.count && state.sound; ++i) {
    const uint64_t start = generic_timer_now();
    if (state.chain.plug_ins[i]->close != NULL) state.sound = state.chain.plug_ins[i]->close(&state.file);
    add(&state.counts.plug_in_ticks[i], generic_timer_now() - start);
  }
  ++*(state.sound ? &state.counts.written : &state.counts.failed);
  state.counts.passed_ticks += generic_timer_now() - state.begun;
  cores_signal(&state.completed);
}

// Only of the core that stores.
static void store(uint32_t buffer) {
  Block* const block = &state.blocks[buffer];
  if (state.stored++ == 0) open_file();
  for (unsigned i = state.chain.transforms; i < state.chain.count && state.sound; ++i)
    if (state.chain.plug_ins[i]->write != NULL) state.sound = run_plug_in(i, block);
  queue_push(&state.free, buffer);
  if (state.stored == file_blocks(&state.file)) close_file();
}

static const PlugIn* drain_of_chain(void) {
  const PlugIn* const last = state.chain.plug_ins[state.chain.count - 1];
  return last->kind == plug_in_drain ? last : NULL;
}

static BackgroundWork work_in_background(void) {
  const PlugIn* const drain = drain_of_chain();
  if (drain == NULL) return work_none;
  const uint64_t start = generic_timer_now();
  const BackgroundWork work = drain->work();
  add(&state.counts.plug_in_ticks[state.chain.count - 1], generic_timer_now() - start);
  return work;
}

static bool device_is_ready(void) { return drain_of_chain()->ready(); }

static void prepare_stores(void) {
  for (unsigned i = state.chain.transforms; i < state.chain.count; ++i) state.chain.plug_ins[i]->prepare();
}

static void transform_for_another(void) {
  for (;;) {
    const uint32_t seen = __atomic_load_n(&state.filled.changes, __ATOMIC_ACQUIRE);
    uint32_t buffer;
    if (queue_try_pop(&state.filled, &buffer)) {
      transform(&state.blocks[buffer]);
      queue_push(&state.transformed, buffer);
    } else if (__atomic_load_n(&state.stopping, __ATOMIC_ACQUIRE) != 0) {
      return;
    } else {
      cores_wait_while(&state.filled.changes, seen);
    }
  }
}

static void store_and_drain(Queue* from, bool transforms) {
  prepare_stores();
  for (;;) {
    const uint32_t seen = __atomic_load_n(&from->changes, __ATOMIC_ACQUIRE);
    uint32_t buffer;
    if (queue_try_pop(from, &buffer)) {
      if (transforms) transform(&state.blocks[buffer]);
      store(buffer);
      continue;
    }
    const BackgroundWork work = work_in_background();
    if (work == work_none && __atomic_load_n(&state.stopping, __ATOMIC_ACQUIRE) != 0) return;
    if (work == work_none) cores_wait_while(&from->changes, seen);
    if (work == work_waiting) cores_doze(&from->changes, seen, device_is_ready);
  }
}

static void serve(unsigned core, unsigned cores, void* argument) {
  (void)argument;
  if (core + 1 < cores)
    transform_for_another();
  else
    store_and_drain(cores == 1 ? &state.filled : &state.transformed, cores == 1);
}

void auxiliary_start(void) {
  state.stopping = 0;
  cores_run_auxiliary(serve, NULL);
}

static void fill(Block* block, uint32_t first) {
  block->first = first;
  block->chunks = block_chunks_at(&state.file, first);
  for (uint32_t i = 0; i < block->chunks; ++i)
    memcpy(block->words + (size_t)i * chunk_words, chunk_of_program(first + i), chunk_bytes);
}

static uint32_t take_buffer(unsigned core) {
  uint32_t buffer;
  const uint64_t start = generic_timer_now();
  if (queue_pop(&state.free, &buffer)) {
    add(&state.counts.waits, 1);
    state.waited[core] += generic_timer_now() - start;
  }
  return buffer;
}

static void hand_over(unsigned core, unsigned cores, void* argument) {
  (void)argument;
  for (uint32_t block = core; block < file_blocks(&state.file); block += cores) {
    const uint32_t buffer = take_buffer(core);
    fill(&state.blocks[buffer], block * state.file.block_chunks);
    queue_push(&state.filled, buffer);
  }
}

static void transform_own(uint32_t buffer, uint32_t block) {
  fill(&state.blocks[buffer], block * state.file.block_chunks);
  transform(&state.blocks[buffer]);
  queue_push(&state.transformed, buffer);
}

// Core 0 stores what there is, transforms its own share meanwhile, and never waits for a buffer: the others may hold all.
static void store_in_line(unsigned cores) {
  const uint32_t blocks = file_blocks(&state.file);
  uint32_t own = 0, buffer;
  while (state.stored < blocks) {
    if (queue_try_pop(&state.transformed, &buffer)) {
      store(buffer);
    } else if (own < blocks && queue_try_pop(&state.free, &buffer)) {
      transform_own(buffer, own);
      own += cores;
    } else {
      queue_pop(&state.transformed, &buffer);
      store(buffer);
    }
  }
}

static void write_in_line(unsigned core, unsigned cores, void* argument) {
  (void)argument;
  if (core == 0) store_in_line(cores);
  for (uint32_t block = core; core != 0 && block < file_blocks(&state.file); block += cores)
    transform_own(take_buffer(core), block);
}

static void drain_in_line(void) {
  for (BackgroundWork work; (work = work_in_background()) != work_none;)
    if (work == work_waiting) cores_doze(&state.completed, state.completed, device_is_ready);
}

static void wait_for_handed_over(void) {
  for (uint32_t seen; (seen = __atomic_load_n(&state.completed, __ATOMIC_ACQUIRE)) != state.handed_over;)
    cores_wait_while(&state.completed, seen);
}

static void count_longest_wait(void) {
  uint64_t longest = 0;
  for (unsigned i = 0; i < MAX_CORES; ++i) {
    if (state.waited[i] > longest) longest = state.waited[i];
    state.waited[i] = 0;
  }
  state.counts.waited_ticks += longest;
}

bool auxiliary_write(uint64_t version) {
  const bool in_line = cores_auxiliary() == 0;
  const uint64_t start = generic_timer_now();
  wait_for_handed_over();
  state.begun = generic_timer_now();
  state.counts.waited_ticks += state.begun - start;
  state.file = file_of(version);
  state.stored = 0;
  ++state.handed_over;
  cores_run(in_line ? write_in_line : hand_over, NULL);
  if (in_line) drain_in_line();
  count_longest_wait();
  state.counts.bytes += (uint64_t)state.chunks * chunk_bytes;
  state.counts.stood_ticks += generic_timer_now() - start;
  return !in_line || state.sound;
}

void auxiliary_finish(void) {
  if (cores_auxiliary() == 0) {
    drain_in_line();  // what a run before this has stored
    return;
  }
  wait_for_handed_over();
  __atomic_store_n(&state.stopping, 1, __ATOMIC_RELEASE);
  cores_signal(&state.filled.changes);
  cores_signal(&state.transformed.changes);
  cores_join_auxiliary();
  prepare_stores();  // their interrupts come to this core again
}

static bool fits(const CheckpointFile* file) {
  const CheckpointFile wanted = file_of(file->version);
  return file->chunks == wanted.chunks && file->block_chunks == wanted.block_chunks &&
         file->conversions == wanted.conversions;
}

static bool read_block(const PlugIn* source, const CheckpointFile* file, Block* block) {
  if (!source->read(file, block)) return false;
  for (unsigned i = state.chain.transforms; i-- > 0;)
    if (state.chain.plug_ins[i]->undo != NULL) state.chain.plug_ins[i]->undo(file, block);
  for (uint32_t i = 0; i < block->chunks; ++i)
    memcpy(chunk_of_program(block->first + i), block->words + (size_t)i * chunk_words, chunk_bytes);
  return true;
}

static bool read_file(const PlugIn* source, uint64_t version) {
  CheckpointFile file;
  if (!source->open_stored(version, &file) || !fits(&file)) return false;
  Block* const block = &state.blocks[0];  // nothing is under way
  for (uint32_t first = 0; first < file.chunks; first += file.block_chunks) {
    block->first = first;
    block->chunks = block_chunks_at(&file, first);
    if (!read_block(source, &file, block)) return false;
  }
  return true;
}

bool auxiliary_restore(AuxiliarySource wanted, uint64_t* version, AuxiliarySource* from) {
  const AuxiliarySource all[] = {auxiliary_from_store, auxiliary_from_drain};
  const PlugIn* const sources[] = {state.chain.plug_ins[state.chain.transforms], drain_of_chain()};
  uint64_t limits[] = {UINT64_MAX, UINT64_MAX};
  for (;;) {
    int best = -1;
    for (int i = 0; i < 2; ++i) {  // the store, unless the drain has a newer one
      uint64_t one;
      if (sources[i] == NULL || limits[i] == 0 || (wanted != auxiliary_any && wanted != all[i])) continue;
      if (!sources[i]->find(limits[i], &one) || (best >= 0 && one <= *version)) continue;
      *version = one;
      best = i;
    }
    if (best < 0) return false;
    *from = all[best];
    if (read_file(sources[best], *version)) return true;
    limits[best] = *version == 0 ? 0 : *version - 1;
  }
}

AuxiliaryCounts auxiliary_counts(void) { return state.counts; }
