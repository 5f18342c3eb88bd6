// Restore of an image: reads every data page once, checks its lines and delivers them.
#include <algorithm>
#include <utility>

#include "dimm_ssd/checkpoint_log_state.h"

namespace asterism {

bool CheckpointLog::restore(Picoseconds now, const std::string& name, std::uint64_t version,
                            RestoreSink& sink) {
  const Stored* stored = find(name, version);
  if (!stored) return false;
  stop_restore();
  ++counts_.restores;
  restore_ = std::make_shared<Restore>();
  restore_->sink = &sink;
  const auto bodies = directory_.chain_bodies(directory_.index_of(stored->sequence));
  restore_->pieces = image_of(bodies);
  for (const ImagePiece& piece : restore_->pieces) pages_.hold(piece.entry.data_page);
  if (bodies.empty() || !keeps_contents_)
    notify(Notice::Kind::restore_ended, now, restores_, Error::uncorrectable);
  else
    read_piece(now);
  return true;
}

void CheckpointLog::read_piece(Picoseconds now) {
  Restore& r = *restore_;
  if (r.next == r.pieces.size()) return notify(Notice::Kind::restore_ended, now, restores_, Error::none);
  const std::uint32_t page = r.pieces[r.next].entry.data_page;
  r.end = r.next;
  while (r.end < r.pieces.size() && r.pieces[r.end].entry.data_page == page) ++r.end;
  r.is_reading = true;
  layer_.read(now, page, tag_of(Purpose::restore_read, restores_));
}

void CheckpointLog::next_piece(Picoseconds now) {
  if (restore_ && !restore_->is_reading) read_piece(now);
}

void CheckpointLog::restore_read(Picoseconds at, std::uint32_t serial, std::span<const std::byte> data) {
  if (!restore_ || serial != restores_) return;
  Restore& r = *restore_;
  const std::size_t line = config_.line.count();
  const auto is_good = [&](const ImagePiece& piece) {
    const LogEntry& e = piece.entry;
    return lines_check(data.subspan(e.first_line * line, e.line_count() * line)) == e.check;
  };
  if (data.empty() || !std::all_of(r.pieces.begin() + static_cast<std::ptrdiff_t>(r.next),
                                   r.pieces.begin() + static_cast<std::ptrdiff_t>(r.end), is_good)) {
    page_lost(r.pieces[r.next].entry.data_page);
    return notify(Notice::Kind::restore_ended, at, restores_, Error::uncorrectable);
  }
  r.data.assign(data.begin(), data.end());
  notify(Notice::Kind::piece, at);
}

// The sink may stop the restore, or begin another one, in any call.
void CheckpointLog::deliver_piece(Picoseconds at) {
  const std::shared_ptr<Restore> r = restore_;
  if (!r || !r->is_reading) return;
  std::vector<std::byte> lines;
  for (; r->next < r->end; ++r->next) {
    const ImagePiece& piece = r->pieces[r->next];
    lines.clear();
    append_lines(r->data, piece.entry, piece.lines, config_.line.count(), lines);
    r->sink->restored(at, piece.entry.page, piece.lines, lines);
    if (restore_ != r) return;
  }
  r->is_reading = false;
  r->sink->piece_ended(at);
}

void CheckpointLog::end_restore(Picoseconds at, Error error) {
  RestoreSink* const sink = restore_->sink;
  stop_restore();
  continue_work(at);
  sink->restore_ended(at, error);
}

void CheckpointLog::stop_restore() {
  ++restores_;
  if (const std::shared_ptr<Restore> stopped = std::exchange(restore_, nullptr))
    for (const ImagePiece& piece : stopped->pieces) pages_.release_hold(piece.entry.data_page);
}

void CheckpointLog::page_lost(std::uint32_t page) {
  if (!lost_.insert(page).second) return;
  ++counts_.lost_pages;
  mark_unreadable();
}

}  // namespace asterism
