// The calls of cluster/buddy.h by a NIC: ranks to nodes, messages to frames.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cluster/buddy.h"

bool transport_open(void);  // false: no memory for its rings
// Gives each frame that has come to the rank. False: none had.
bool transport_receive(Buddy* buddy);

// BuddyCalls; the context is not looked at.
size_t transport_room(void* context, BuddyQueue queue);
void transport_send(void* context, BuddyQueue queue, const MessageHeader* header, const void* data,
                    size_t bytes);
void transport_mark(void* context, BuddyMark mark, uint64_t number);
void transport_membership(void* context, BuddyMembership* membership);
