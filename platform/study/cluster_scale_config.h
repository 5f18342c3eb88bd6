// The keys of the study cluster_scale: a machine, its nodes, its program and its failures.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/fields.h"
#include "cluster_scale/cluster_setup.h"
#include "resilience/long_duration.h"

namespace asterism {

struct PlacedFailureConfig {
  LongDuration at;
  ClusterFailureKind kind = ClusterFailureKind::node;
  std::uint32_t node = 0;
};
void describe(Fields& f, PlacedFailureConfig& c);

struct ClusterNetworkConfig {
  std::uint32_t nodes_per_switch = 64;
  ClusterTopology topology = ClusterTopology::fat_tree;
  BuddyDistance buddies = BuddyDistance::far;
  std::uint32_t group = 2, replicas = 2;
  std::vector<std::uint32_t> shape = {};
  Bandwidth link = 12_GBps;
  std::optional<Bandwidth> trunk = std::nullopt;
  double oversubscription = 2;
  std::uint32_t global_links = 4;
  LongDuration latency = LongDuration(1000);
  std::uint32_t io_switches = 0;
  Bandwidth file_system = 1000_GBps;
};
void describe(Fields& f, ClusterNetworkConfig& c);

struct BurstConfig {
  double fit = 0;
  std::uint32_t nodes = 2;
  BurstPlace place = BurstPlace::neighbours;
};
void describe(Fields& f, BurstConfig& c);

struct CorruptionConfig {
  double fit = 0;
  std::optional<LongDuration> check_every = std::nullopt;
  LongDuration check = {};
};
void describe(Fields& f, CorruptionConfig& c);

struct SlowNodesConfig {
  double fit = 0, slowdown = 0.1;
  LongDuration found_after = long_duration(7200);
};
void describe(Fields& f, SlowNodesConfig& c);

struct ClusterFailuresConfig {
  LongDuration detection = {};
  double software_fit = 0;
  double shape = 1;
  bool new_machine = false;
  BurstConfig burst = {};
  CorruptionConfig corruption = {};
  SlowNodesConfig slow = {};
};
void describe(Fields& f, ClusterFailuresConfig& c);

struct ClusterScaleStudy {
  std::uint32_t nodes = 1000, spares = 32;
  LongDuration spare_return = long_duration(14'400);  // 4 h
  ClusterNetworkConfig network = {};

  std::filesystem::path node_stats = {};
  std::optional<Bytes> state = std::nullopt;
  std::optional<LongDuration> dump = std::nullopt, overlap = std::nullopt, overhead = std::nullopt;
  std::optional<LongDuration> restart = std::nullopt;
  std::optional<Bandwidth> drain = std::nullopt;
  CopyDevice copies = CopyDevice::ssd;
  std::optional<Bytes> capacity = std::nullopt;

  LongDuration work = long_duration(86'400), iteration = long_duration(1);
  std::optional<LongDuration> interval = std::nullopt;
  ClusterCheckpoint checkpoint = ClusterCheckpoint::semi_blocking;
  std::uint32_t global_every = 10;

  double node_fit = 5000, ssd_fit = 1000, dram_fit = 100, gpu_fit = 1000, link_fit = 500;
  ClusterFailuresConfig failures = {};
  std::uint32_t ssds = 1, drams = 8, gpus = 4, links = 1;
  std::vector<PlacedFailureConfig> placed = {};
  std::uint64_t seed = 1;
  std::uint32_t runs = 10;
  std::optional<LongDuration> give_up = std::nullopt;
};
void describe(Fields& f, ClusterScaleStudy& c);

}  // namespace asterism
