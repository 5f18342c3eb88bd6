#include "core/a64/translator/emitter.h"

namespace asterism::a64 {

std::unique_ptr<Emitter> make_host_emitter(const CpuLayout&, const HandlersOfEmitter&, bool) {
  return nullptr;
}

}  // namespace asterism::a64
