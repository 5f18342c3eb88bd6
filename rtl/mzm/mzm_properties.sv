// The properties of mzm, bound to every instance of it. They need `--assert`. Ports without a
// comment are those of the monitor.
module mzm_properties #(
  parameter int unsigned Lines      = 32,
  parameter int unsigned SectorBits = 6,
  // The number of bits of an address of its table.
  parameter int unsigned TableBits  = 7
) (
  // The assertions are checked at its rising edge.
  input logic                  clk_i,
  // Nothing is checked while it is low.
  input logic                  rst_ni,
  input logic                  valid_i,
  input logic                  valid_o,
  input logic [1:0]            answer_o,
  input logic [15:0]           sectors_o,
  input logic                  complete_o,
  input logic                  idle_o,
  // The state is Look: the cache's part of the sector has been read.
  input logic                  looks,
  // A write that was looked up is answered.
  input logic                  decides,
  // The write waits.
  input logic                  waits,
  // Writes are noted.
  input logic                  tracking_q,
  // A snapshot is open.
  input logic                  open_q,
  // The sector of the zone of the present operation.
  input logic [SectorBits-1:0] sector,
  // The zone in its sector.
  input logic [255:0]          mine,
  // The bit of the zone in `next` after a write.
  input logic                  notes,
  // A sector of the table or of the cache is read.
  input logic                  reads,
  // A sector of the table or of the cache is written.
  input logic                  writes,
  // The line of the sector.
  input logic                  hit
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
  assert property (disable iff (off) !valid_o && !$past(off) |-> $stable({answer_o, sectors_o}))
  else $fatal(1, "AnswersStand: an output changed without an answer");

  AnswersAreKnown:
  assert property (disable iff (off) answer_o != 2'd3)
  else $fatal(1, "AnswersAreKnown: 3 is none");

  IdleMeansNothingUnderWay:
  assert property (disable iff (off) idle_o |-> !valid_i && !busy_q)
  else $fatal(1, "IdleMeansNothingUnderWay: idle_o is high during an operation");

  NothingMovesWhileIdle:
  assert property (disable iff (off) $past(idle_o) && !$past(off) |->
                   $stable({valid_o, complete_o, tracking_q, sector}))
  else $fatal(1, "NothingMovesWhileIdle: something changed");

  OneAccessOfAMemoryAtATime:
  assert property (disable iff (off) !(reads && writes))
  else $fatal(1, "OneAccessOfAMemoryAtATime: the table is read and written at once");

  NothingWaitsWhileComplete:
  assert property (disable iff (off) decides && waits |-> open_q)
  else $fatal(1, "NothingWaitsWhileComplete: a write waits although no snapshot is open");

  // The word of the table itself: that of the cache may be older, and then stalls more writes.
  logic [255:0] truth;
  assign truth = mzm.i_table.sectors_q[TableBits'({sector, 1'b0})];
  WhatIsUnpreservedWaits:
  assert property (disable iff (off) decides && open_q && (truth & mine) != '0 |-> waits)
  else $fatal(1, "WhatIsUnpreservedWaits: a write to sector %0d proceeds", sector);

  WritesAreNoted:
  assert property (disable iff (off) decides && (waits || tracking_q) |-> notes)
  else $fatal(1, "WritesAreNoted: a write to sector %0d is not noted", sector);

  // ---- the cache ----

  logic [Lines-1:0] hits, oldest, with_tag, in_set, with_previous, with_next, changed;
  assign hits          = mzm.i_cache.hit;
  assign oldest        = mzm.i_cache.oldest;
  assign in_set        = mzm.i_cache.in_set;
  assign with_tag      = mzm.i_cache.tagged_q;
  assign with_previous = mzm.i_cache.previous_q;
  assign with_next     = mzm.i_cache.next_q;
  assign changed       = mzm.i_cache.changed_q;

  WhatIsLookedAtHasALine:
  assert property (disable iff (off) looks |-> hit)
  else $fatal(1, "WhatIsLookedAtHasALine: sector %0d has no line", sector);

  OneLineOfASector:
  assert property (disable iff (off) $onehot0(hits))
  else $fatal(1, "OneLineOfASector: sector %0d is in lines %h", sector, hits);

  OneIsTheOldest:
  assert property (disable iff (off) $onehot(oldest))
  else $fatal(1, "OneIsTheOldest: lines %h", oldest);

  EmptyLinesGoFirst:
  assert property (disable iff (off) (oldest & with_tag) != '0 |-> (in_set & ~with_tag) == '0)
  else $fatal(1, "EmptyLinesGoFirst: line %h goes before %h", oldest, in_set & ~with_tag);

  EmptyLinesHaveNothing:
  assert property (disable iff (off) ((with_previous | with_next) & ~with_tag) == '0)
  else $fatal(1, "EmptyLinesHaveNothing: %h do", (with_previous | with_next) & ~with_tag);

  WhatChangedIsThere:
  assert property (disable iff (off) (changed & ~with_next) == '0)
  else $fatal(1, "WhatChangedIsThere: %h are not", changed & ~with_next);

endmodule

bind mzm mzm_properties #(
  .Lines     (Lines),
  .SectorBits(SectorBits),
  .TableBits (TableBits)
) i_properties (
  .looks  (state_q == Look),
  .decides(valid_d && (state_q == Look || state_q == FillPrevious || state_q == FillNext)),
  .notes  (noted || (write_next && (new_next & mine) != '0)),
  .reads  (table_read || cache_read),
  .writes (table_write || write_next),
  .*
);
