#include <cstdio>

#include "core/workload.h"
#include "dimm_ssd/workload/write_profile.h"
#include "fabric/topology/graph_config.h"
#include "gpu/workload/kernel_profile.h"
#include "memory/dram_part.h"
#include "pcram/pcram_config.h"
#include "platform/command/campaign.h"
#include "platform/command/verbs.h"
#include "platform/config/config.h"
#include "platform/rtl/block_config.h"
#include "platform/scenario/scenario_config.h"
#include "platform/study/study.h"
#include "resilience/gpu_system.h"
#include "swizzle_switch/switch_technology.h"

namespace asterism {
namespace {

template <class Config>
std::string text_of(const std::string& title, bool as_text) {
  return as_text ? documentation<Config>() : schema<Config>(title);
}

}  // namespace

int verb_schema(const std::string& of, bool as_text) {
  std::string text;
  if (of == "node") text = text_of<NodeConfig>("Asterism node", as_text);
  if (of == "scenario") text = text_of<ScenarioConfig>("Asterism scenario", as_text);
  if (of == "study") text = as_text ? study_documentation() : study_schema();
  if (of == campaign) text = campaign_keys(as_text);
  if (of == "dram") text = text_of<DramPart>("Asterism DRAM part", as_text);
  if (of == "flash") text = text_of<FlashPart>("Asterism flash part", as_text);
  if (of == "pcram") text = text_of<PcramPart>("Asterism PCRAM part", as_text);
  if (of == "technology") text = text_of<SwitchTechnology>("Asterism technology", as_text);
  if (of == "workload") text = text_of<Workload>("Asterism workload", as_text);
  if (of == "write_profile") text = text_of<WriteProfile>("Asterism write profile", as_text);
  if (of == "system") text = text_of<GpuSystemConfig>("Asterism system", as_text);
  if (of == "kernel_profile") text = text_of<KernelProfile>("Asterism kernel profile", as_text);
  if (of == "graph") text = text_of<GraphConfig>("Asterism graph", as_text);
  if (of == "block") text = text_of<BlockConfig>("Asterism RTL block", as_text);
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace asterism
