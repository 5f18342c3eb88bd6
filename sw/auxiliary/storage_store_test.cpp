// Manager, benefactor and client on the host, with messages that are changed, lost or wrong.
#include <gmock/gmock.h>

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "auxiliary/test_node.h"

extern "C" {
#include "auxiliary/benefactor.h"
#include "auxiliary/storage_client.h"
#include "auxiliary/storage_service.h"
}

namespace {

constexpr std::uint32_t manager_node = 0, client_node = 1, benefactor_node = 2, stranger = 9;

StorageMessage message_of(StorageKind kind, std::uint64_t version, std::uint32_t client = 0,
                          std::uint32_t chunk = 0, std::uint32_t count = 0) {
  return {.kind = kind,
          .status = storage_ok,
          .number = 0,
          .version = version,
          .hash = 0,
          .client = client,
          .chunk = chunk,
          .count = count,
          .copies = 0};
}

struct Sent {
  std::uint32_t from, to;
  StorageMessage message;
  std::vector<std::uint64_t> words;  // the data, and the number of valid bytes
  std::size_t bytes;
};

// One manager, one benefactor and one client; a poll delivers the sent messages and advances the time by a
// microsecond.
struct StoreTest : testing::Test {
  StoreTest() {
    node.reset();
    manager_initialize(manager.get(), 100'000);
    service = {.manager = manager.get(), .link = link(manager_node)};
    const StorageLink benefactors = link(benefactor_node);
    EXPECT_EQ(benefactor_prepare(&benefactors, 40, 2), nullptr);
    client->number = 0;
    client->width = 3;
    client->copies = 1;
    client->timeout = 50;
    client->poll_interval = 5;
    client->link = link(client_node);
    client->calls = {.context = this, .now = now, .poll = poll, .manager = manager_of};
    announce();
  }

  struct End {
    StoreTest* test;
    std::uint32_t from;
  };
  StorageLink link(std::uint32_t from) {
    ends.push_back(std::make_unique<End>(End{this, from}));
    return {.context = ends.back().get(), .send = send};
  }
  static void send(void* context, std::uint32_t to, const StorageMessage* message, const void* data,
                   std::uint32_t bytes) {
    const End& end = *static_cast<End*>(context);
    Sent sent{end.from, to, *message, std::vector<std::uint64_t>((bytes + 7) / 8), bytes};
    if (bytes != 0) std::memcpy(sent.words.data(), data, bytes);
    if (end.test->in_transit(sent)) end.test->network.push_back(std::move(sent));
  }
  static std::uint64_t now(void* context) { return static_cast<StoreTest*>(context)->time; }
  static std::uint32_t manager_of(void* context) { return static_cast<StoreTest*>(context)->manager_is; }
  static bool poll(void* context, std::uint64_t) { return static_cast<StoreTest*>(context)->poll(); }

  bool poll() {
    ++time;
    while (!network.empty()) {
      const Sent sent = std::move(network.front());
      network.pop_front();
      deliver(sent);
    }
    benefactor_progress();
    return polls_left-- > 0;
  }
  void deliver(const Sent& sent) {
    const auto* const data = reinterpret_cast<const std::uint8_t*>(sent.words.data());
    if (sent.to == manager_node)
      service_handle_message(&service, sent.from, &sent.message, data, sent.bytes, time);
    if (sent.to == benefactor_node) benefactor_handle_message(sent.from, &sent.message, data, sent.bytes);
    if (sent.to == client_node)
      client_handle_message(client.get(), sent.from, &sent.message, data, sent.bytes);
    if (sent.to == stranger) received.push_back(sent.message);
  }
  void announce() {
    benefactor_announce(manager_node);
    poll();
    poll();
  }
  // The answer to a request of a node that is no client.
  StorageStatus answer_to(std::uint32_t to, const StorageMessage& message, std::size_t bytes = 0) {
    Sent sent{stranger, to, message, std::vector<std::uint64_t>(chunk_words, 7), bytes};
    received.clear();
    deliver(sent);
    poll();
    EXPECT_EQ(received.size(), 1u);
    return received.empty() ? storage_silent : received.back().status;
  }
  StorageStatus write(std::uint64_t version, std::uint32_t chunks, std::uint64_t value = 1) {
    words = words_of(chunks, value);
    return client_write(client.get(), version, words.data(), chunks);
  }
  StorageStatus read(std::uint64_t version, std::uint32_t chunks) {
    back.assign(chunks * chunk_words, 0);
    return client_read(client.get(), version, back.data(), chunks);
  }
  static std::vector<std::uint64_t> words_of(std::uint32_t chunks, std::uint64_t value) {
    std::vector<std::uint64_t> all(chunks * chunk_words);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = (i + value) * 0x9e3779b97f4a7c15u;
    return all;
  }

  std::vector<std::unique_ptr<End>> ends;
  std::deque<Sent> network;
  std::vector<StorageMessage> received;                                // received by the stranger
  std::function<bool(Sent&)> in_transit = [](Sent&) { return true; };  // false: lost
  std::uint64_t time = 0, polls_left = 1'000'000;
  std::uint32_t manager_is = manager_node;
  std::unique_ptr<StorageManager> manager = std::make_unique<StorageManager>();
  StorageService service{};
  std::unique_ptr<StorageClient> client = std::make_unique<StorageClient>();
  std::vector<std::uint64_t> words, back;
};

TEST_F(StoreTest, AFileComesBackAsItWasWritten) {
  ASSERT_EQ(write(5, 20), storage_ok);
  EXPECT_EQ(node.flash.at(5).size(), 20u);
  std::uint64_t version = 0;
  EXPECT_EQ(client_newest(client.get(), UINT64_MAX, &version), storage_ok);
  EXPECT_EQ(version, 5u);
  ASSERT_EQ(read(5, 20), storage_ok);
  EXPECT_EQ(back, words);
}

TEST_F(StoreTest, ItIsReadFromTheDimmSsd) {
  ASSERT_EQ(write(5, 20), storage_ok);
  node.flash.at(5)[7][3] ^= 1;
  EXPECT_EQ(read(5, 20), storage_damaged);
  EXPECT_EQ(client->fault.node, benefactor_node);
  EXPECT_EQ(client->fault.chunk, 7u);
}

TEST_F(StoreTest, AChunkThatChangesOnTheWayIsRefused) {
  in_transit = [](Sent& sent) {
    if (sent.message.kind == storage_store && sent.message.chunk == 3) sent.words[100] ^= 1;
    return true;
  };
  EXPECT_EQ(write(5, 8), storage_damaged);
  EXPECT_EQ(client->fault.chunk, 3u);
}

TEST_F(StoreTest, ACallThatFailsByLostMessagesCanBeRepeated) {
  std::mt19937 random(1);
  in_transit = [&](Sent&) { return random() % 50 != 0; };
  unsigned silent = 0;
  for (std::uint64_t version = 1; version <= 20; ++version) {
    const auto until_it_works = [&](auto call) {
      StorageStatus status;
      while ((status = call()) != storage_ok) {
        ASSERT_EQ(status, storage_silent);
        ++silent;
        announce();
        client_remove(client.get(), version);
      }
    };
    until_it_works([&] { return write(version, 8, version); });
    while (read(version, 8) != storage_ok) ++silent;
    ASSERT_EQ(back, words);
    while (version > 2 && client_remove(client.get(), version - 2) == storage_silent) continue;
    announce();
  }
  EXPECT_GT(silent, 10u);
}

TEST_F(StoreTest, ASilentOrMissingManagerIsReported) {
  in_transit = [](Sent& sent) { return sent.to != manager_node; };
  EXPECT_EQ(write(5, 8), storage_silent);
  EXPECT_EQ(client->fault.node, manager_node);
  manager_is = NO_BENEFACTOR;
  EXPECT_EQ(read(5, 8), storage_no_manager);
}

TEST_F(StoreTest, AClientCanBeMadeToGiveUp) {
  polls_left = 3;
  EXPECT_EQ(write(5, 8), storage_gone);
}

TEST_F(StoreTest, ManagerAndBenefactorAccountForSpace) {
  EXPECT_EQ(write(5, 41), storage_no_space);
  EXPECT_EQ(client->fault.benefactors, 1u);
  EXPECT_EQ(client->fault.space, 40u);
  ASSERT_EQ(write(5, 30), storage_ok);
  // The announcement was sent before the benefactor was full.
  const StorageMessage more = message_of(storage_announce, 0, 0, 0, 40);
  service_handle_message(&service, benefactor_node, &more, nullptr, 0, time);
  EXPECT_EQ(write(6, 30), storage_no_space);
  EXPECT_EQ(client->fault.node, benefactor_node);
  EXPECT_EQ(client->fault.chunk, 10u);
}

TEST_F(StoreTest, FilesUnknownToTheManagerFreeTheirSpace) {
  ASSERT_EQ(write(5, 30), storage_ok);
  EXPECT_EQ(benefactor_counts().used, 30u);
  ASSERT_EQ(client_remove(client.get(), 5), storage_ok);
  announce();
  for (int i = 0; i < 10; ++i) poll();
  EXPECT_EQ(benefactor_counts().used, 0u);
  EXPECT_TRUE(node.flash.empty());
  EXPECT_EQ(write(6, 40), storage_no_space);  // until the benefactor has announced its space
  announce();
  EXPECT_EQ(write(6, 40), storage_ok);
}

TEST_F(StoreTest, OfAClientTheNewestTwoVersionsAreKept) {
  for (const std::uint64_t version : {1, 2, 3}) {
    ASSERT_EQ(write(version, 8, version), storage_ok) << version;
    announce();
  }
  EXPECT_EQ(read(1, 8), storage_unknown);
  EXPECT_EQ(read(2, 8), storage_ok);
  EXPECT_EQ(back, words_of(8, 2));
  EXPECT_EQ(read(3, 8), storage_ok);
  EXPECT_EQ(node.flash.size(), 2u);
}

TEST_F(StoreTest, AFullDimmSsdIsReported) {
  node.flash_fails = true;
  EXPECT_EQ(write(5, 8), storage_no_space);
  EXPECT_EQ(client->fault.node, benefactor_node);
  EXPECT_EQ(client_remove(client.get(), 5), storage_ok);
  node.flash_fails = false;
  ASSERT_EQ(write(5, 8), storage_ok);
  EXPECT_EQ(read(5, 8), storage_ok);
}

TEST_F(StoreTest, ARestartedBenefactorHasNoFiles) {
  ASSERT_EQ(write(5, 8), storage_ok);
  const StorageLink benefactors = link(benefactor_node);
  ASSERT_EQ(benefactor_prepare(&benefactors, 50, 2), nullptr);  // more than before
  EXPECT_EQ(read(5, 8), storage_unknown);
  announce();
  EXPECT_EQ(write(6, 50), storage_ok);
  EXPECT_EQ(read(6, 50), storage_ok);
  EXPECT_EQ(back, words);
}

TEST_F(StoreTest, WithoutADimmSsdNothingIsLent) {
  node.has_dimm_ssd = false;
  const StorageLink benefactors = link(benefactor_node);
  EXPECT_STREQ(benefactor_prepare(&benefactors, 40, 1), "this machine has no DIMM-SSD");
}

TEST_F(StoreTest, OnlyAnswersToOpenRequestsCount) {
  in_transit = [](Sent& sent) {
    if (sent.message.kind == storage_answer && sent.from == benefactor_node) ++sent.message.number;
    return true;
  };
  EXPECT_EQ(write(5, 1), storage_silent);
  in_transit = [](Sent& sent) {
    if (sent.message.kind == storage_answer && sent.from == benefactor_node) sent.from = stranger;
    return true;
  };
  client_remove(client.get(), 5);
  EXPECT_EQ(write(5, 1), storage_silent);
}

TEST_F(StoreTest, AnInvalidMapIsRefused) {
  ASSERT_EQ(write(5, 8), storage_ok);
  in_transit = [](Sent& sent) {
    if (sent.message.kind == storage_answer && sent.from == manager_node && sent.bytes != 0) sent.bytes -= 1;
    return true;
  };
  EXPECT_EQ(read(5, 8), storage_refused);
  in_transit = [](Sent& sent) {
    if (sent.message.kind == storage_answer && sent.from == manager_node) sent.message.count = 0;
    return true;
  };
  EXPECT_EQ(read(5, 8), storage_refused);
  in_transit = [](Sent& sent) {
    if (sent.message.kind == storage_answer && sent.from == manager_node) sent.message.count = 1000;
    return true;
  };
  EXPECT_EQ(read(5, 8), storage_refused);
}

TEST_F(StoreTest, RefusesInvalidFiles) {
  EXPECT_EQ(write(5, 0), storage_refused);
  words.resize((checkpoint_chunk_limit + 1) * chunk_words);
  EXPECT_EQ(client_write(client.get(), 5, words.data(), checkpoint_chunk_limit + 1), storage_refused);
  EXPECT_EQ(client_read(client.get(), 5, words.data(), checkpoint_chunk_limit + 1), storage_refused);
  EXPECT_EQ(read(5, 8), storage_unknown);
  ASSERT_EQ(write(5, 8), storage_ok);
  EXPECT_EQ(write(5, 8), storage_exists);
  client->copies = 3;
  EXPECT_EQ(write(6, 8), storage_refused);
  client->copies = 2;
  EXPECT_EQ(write(6, 8), storage_no_space);  // one benefactor is not enough for two copies
  client->copies = 1;
  client->width = 0;
  EXPECT_EQ(write(6, 8), storage_refused);
  client->number = 2;
  client->width = 1;
  EXPECT_EQ(write(6, 8), storage_refused);  // more clients than the benefactor knows
}

TEST_F(StoreTest, RefusesRequestsForWhatDoesNotExist) {
  ASSERT_EQ(write(5, 8), storage_ok);
  const auto asked = [&](StorageKind kind, std::uint32_t chunk, std::uint32_t count, std::size_t bytes = 0) {
    return answer_to(benefactor_node, message_of(kind, 5, 0, chunk, count), bytes);
  };
  EXPECT_EQ(asked(storage_flush, 0, 8), storage_ok);
  EXPECT_EQ(asked(storage_flush, 0, 9), storage_not_whole);
  EXPECT_EQ(asked(storage_fetch, 0, 0), storage_unknown);  // not open
  EXPECT_EQ(asked(storage_open, 0, 0), storage_pending);
  for (int i = 0; i < 5; ++i) poll();
  EXPECT_EQ(asked(storage_open, 0, 0), storage_ok);
  EXPECT_EQ(asked(storage_fetch, 0, 0), storage_ok);
  EXPECT_EQ(asked(storage_fetch, 8, 0), storage_unknown);
  EXPECT_EQ(asked(storage_store, 0, 0, chunk_bytes - 1), storage_refused);
  EXPECT_EQ(asked(storage_store, checkpoint_chunk_limit, 0, chunk_bytes), storage_refused);
  EXPECT_EQ(answer_to(benefactor_node, message_of(storage_open, 4)), storage_unknown);
  EXPECT_EQ(answer_to(benefactor_node, message_of(storage_open, 5, 2)), storage_refused);
  EXPECT_EQ(answer_to(manager_node, message_of(storage_commit, 4)), storage_unknown);
  EXPECT_EQ(answer_to(manager_node, message_of(storage_map, 5, 0, 8, 1)), storage_unknown);
  EXPECT_EQ(read(5, 8), storage_ok);
  EXPECT_EQ(back, words);
}

// The data are random headers with any length of data; every receiver must continue.
TEST_F(StoreTest, RandomMessagesDoNoHarm) {
  ASSERT_EQ(write(5, 8), storage_ok);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto small = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
    StorageMessage message = {.kind = static_cast<StorageKind>(1 + small(storage_fetch)),
                              .status = static_cast<StorageStatus>(small(storage_silent)),
                              .number = random(),
                              .version = 100 + random() % 4,
                              .hash = random(),
                              .client = small(2) == 0 ? 1 : static_cast<std::uint32_t>(random()),
                              .chunk = small(4) == 0 ? static_cast<std::uint32_t>(random()) : small(50),
                              .count = small(4) == 0 ? static_cast<std::uint32_t>(random()) : small(50),
                              .copies = small(4)};
    if (message.kind == storage_announce)
      message.kind = storage_store;  // it would announce space that does not exist
    deliver({stranger, small(3), message, std::vector<std::uint64_t>(chunk_words, random()),
             small(2) == 0 ? std::size_t{chunk_bytes} : small(chunk_bytes + 1)});
    if (small(8) == 0) poll();
    ASSERT_LE(benefactor_counts().used, 40u + 40u) << i;
  }
  received.clear();
  for (int i = 0; i < 20; ++i) poll();
  announce();
  ASSERT_EQ(read(5, 8), storage_ok);
  EXPECT_EQ(back, words);
}

}  // namespace
