// The calls of cluster/buddy.h over a NIC: ranks become nodes, messages become frames.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cluster/buddy.h"

bool transport_open(void);  // false: there is no memory for its rings
// Passes each received frame to the rank. Returns false if there was none.
bool transport_receive(Buddy* buddy);

// For BuddyCalls; the context is not used.
size_t transport_free_frames(void* context, BuddyQueue queue);
void transport_send(void* context, BuddyQueue queue, const MessageHeader* header, const void* data,
                    size_t bytes);
void transport_mark(void* context, BuddyMark mark, uint64_t number);
void transport_membership(void* context, BuddyMembership* membership);
