// Everything that a plug-in, a device of its own in a shared library, needs (docs/plugins.md). tlm/device.h
// is the contract of a device, tlm/register.h are its registers, and base/fields.h describes its keys.
//
//   find_package(Asterism REQUIRED)
//   asterism_plugin(acme_timer acme_timer.cpp)     # libacme_timer.so
//
// `asterism plugin new` writes a device to start from. A module with plain TLM-2.0 sockets becomes a device
// by tlm/tlm_device.h.
#pragma once

#include "base/activity_log.h"
#include "base/event_log.h"
#include "base/fields.h"
#include "base/random.h"
#include "base/reset.h"
#include "base/statistics.h"
#include "base/units.h"
#include "tlm/alarm.h"
#include "tlm/device.h"
#include "tlm/device_roles.h"
#include "tlm/device_tree.h"
#include "tlm/dma_initiator.h"
#include "tlm/initiator_extension.h"
#include "tlm/log.h"
#include "tlm/payload.h"
#include "tlm/plugin_abi.h"
#include "tlm/register.h"
#include "tlm/register_socket.h"
#include "tlm/time.h"
#include "tlm/tlm_device.h"

namespace {

// The program compares it with its own before it loads the library.
[[gnu::section(".asterism_plugin"), gnu::used, gnu::retain]] const asterism::PluginAbi asterism_plugin_abi =
    asterism::plugin_abi;

}  // namespace
