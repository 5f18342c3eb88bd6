#include "core/a64/translator/emitter.h"

namespace asterism::a64 {

std::unique_ptr<Emitter> make_emitter(const CpuLayout& layout, const HandlersOfEmitter& handlers,
                                      bool timed) {
  return make_host_emitter(layout, handlers, timed);
}

}  // namespace asterism::a64
