#include "auxiliary/queue.h"

#include "boot/cores.h"

void queue_initialize(Queue* queue) {
  *queue = (Queue){.head = 0};
  for (uint32_t i = 0; i < queue_capacity; ++i) queue->cells[i].sequence = i;
}

void queue_push(Queue* queue, uint32_t value) {
  const uint32_t at = __atomic_fetch_add(&queue->tail, 1, __ATOMIC_ACQ_REL);
  uint32_t* const sequence = &queue->cells[at % queue_capacity].sequence;
  while (__atomic_load_n(sequence, __ATOMIC_ACQUIRE) != at) {
  }  // the core that took the last value of this cell is still reading it
  queue->cells[at % queue_capacity].value = value;
  __atomic_store_n(sequence, at + 1, __ATOMIC_RELEASE);
  cores_signal(&queue->changes);
}

bool queue_try_pop(Queue* queue, uint32_t* value) {
  for (;;) {
    uint32_t at = __atomic_load_n(&queue->head, __ATOMIC_ACQUIRE);
    uint32_t* const sequence = &queue->cells[at % queue_capacity].sequence;
    const int32_t ahead = (int32_t)(__atomic_load_n(sequence, __ATOMIC_ACQUIRE) - (at + 1));
    if (ahead < 0) return false;
    if (ahead > 0) continue;  // another core was faster
    if (!__atomic_compare_exchange_n(&queue->head, &at, at + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      continue;
    *value = queue->cells[at % queue_capacity].value;
    __atomic_store_n(sequence, at + queue_capacity, __ATOMIC_RELEASE);
    return true;
  }
}

bool queue_is_empty(Queue* queue) {
  const uint32_t at = __atomic_load_n(&queue->head, __ATOMIC_ACQUIRE);
  return (int32_t)(__atomic_load_n(&queue->cells[at % queue_capacity].sequence, __ATOMIC_ACQUIRE) -
                   (at + 1)) < 0;
}

bool queue_pop(Queue* queue, uint32_t* value) {
  for (bool waited = false;; waited = true) {
    const uint32_t seen = __atomic_load_n(&queue->changes, __ATOMIC_ACQUIRE);
    if (queue_try_pop(queue, value)) return waited;
    cores_wait_while(&queue->changes, seen);
  }
}
