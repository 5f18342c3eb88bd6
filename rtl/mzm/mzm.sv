// Memory-zone monitor of one channel of a GPU's memory (lee2019 sections 4.1.2 to 4.3.2): checks
// every write against the open snapshot, and notes the zones that the next one has to save.
// Counterpart of ZoneMonitor (models/zone_monitor/zone_monitor.h), operation by operation.
//
// Policy     operation_i, the inputs that it uses (zone_i, flag_i), and answer_o:
//              0 track       flag: writes are noted    0
//              1 write       zone                      0 proceeds; 1 waits, and is the first of
//                                                      its zone, which notifies the offloader;
//                                                      2 waits
//              2 expose      zone                      0
//              3 begin                                 0
//              4 preserve    zone                      0
//              5 refresh                               0
//              6 complete                              0
//              7             no operation              0
//            A zone outside of the table is never part of a snapshot, and is not noted.
// Fairness   One operation at a time; the next one may come in the cycle of the answer.
// Timing     Cycles from valid_i to valid_o:
//              write, nothing looked up       2
//              write, its sectors are cached  3
//                for each that is fetched     1 more
//                and if a changed sector of   1 more
//                the line is written back
//              expose, preserve               3; expose while a snapshot is open: 2
//              refresh                        2
//              track                          2 and one for each sector; if unchanged: 2
//              complete                       2 and one for each sector
//              begin                          2 and one for each line, one for each changed line,
//                                             4 for each sector; while a snapshot is open: 2
//            After a reset the table is emptied, a sector of a vector per cycle; operations wait
//            meanwhile.
// Cost       The table, in place of the channel's memory, has two sectors of 256 bits for each
//            256 zones. The cache has RAM for two sectors per line; its tags and flags are
//            flip-flops, as is the sector that begin holds.
module mzm #(
  // The number of zones of the channel, at least 1.
  parameter int unsigned Zones = 16384,
  // The number of lines of the cache, 64 bytes each; a power of two.
  parameter int unsigned Lines = 32,
  // The number of lines of a set; a power of two, at most Lines.
  parameter int unsigned Ways  = 4
) (
  // Active at the rising edge.
  input  logic        clk_i,
  // Asynchronous, active low: nothing is tracked, no snapshot is open, table and cache are empty.
  input  logic        rst_ni,
  // An operation is requested in this cycle. Not while one is in progress.
  input  logic        valid_i,
  // The operation.
  input  logic [2:0]  operation_i,
  // The zone of the operation.
  input  logic [31:0] zone_i,
  // The flag of track.
  input  logic        flag_i,
  // The answer is valid, for one cycle.
  output logic        valid_o,
  // The answer. It is stable until the next one, like the output below.
  output logic [1:0]  answer_o,
  // Sectors that the channel moved for a write: fetched and written back; for begin: written back.
  output logic [15:0] sectors_o,
  // No snapshot is open: writes proceed unchecked.
  output logic        complete_o,
  // No operation is requested or in progress: a clock edge changes nothing.
  output logic        idle_o
);

  if (Zones < 1) begin : gen_bad_zones
    $fatal(1, "Zones is at least 1");
  end

  localparam int unsigned Sectors    = (Zones + 255) / 256;  // of each vector
  localparam int unsigned SectorBits = Sectors > 1 ? $clog2(Sectors) : 1;
  localparam int unsigned TableBits  = $clog2(2 * Sectors);
  localparam int unsigned LineBits   = Lines > 1 ? $clog2(Lines) : 1;
  localparam int unsigned ZoneBits   = SectorBits + 8;
  localparam logic [SectorBits-1:0] LastSector = SectorBits'(Sectors - 1);
  localparam logic [LineBits-1:0] LastLine = LineBits'(Lines - 1);

  // Operations.
  localparam logic [2:0] Track = 3'd0;
  localparam logic [2:0] Write = 3'd1;
  localparam logic [2:0] Expose = 3'd2;
  localparam logic [2:0] Begin = 3'd3;
  localparam logic [2:0] Preserve = 3'd4;
  localparam logic [2:0] Refresh = 3'd5;
  localparam logic [2:0] Complete = 3'd6;

  // Answers.
  localparam logic [1:0] Proceed = 2'd0;
  localparam logic [1:0] FirstStall = 2'd1;
  localparam logic [1:0] Stall = 2'd2;

  // Vectors of the table.
  localparam logic Previous = 1'b0;
  localparam logic Next = 1'b1;

  typedef enum logic [3:0] {
    ErasePrevious,  // a vector is emptied, sector by sector; after a reset both
    EraseNext,
    Idle,
    Start,  // the operation has been registered
    Evict,  // the line that the sector takes is written back to the table
    Look,  // the cache's part of the sector has been read
    FillPrevious,  // a sector of `previous` arrives from the table
    FillNext,  // a sector of `next` arrives
    Update,  // the sector whose bit is to change has been read
    Flush,  // the cache is written back to the table, line by line
    FlushWrite,
    SweepNext,  // next is merged into previous, sector by sector: reads next,
    SweepPrevious,  // reads previous,
    SweepMerge,     // writes previous,
    SweepClear      // writes next
  } state_e;

  state_e                state_d, state_q;
  logic                  asked_q;
  logic                  fresh_q;  // the table was not emptied since the reset
  logic [2:0]            operation_q;
  logic                  flag_q;
  logic                  inside_q;  // the zone is in the table
  logic [ZoneBits-1:0]   zone_q;
  logic                  tracking_d, tracking_q, open_d, open_q;
  logic [SectorBits-1:0] at_d, at_q;  // the sector that is erased or swept
  logic [LineBits-1:0]   walk_d, walk_q;  // the line that is written back
  logic                  waits_d, waits_q;
  logic [255:0]          held_q;  // a sector of `next`, while its sector of `previous` is read
  logic [15:0]           moved_d, moved_q;

  logic [SectorBits-1:0] sector;
  logic [255:0]          mine;
  assign sector = zone_q[ZoneBits-1:8];
  assign mine   = 256'd1 << zone_q[7:0];

  // ---- the table ----

  logic                  table_read, table_write, table_vector;
  logic [SectorBits-1:0] table_sector;
  logic [255:0]          table_in, table_out;
  mzm_ram #(
    .Depth      (2 * Sectors),
    .AddressBits(TableBits)
  ) i_table (
    .clk_i    (clk_i),
    .read_i   (table_read),
    .write_i  (table_write),
    .address_i(TableBits'({table_sector, table_vector})),
    .data_i   (table_in),
    .data_o   (table_out)
  );

  // ---- the cache ----

  logic                  hit, has_previous, has_next, changed;
  logic [LineBits-1:0]   line;
  logic [SectorBits-1:0] line_sector;
  logic                  walks, uses, fetched_previous, fetched_next, changes, written_back;
  logic                  drop_previous, drop_next, empty;
  mzm_cache #(
    .Lines     (Lines),
    .Ways      (Ways),
    .SectorBits(SectorBits),
    .LineBits  (LineBits)
  ) i_cache (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .sector_i       (sector),
    .walk_i         (walks),
    .walk_line_i    (walk_q),
    .use_i          (uses),
    .previous_i     (fetched_previous),
    .next_i         (fetched_next),
    .change_i       (changes),
    .written_back_i (written_back),
    .drop_previous_i(drop_previous),
    .drop_next_i    (drop_next),
    .empty_i        (empty),
    .hit_o          (hit),
    .line_o         (line),
    .line_sector_o  (line_sector),
    .has_previous_o (has_previous),
    .has_next_o     (has_next),
    .changed_o      (changed)
  );

  logic         cache_read, write_next;
  logic [255:0] cache_previous, cache_next, new_next;
  mzm_ram #(
    .Depth      (Lines),
    .AddressBits(LineBits)
  ) i_previous (
    .clk_i    (clk_i),
    .read_i   (cache_read),
    .write_i  (fetched_previous),
    .address_i(line),
    .data_i   (table_out),
    .data_o   (cache_previous)
  );
  mzm_ram #(
    .Depth      (Lines),
    .AddressBits(LineBits)
  ) i_next (
    .clk_i    (clk_i),
    .read_i   (cache_read),
    .write_i  (write_next),
    .address_i(line),
    .data_i   (new_next),
    .data_o   (cache_next)
  );

  // ---- a write ----

  // The zone's bits, from the cache or the table.
  logic         waits, noted, needs_next;
  logic [255:0] word_previous, word_next;
  assign word_previous = state_q == FillPrevious ? table_out : cache_previous;
  assign word_next     = state_q == FillNext ? table_out : cache_next;
  assign waits         = state_q == FillNext ? waits_q : open_q && (word_previous & mine) != '0;
  assign noted         = (word_next & mine) != '0;
  assign needs_next    = waits || tracking_q;
  assign new_next      = word_next | mine;

  // ---- the steps ----

  logic       valid_d, last_sector;
  logic [1:0] answer_d;
  assign last_sector = at_q == LastSector;
  assign walks       = state_q == Flush || state_q == FlushWrite;

  always_comb begin
    state_d          = state_q;
    tracking_d       = tracking_q;
    open_d           = open_q;
    at_d             = at_q;
    walk_d           = walk_q;
    waits_d          = waits;
    moved_d          = moved_q;
    valid_d          = 1'b0;
    answer_d         = Proceed;
    table_read       = 1'b0;
    table_write      = 1'b0;
    table_vector     = Previous;
    table_sector     = sector;
    table_in         = '0;
    cache_read       = 1'b0;
    write_next       = 1'b0;
    uses             = 1'b0;
    fetched_previous = 1'b0;
    fetched_next     = 1'b0;
    changes          = 1'b0;
    written_back     = 1'b0;
    drop_previous    = 1'b0;
    drop_next        = 1'b0;
    empty            = 1'b0;

    unique case (state_q)
      ErasePrevious: begin
        table_sector = at_q;
        table_write  = 1'b1;
        at_d         = last_sector ? '0 : at_q + SectorBits'(1);
        if (last_sector && fresh_q) state_d = EraseNext;
        valid_d = last_sector && !fresh_q;
      end

      EraseNext: begin
        table_sector = at_q;
        table_vector = Next;
        table_write  = 1'b1;
        at_d         = last_sector ? '0 : at_q + SectorBits'(1);
        if (last_sector && fresh_q) state_d = asked_q || valid_i ? Start : Idle;
        valid_d = last_sector && !fresh_q;
      end

      Idle: if (valid_i) state_d = Start;

      Start: begin
        unique case (operation_q)
          Track: if (flag_q == tracking_q) begin
            valid_d = 1'b1;
          end else begin
            tracking_d = flag_q;
            drop_next  = 1'b1;
            state_d    = EraseNext;
          end
          Write: if (inside_q && (open_q || tracking_q)) begin
            cache_read = 1'b1;
            uses       = hit || !changed;
            state_d    = uses ? Look : Evict;
          end else begin
            valid_d = 1'b1;
          end
          Expose, Preserve: if (inside_q && (operation_q == Preserve || !open_q)) begin
            table_read = 1'b1;
            state_d    = Update;
          end else begin
            valid_d = 1'b1;
          end
          Begin: begin
            valid_d = open_q;
            if (!open_q) state_d = Flush;
          end
          Refresh: begin
            drop_previous = 1'b1;
            valid_d       = 1'b1;
          end
          Complete: begin
            open_d  = 1'b0;
            state_d = ErasePrevious;
          end
          default: valid_d = 1'b1;
        endcase
      end

      Evict: begin
        table_sector = line_sector;
        table_vector = Next;
        table_write  = 1'b1;
        table_in     = cache_next;
        moved_d      = moved_q + 16'd1;
        uses         = 1'b1;
        state_d      = Look;
      end

      Look, FillPrevious, FillNext: begin
        fetched_previous = state_q == FillPrevious;
        fetched_next     = state_q == FillNext;
        if (state_q == Look && open_q && !has_previous) begin
          table_read = 1'b1;
          moved_d    = moved_q + 16'd1;
          state_d    = FillPrevious;
        end else if (!needs_next) begin
          valid_d = 1'b1;
        end else if (state_q != FillNext && !has_next) begin
          table_vector = Next;
          table_read   = 1'b1;
          moved_d      = moved_q + 16'd1;
          state_d      = FillNext;
        end else begin
          write_next = fetched_next || !noted;
          changes    = !noted;
          valid_d    = 1'b1;
          answer_d   = !waits ? Proceed : noted ? Stall : FirstStall;
        end
      end

      Update: begin
        table_write = 1'b1;
        table_in    = operation_q == Expose ? table_out | mine : table_out & ~mine;
        valid_d     = 1'b1;
      end

      Flush, FlushWrite: begin
        table_sector = line_sector;
        table_vector = Next;
        table_in     = cache_next;
        if (state_q == Flush && changed) begin
          cache_read = 1'b1;
          state_d    = FlushWrite;
        end else begin
          table_write  = state_q == FlushWrite;
          written_back = state_q == FlushWrite;
          moved_d      = moved_q + 16'(state_q == FlushWrite);
          walk_d       = walk_q == LastLine ? '0 : walk_q + LineBits'(1);
          state_d      = walk_q == LastLine ? SweepNext : Flush;
        end
      end

      SweepNext: begin
        empty        = 1'b1;
        table_sector = at_q;
        table_vector = Next;
        table_read   = 1'b1;
        state_d      = SweepPrevious;
      end

      SweepPrevious: begin
        table_sector = at_q;
        table_read   = 1'b1;
        state_d      = SweepMerge;
      end

      SweepMerge: begin
        table_sector = at_q;
        table_write  = 1'b1;
        table_in     = table_out | (tracking_q ? held_q : '0);
        state_d      = SweepClear;
      end

      SweepClear: begin
        table_sector = at_q;
        table_vector = Next;
        table_write  = 1'b1;
        at_d         = last_sector ? '0 : at_q + SectorBits'(1);
        open_d       = last_sector;
        valid_d      = last_sector;
        state_d      = SweepNext;
      end

      default: ;
    endcase

    if (valid_d) state_d = Idle;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= ErasePrevious;
      asked_q     <= 1'b0;
      fresh_q     <= 1'b1;
      operation_q <= Track;
      flag_q      <= 1'b0;
      inside_q    <= 1'b0;
      zone_q      <= '0;
      tracking_q  <= 1'b0;
      open_q      <= 1'b0;
      at_q        <= '0;
      walk_q      <= '0;
      waits_q     <= 1'b0;
      held_q      <= '0;
      moved_q     <= '0;
    end else begin
      state_q    <= state_d;
      asked_q    <= (asked_q || valid_i) && !valid_d;
      fresh_q    <= fresh_q && !(state_q == EraseNext && last_sector);
      tracking_q <= tracking_d;
      open_q     <= open_d;
      at_q       <= at_d;
      walk_q     <= walk_d;
      waits_q    <= waits_d;
      moved_q    <= moved_d;
      if (state_q == SweepPrevious) held_q <= table_out;
      if (valid_i) begin
        operation_q <= operation_i;
        flag_q      <= flag_i;
        inside_q    <= zone_i < Zones;
        zone_q      <= ZoneBits'(zone_i);
        moved_q     <= '0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o   <= 1'b0;
      answer_o  <= Proceed;
      sectors_o <= '0;
    end else begin
      valid_o <= valid_d;
      if (valid_d) begin
        answer_o  <= answer_d;
        sectors_o <= moved_d;
      end
    end
  end

  assign complete_o = !open_q;
  assign idle_o     = state_q == Idle && !valid_i && !valid_o;

endmodule
