// What the nodes of a training run send each other in a step: each one's weights, and the gradients of each
// other one's part, in messages of the application (cluster/message.h) over the ranks of buddy.h. A node may
// be one step ahead of another, so that two steps are kept.
//
// Messages of one node arrive in order, and an epoch that begins drops them all: a stream that is incomplete
// then is sent again from its beginning.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cluster/buddy.h"

typedef enum { stream_weights, stream_gradients } StreamKind;
enum { stream_kinds = 2, stream_rank_limit = 16 };

// The bytes that each node sends to each other one. false: there is no memory for those of so many ranks.
bool streams_prepare(unsigned ranks, const uint64_t bytes[stream_kinds]);
void streams_send(Buddy* buddy, StreamKind kind, uint64_t step, uint32_t to, const void* data);
// Takes a message: that of BuddyCalls.
void streams_receive(const MessageHeader* header, const uint8_t* data, size_t bytes);
// Whether all other ranks have sent theirs of this step in the epoch of `buddy`.
bool streams_have_come(const Buddy* buddy, StreamKind kind, uint64_t step);
const uint8_t* streams_of(StreamKind kind, uint64_t step, uint32_t from);
