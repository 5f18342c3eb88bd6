// Numbers of buffers in shared memory, first in, first out, between any cores (a bounded queue with a sequence for each cell,
// after Vyukov). At most queue_capacity are in it at a time; pushing never waits.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { queue_capacity = 32 };

typedef struct {
  struct {
    uint32_t sequence, value;
  } cells[queue_capacity];
  uint32_t head, tail;
  uint32_t changes;  // counts pushes: what an idle core waits on
} Queue;

void queue_initialize(Queue* queue);
void queue_push(Queue* queue, uint32_t value);
bool queue_try_pop(Queue* queue, uint32_t* value);  // false: empty
bool queue_is_empty(Queue* queue);
// Waits for one. Returns whether it had to.
bool queue_pop(Queue* queue, uint32_t* value);
