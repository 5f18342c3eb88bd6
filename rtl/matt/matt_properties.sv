// The properties of matt, bound to every instance of it. They need `--assert`. Ports without a
// comment are those of the table.
module matt_properties #(
  parameter int unsigned PageBits      = 12,
  // The number of bits of its counts of pages.
  parameter int unsigned CountBits     = 13,
  parameter int unsigned BufferEntries = 64
) (
  // The assertions are checked at its rising edge.
  input logic                 clk_i,
  // Nothing is checked while it is low.
  input logic                 rst_ni,
  input logic                 valid_i,
  input logic                 valid_o,
  input logic                 answer_o,
  input logic [31:0]          page_o,
  input logic [63:0]          lines_o,
  input logic [15:0]          phase_o,
  input logic [1:0]           reason_o,
  input logic [31:0]          pending_o,
  input logic                 candidates_o,
  input logic                 idle_o,
  // The state is Start: an operation begins.
  input logic                 starts,
  // The state is Look: group and entry of the page have been read.
  input logic                 looks,
  // The state is Lock: the page is chosen.
  input logic                 locks,
  // The state is Merge: lines and requests are merged into the entry of the page.
  input logic                 merges,
  // The group words that were read.
  input logic [63:0]          tracked,
  input logic [63:0]          waiting,
  input logic [63:0]          locked,
  input logic [63:0]          earlier,
  input logic [63:0]          modified,
  input logic [63:0]          candidate,
  // The present page, in its group.
  input logic [63:0]          mine,
  // The page is in the table.
  input logic                 inside_q,
  // The present page.
  input logic [PageBits-1:0]  page_q,
  // The page is in the buffer.
  input logic                 hit,
  // Its lines in the table.
  input logic [63:0]          entry_lines,
  // Why it is chosen.
  input logic [1:0]           reason_q,
  // The number of pages that are pending.
  input logic [CountBits-1:0] pending_q,
  // The number of those that are not locked.
  input logic [CountBits-1:0] open_q
);

  default clocking @(posedge clk_i); endclocking

  // An alias, because lint takes `disable iff (!rst_ni)` for a synchronous use of the reset.
  logic off;
  assign off = !rst_ni;

  // An operation is in progress.
  logic busy_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= valid_i || (busy_q && !valid_o);
  end

  NothingIsAskedWhileBusy:
  assert property (disable iff (off) valid_i |-> !busy_q || valid_o)
  else $fatal(1, "NothingIsAskedWhileBusy: an operation came before the answer to the last");

  AnAnswerToEachOperation:
  assert property (disable iff (off) valid_o |-> busy_q)
  else $fatal(1, "AnAnswerToEachOperation: an answer without an operation");

  AnswersStand:
  assert property (disable iff (off) !valid_o && !$past(off) |->
                   $stable({answer_o, page_o, lines_o, phase_o, reason_o}))
  else $fatal(1, "AnswersStand: an output changed without an answer");

  IdleMeansNothingUnderWay:
  assert property (disable iff (off) idle_o |-> !valid_i && !busy_q)
  else $fatal(1, "IdleMeansNothingUnderWay: idle_o is high during an operation");

  NothingMovesWhileIdle:
  assert property (disable iff (off) $past(idle_o) && !$past(off) |->
                   $stable({valid_o, pending_o, candidates_o, page_q}))
  else $fatal(1, "NothingMovesWhileIdle: something changed");

  OpenPagesArePending:
  assert property (disable iff (off) open_q <= pending_q)
  else $fatal(1, "OpenPagesArePending: %0d pages are open, %0d are pending", open_q, pending_q);

  // The words of a group were read.
  logic reads;
  assign reads = looks || locks || merges;

  OnePhaseOfAPage:
  assert property (disable iff (off) reads |-> (earlier & modified) == '0)
  else $fatal(1, "OnePhaseOfAPage: %h is modified in two phases", earlier & modified);

  CandidatesAreModifiedAndFree:
  assert property (disable iff (off) reads |-> (candidate & ~(modified & ~locked)) == '0)
  else $fatal(1, "CandidatesAreModifiedAndFree: %h are not", candidate & ~(modified & ~locked));

  LockedPagesAreModified:
  assert property (disable iff (off) reads |-> (locked & ~(earlier | modified)) == '0)
  else $fatal(1, "LockedPagesAreModified: %h are not", locked & ~(earlier | modified));

  OnlyBlockedPagesAreWaitedFor:
  assert property (disable iff (off) reads |-> (waiting & ~(earlier | locked)) == '0)
  else $fatal(1, "OnlyBlockedPagesAreWaitedFor: %h are not", waiting & ~(earlier | locked));

  OnlyTrackedPagesHaveBits:
  assert property (disable iff (off) reads |->
                   ((waiting | locked | earlier | modified | candidate) & ~tracked) == '0)
  else $fatal(1, "OnlyTrackedPagesHaveBits: a page that is not tracked has a bit");

  BufferedPagesAreReady:
  assert property (disable iff (off) looks && hit && inside_q |->
                   (mine & tracked & ~earlier & ~locked & ~candidate) != '0)
  else $fatal(1, "BufferedPagesAreReady: %0d is in the buffer", page_q);

  // Bit 1 of the reason is set for a candidate.
  ChosenPagesAreThere:
  assert property (disable iff (off) locks |->
                   (mine & tracked & ~locked & (reason_q[1] ? candidate : earlier)) != '0)
  else $fatal(1, "ChosenPagesAreThere: %0d is chosen for reason %0d", page_q, reason_q);

  PriorityMeansThatSomethingWaits:
  assert property (disable iff (off) locks && reason_q == '0 |-> (mine & waiting) != '0)
  else $fatal(1, "PriorityMeansThatSomethingWaits: no write waits for %0d", page_q);

  ChosenPagesHaveLines:
  assert property (disable iff (off) locks |-> entry_lines != '0)
  else $fatal(1, "ChosenPagesHaveLines: %0d has no lines", page_q);

  // The pages of the buffer are distinct, and its order is a strict total order.
  logic [BufferEntries-1:0] hits;
  assign hits = matt.i_buffer.hit;
  OneEntryOfAPage:
  assert property (disable iff (off) starts |-> $onehot0(hits))
  else $fatal(1, "OneEntryOfAPage: page %0d is in entries %h", page_q, hits);

  logic [BufferEntries-1:0] oldest;
  assign oldest = matt.i_buffer.oldest;
  OneIsTheOldest:
  assert property (disable iff (off) $onehot(oldest))
  else $fatal(1, "OneIsTheOldest: entries %h", oldest);

endmodule

bind matt matt_properties #(
  .PageBits     (PageBits),
  .CountBits    (CountBits),
  .BufferEntries(BufferEntries)
) i_properties (
  .starts(state_q == Start),
  .looks (state_q == Look),
  .locks (state_q == Lock),
  .merges(state_q == Merge),
  .*
);
