// libFuzzer entry of GDB's protocol: any stream of bytes at a session. Corpus: tests/fuzz/gdb.
#include <cstdint>
#include <cstdlib>

#include "platform/debug/gdb_packet.h"
#include "platform/debug/test_target.h"

using namespace asterism;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  TestTarget target;
  GdbSession session(target);
  session.reset();
  GdbPacketReader reader;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, 61);
    reader.feed(piece);
    bytes.remove_prefix(piece.size());
    while (const auto item = reader.next()) {
      if (item->kind != GdbPacketReader::Kind::packet) continue;
      const GdbSession::Answer answer = session.handle(item->payload);
      if (answer.what == GdbSession::Answer::What::resume) {
        if (session.actions().size() != target.cores()) std::abort();
        session.stopped({.why = DebugStop::Why::stored, .core = 1, .address = 0x1000});
      }
      GdbPacketReader other;
      other.feed(gdb_packet(answer.text));
      const auto sent = other.next();
      if (!sent || sent->kind != GdbPacketReader::Kind::packet || gdb_unescaped(sent->payload) != answer.text)
        std::abort();
    }
  }
  return 0;
}
