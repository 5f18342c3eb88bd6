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
  uint64_t name;
  const uint64_t* pages;
  uint32_t chunks;

  Queue free, filled, transformed;
  Queue*
      // The queue of the core that stores, which also transforms if `transforms` is set; NULL: no auxiliary
      // cores.
      from;
  bool transforms;
  CheckpointFile file;   // the checkpoint in progress
  uint64_t begun;        // when its hand-over began
  uint32_t stored;       // blocks stored of it
  bool sound;            // no plug-in has refused a block of it
  uint32_t handed_over;  // checkpoints handed over
  uint32_t completed;    // checkpoints completed; changes at the end of each
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

bool auxiliary_use_pages(uint64_t name, const uint64_t* pages, uint32_t count) {
  if (count > checkpoint_chunk_limit) return false;
  state.name = name;
  state.pages = pages;
  state.chunks = count;
  return true;
}

static CheckpointFile file_of(uint64_t version) {
  return (CheckpointFile){.version = version,
                          .chunks = state.chunks,
                          .block_chunks = state.record_words,
                          .conversions = state.chain.conversions,
                          .name = state.name};
}

static uint64_t* chunk_of_program(uint32_t chunk) { return (uint64_t*)(uintptr_t)state.pages[chunk]; }

static void add(uint64_t* count, uint64_t more) { __atomic_fetch_add(count, more, __ATOMIC_RELAXED); }

static bool run_plug_in(unsigned i, Block* block) {
  const uint64_t start = generic_timer_now();
  const bool right = state.chain.plug_ins[i]->write(&state.file, block);
  add(&state.counts.plug_in_ticks[i], generic_timer_now() - start);
  return right;
}

// A transform cannot fail: a block that it cannot process remains unchanged.
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

// Runs only on the core that stores.
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

bool auxiliary_process_block(void) {
  uint32_t buffer;
  if (state.from == NULL || !queue_try_pop(state.from, &buffer)) return false;
  if (state.transforms) transform(&state.blocks[buffer]);
  store(buffer);
  return true;
}

bool auxiliary_has_block(void) { return state.from != NULL && !queue_is_empty(state.from); }

static void store_and_drain(Queue* from, bool transforms) {
  prepare_stores();
  state.transforms = transforms;
  state.from = from;
  for (;;) {
    const uint32_t seen = __atomic_load_n(&from->changes, __ATOMIC_ACQUIRE);
    if (auxiliary_process_block()) continue;
    const BackgroundWork work = work_in_background();
    if (work == work_none && __atomic_load_n(&state.stopping, __ATOMIC_ACQUIRE) != 0) break;
    if (work == work_none) cores_wait_while(&from->changes, seen);
    if (work == work_waiting) cores_doze(&from->changes, seen, device_is_ready);
  }
  state.from = NULL;
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

// Core 0 stores the waiting blocks, transforms its own part meanwhile, and never waits for a buffer: the
// other cores may hold all of them.
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

bool auxiliary_is_done(void) {
  return __atomic_load_n(&state.completed, __ATOMIC_ACQUIRE) == state.handed_over;
}

bool auxiliary_wait(void) {
  const uint64_t start = generic_timer_now();
  wait_for_handed_over();
  const uint64_t waited = generic_timer_now() - start;
  state.counts.waited_ticks += waited;
  state.counts.stalled_ticks += waited;
  return state.sound;
}

bool auxiliary_write(uint64_t version) {
  const bool in_line = cores_auxiliary() == 0;
  auxiliary_wait();
  const uint64_t start = generic_timer_now();
  state.begun = start;
  state.file = file_of(version);
  state.stored = 0;
  ++state.handed_over;
  cores_run(in_line ? write_in_line : hand_over, NULL);
  if (in_line) drain_in_line();
  count_longest_wait();
  state.counts.bytes += (uint64_t)state.chunks * chunk_bytes;
  state.counts.stalled_ticks += generic_timer_now() - start;
  return !in_line || state.sound;
}

void auxiliary_finish(void) {
  if (cores_auxiliary() == 0) {
    drain_in_line();  // drains what an earlier run has stored
    return;
  }
  wait_for_handed_over();
  __atomic_store_n(&state.stopping, 1, __ATOMIC_RELEASE);
  cores_signal(&state.filled.changes);
  cores_signal(&state.transformed.changes);
  cores_join_auxiliary();
  prepare_stores();  // this core gets their interrupts again
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

static AuxiliaryRead read_file(const PlugIn* source, uint64_t version) {
  CheckpointFile file;
  uint64_t found;
  if (!source->find(state.name, version, &found) || found != version) return auxiliary_not_there;
  if (!source->open_stored(state.name, version, &file)) return auxiliary_damaged;
  if (!fits(&file)) return auxiliary_other_pages;
  Block* const block = &state.blocks[0];  // no checkpoint is in progress
  for (uint32_t first = 0; first < file.chunks; first += file.block_chunks) {
    block->first = first;
    block->chunks = block_chunks_at(&file, first);
    if (!read_block(source, &file, block)) return auxiliary_damaged;
  }
  return auxiliary_read_all;
}

static const PlugIn* plug_in_of(AuxiliarySource source) {
  return source == auxiliary_from_store ? state.chain.plug_ins[state.chain.transforms] : drain_of_chain();
}

static const AuxiliarySource sources[] = {auxiliary_from_store, auxiliary_from_drain};
enum { source_count = sizeof sources / sizeof *sources };

static bool is_asked(AuxiliarySource source, AuxiliarySource wanted) {
  return (wanted == auxiliary_any || wanted == source) && plug_in_of(source) != NULL;
}

bool auxiliary_find(AuxiliarySource wanted, uint64_t max_version, uint64_t* version) {
  bool found = false;
  for (unsigned i = 0; i < source_count; ++i) {
    uint64_t one;
    if (!is_asked(sources[i], wanted) || !plug_in_of(sources[i])->find(state.name, max_version, &one) ||
        (found && one <= *version))
      continue;
    *version = one;
    found = true;
  }
  return found;
}

AuxiliaryRead auxiliary_read(AuxiliarySource wanted, uint64_t version, AuxiliarySource* from) {
  AuxiliaryRead worst = auxiliary_not_there;
  for (unsigned i = 0; i < source_count; ++i) {
    if (!is_asked(sources[i], wanted)) continue;
    const AuxiliaryRead result = read_file(plug_in_of(sources[i]), version);
    *from = sources[i];
    if (result == auxiliary_read_all) return result;
    if (result > worst) worst = result;
  }
  return worst;
}

bool auxiliary_restore(AuxiliarySource wanted, uint64_t* version, AuxiliarySource* from) {
  for (uint64_t limit = UINT64_MAX; auxiliary_find(wanted, limit, version); limit = *version - 1) {
    if (auxiliary_read(wanted, *version, from) == auxiliary_read_all) return true;
    if (*version == 0) return false;
  }
  return false;
}

bool auxiliary_discard(uint64_t version) {
  bool was_there = false;
  for (unsigned i = 0; i < source_count; ++i) {
    const PlugIn* const one = plug_in_of(sources[i]);
    if (one != NULL && one->discard != NULL) was_there = one->discard(state.name, version) || was_there;
  }
  return was_there;
}

AuxiliaryCounts auxiliary_counts(void) { return state.counts; }
