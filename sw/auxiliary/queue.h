// A queue of buffer numbers in shared memory, first in, first out, between any cores (a bounded queue with a
// sequence number for each cell, after Vyukov). It never holds more than queue_capacity numbers, so that
// pushing never waits.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { queue_capacity = 32 };

typedef struct {
  struct {
    uint32_t sequence, value;
  } cells[queue_capacity];
  uint32_t head, tail;
  uint32_t changes;  // counts pushes; idle cores wait for a change
} Queue;

void queue_initialize(Queue* queue);
void queue_push(Queue* queue, uint32_t value);
bool queue_try_pop(Queue* queue, uint32_t* value);  // false: empty
bool queue_is_empty(Queue* queue);
// Waits for a number; returns whether it had to wait.
bool queue_pop(Queue* queue, uint32_t* value);
