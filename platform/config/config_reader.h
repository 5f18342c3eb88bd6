// Reads a document into a config struct along its description, and collects everything that is wrong with it.
#pragma once

#include "base/described_value.h"
#include "platform/config/config_document.h"
#include "platform/config/config_library.h"
#include "platform/config/diagnostics.h"

namespace asterism {

// `object` keeps the defaults of what is absent or wrong. `library` resolves "use" and names of files; with
// nullptr a "use" is an error and names are not looked up. The document keeps the merged tree, for
// origin_of().
void read_object(ObjectValue& object, ConfigDocument& document, const ConfigLibrary* library,
                 Diagnostics& problems);

}  // namespace asterism
