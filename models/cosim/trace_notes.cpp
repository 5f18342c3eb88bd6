#include "cosim/trace_notes.h"

#include <fmt/format.h>
#include <gtkwave/fstapi.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string_view>

#include "cosim/rtl_library.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

struct CloseReader {
  void operator()(void* reader) const { fstReaderClose(reader); }
};
struct CloseWriter {
  void operator()(void* writer) const { fstWriterClose(writer); }
};
using Reader = std::unique_ptr<void, CloseReader>;
using Writer = std::unique_ptr<void, CloseWriter>;

fstHandle make_wire(void* writer, std::uint32_t bits, const std::string& name) {
  return fstWriterCreateVar(writer, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, bits, name.c_str(), 0);
}

// Copies an FST file signal by signal, with the notes merged in at their times.
class Copy {
 public:
  Copy(void* from, void* to, const TraceNotes& notes) : from_(from), to_(to), notes_(notes) {}

  void run() {
    copy_signals();
    make_notes();
    fstReaderSetFacProcessMaskAll(from_);
    fstReaderIterBlocksSetNativeDoublesOnCallback(from_, 1);
    fstReaderIterBlocks2(
        from_,
        [](void* self, std::uint64_t at, fstHandle signal, const unsigned char* value) {
          static_cast<Copy*>(self)->change(at, signal, value);
        },
        [](void* self, std::uint64_t at, fstHandle signal, const unsigned char* value, std::uint32_t size) {
          static_cast<Copy*>(self)->change(at, signal, value, size);
        },
        this, nullptr);
    emit_until(~std::uint64_t{0});
  }

 private:
  struct Note {
    std::uint64_t at;
    std::function<void()> emit;
  };
  struct Bits {
    fstHandle whole = 0;
    std::vector<fstHandle> single;
  };

  void copy_signals() {
    fstWriterSetTimescale(to_, fstReaderGetTimescale(from_));
    while (const fstHier* entry = fstReaderIterateHier(from_)) switch (entry->htyp) {
        case FST_HT_SCOPE:
          fstWriterSetScope(to_, static_cast<fstScopeType>(entry->u.scope.typ), entry->u.scope.name,
                            entry->u.scope.component);
          break;
        case FST_HT_UPSCOPE:
          fstWriterSetUpscope(to_);
          break;
        case FST_HT_ATTRBEGIN:
          fstWriterSetAttrBegin(to_, static_cast<fstAttrType>(entry->u.attr.typ), entry->u.attr.subtype,
                                entry->u.attr.name, entry->u.attr.arg);
          break;
        case FST_HT_ATTREND:
          fstWriterSetAttrEnd(to_);
          break;
        case FST_HT_VAR:
          copy_signal(*entry);
          break;
        default:
          break;
      }
  }

  void copy_signal(const fstHier& entry) {
    const auto& var = entry.u.var;
    if (var.handle >= copies_.size()) copies_.resize(var.handle + 1);
    const fstHandle of = var.is_alias ? copies_[var.handle] : 0;
    const fstHandle made =
        fstWriterCreateVar(to_, static_cast<fstVarType>(var.typ), static_cast<fstVarDir>(var.direction),
                           var.length, var.name, of);
    if (of == 0) copies_[var.handle] = made;
    const std::string_view name(var.name);
    const std::string_view port = name.substr(0, name.find_first_of(" ["));
    for (std::size_t i = 0; i < notes_.vectors.size(); ++i)
      if (!notes_.vectors[i].port.empty() && notes_.vectors[i].port == port && !is_followed(i))
        followers_.emplace_back(var.handle, i);
  }
  bool is_followed(std::size_t vector) const {
    return std::ranges::any_of(followers_, [&](const auto& each) { return each.second == vector; });
  }

  void make_notes() {
    fstWriterSetScope(to_, FST_ST_VCD_SCOPE, "lockstep", nullptr);
    const fstHandle mismatch = make_wire(to_, 1, "mismatch");
    const auto mark = [this, mismatch](const char* value) {
      return [this, mismatch, value] { fstWriterEmitValueChange(to_, mismatch, value); };
    };
    add(0, mark("0"));
    add(notes_.mismatch.count(), mark("1"));
    if (!notes_.answers.empty()) {
      const fstHandle answer =
          fstWriterCreateVar(to_, FST_VT_GEN_STRING, FST_VD_IMPLICIT, 0, "model_answer", 0);
      for (const auto& [at, text] : notes_.answers)
        add(at.count(), [this, answer, &text = text] {
          fstWriterEmitVariableLengthValueChange(to_, answer, text.data(),
                                                 static_cast<std::uint32_t>(text.size()));
        });
    }
    for (const TraceNotes::Vector& vector : notes_.vectors) {
      Bits& bits = bits_.emplace_back();
      bits.whole = make_wire(to_, static_cast<std::uint32_t>(vector.bits.size()), vector.name);
      fstWriterSetScope(to_, FST_ST_VCD_SCOPE, vector.name.c_str(), nullptr);
      for (const std::string& name : vector.bits) bits.single.push_back(make_wire(to_, 1, name));
      fstWriterSetUpscope(to_);
      for (const auto& [at, value] : vector.changes)
        add(at.count(), [this, &bits, value = value] { emit(bits, text_of(value, bits.single.size())); });
    }
    fstWriterSetUpscope(to_);
    std::ranges::stable_sort(pending_, {}, &Note::at);
  }
  void add(std::uint64_t at, std::function<void()> emit) { pending_.push_back({at, std::move(emit)}); }

  // With the highest bit first.
  static std::string text_of(const std::array<std::uint64_t, 2>& value, std::size_t bits) {
    std::string text;
    for (std::size_t bit = bits; bit-- > 0;) text += (value[bit / 64] >> bit % 64 & 1) != 0 ? '1' : '0';
    return text;
  }
  void emit(const Bits& bits, std::string_view text) {
    const std::string whole(text);
    fstWriterEmitValueChange(to_, bits.whole, whole.c_str());
    for (std::size_t bit = 0; bit < bits.single.size(); ++bit)
      fstWriterEmitValueChange(to_, bits.single[bit], &whole[whole.size() - 1 - bit]);
  }

  // Notes before the first sample are emitted with it.
  void emit_until(std::uint64_t at) {
    for (; next_ < pending_.size() && pending_[next_].at <= at; ++next_) {
      go_to(pending_[next_].at);
      pending_[next_].emit();
    }
  }
  void go_to(std::uint64_t at) {
    if (started_ && at <= now_) return;
    fstWriterEmitTimeChange(to_, now_ = at);
    started_ = true;
  }

  void change(std::uint64_t at, fstHandle signal, const unsigned char* value) {
    if (!started_) go_to(at);
    emit_until(at);
    go_to(at);
    fstWriterEmitValueChange(to_, copies_[signal], value);
    for (const auto& [followed, vector] : followers_) {
      const std::string_view text(reinterpret_cast<const char*>(value));
      const Bits& bits = bits_[vector];
      if (followed == signal && text.size() >= bits.single.size())
        emit(bits, text.substr(text.size() - bits.single.size()));
    }
  }
  void change(std::uint64_t at, fstHandle signal, const unsigned char* value, std::uint32_t size) {
    if (!started_) go_to(at);
    emit_until(at);
    go_to(at);
    fstWriterEmitVariableLengthValueChange(to_, copies_[signal], value, size);
  }

  void *from_, *to_;
  const TraceNotes& notes_;
  std::vector<fstHandle> copies_;                             // by the handle in the original
  std::vector<std::pair<fstHandle, std::size_t>> followers_;  // a signal, and the vector that repeats it
  std::deque<Bits> bits_;                                     // of each vector
  std::vector<Note> pending_;
  std::size_t next_ = 0;
  std::uint64_t now_ = 0;
  bool started_ = false;
};

}  // namespace

void add_notes(const fs::path& trace, const TraceNotes& notes) {
  const Reader reader(fstReaderOpen(trace.c_str()));
  if (!reader) return;
  const fs::path unfinished = trace.string() + ".part";
  {
    const Writer writer(fstWriterCreate(unfinished.c_str(), 1));
    if (!writer) throw RtlError(fmt::format("{} cannot be written", unfinished.string()));
    fstWriterSetDate(writer.get(), "simulated");
    fstWriterSetVersion(writer.get(), "asterism");
    fstWriterSetPackType(writer.get(), FST_WR_PT_LZ4);
    Copy(reader.get(), writer.get(), notes).run();
  }
  fs::rename(unfinished, trace);
}

}  // namespace asterism
