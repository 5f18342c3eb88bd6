// Ends this process with the one that has started it and waits for it, however that ends: with SIGKILL, too.
#pragma once

namespace asterism {

// If ASTERISM_END_WITH in the environment is the number of the parent process, this process receives SIGTERM
// when the thread that has started it ends, and ends then as after any SIGTERM. If the parent has already
// ended, this one ends at once. The variable is removed, since processes that this one starts have another
// parent.
void end_with_parent();

}  // namespace asterism
