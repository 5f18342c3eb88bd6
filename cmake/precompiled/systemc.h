// What a SystemC module includes: SystemC, TLM-2.0, and the log.
#pragma once

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <tlm>

#include "standard.h"
