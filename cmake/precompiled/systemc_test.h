// What a test of SystemC modules includes.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systemc.h"
