// The headers that most tests of SystemC modules include.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systemc.h"
