// Memory Accesses Tracking Table of a DIMM-SSD with the bitmap buffer of the memory controller
// (abeyratne2017 sections 5.3.3 to 5.3.5). Counterpart of Matt (models/matt/matt.h), operation by
// operation.
//
// Policy     operation_i, the inputs that it uses (page_i, lines_i, flag_i), and answer_o:
//              0 track        page, flag: it is tracked     0
//              1 mark         page                          0
//              2 write        page, lines (at least one)    1: ready, 0: not ready
//              3 peek         page                          1: a write would be ready
//              4 begin_phase                                0
//              5 next         flag: include candidates      1: a page was chosen
//              6 take         page                          1: it was pending, and is chosen
//              7 copied       page                          1: a write has waited
//            A page outside of the table is not tracked.
// Fairness   One operation at a time; the next one may come in the cycle of the answer. Pages
//            with a waiting write are chosen in the order of the first such write; the two other
//            classes are searched in round-robin order.
// Timing     Cycles from valid_i to valid_o:
//              write of a page in the buffer                2
//              any other write, peek, track, copied         3
//                and if a page leaves the buffer for it     2 more
//              mark, take                                   4; if there is nothing to do: 3
//              next, of a waiting page                      4
//              next, of another class                       6 if it is among the 64 pages of the
//                                                           present position, else 4 more, and 2
//                                                           for each 4096 pages that have none
//              next, if there is none                       2
//              begin_phase                                  3, and 3 for each page in the buffer,
//                                                           and 2 for each 64 pages of the table
//            After a reset the table is emptied, 64 pages per cycle; operations wait meanwhile.
// Cost       RAM: for each page 72 + PhaseBits bits for lines, phase and count, and 6 in the words
//            of 64 pages that the scanner reads: V, P, M separately for this phase and for earlier
//            ones, locked, candidate. For each 64 pages 2 bits say whether there is something to
//            choose. Buffer and queue are flip-flops.
module matt #(
  // The number of 4 KiB pages of memory, at least 1.
  parameter int unsigned Pages         = 4096,
  // The number of entries of the bitmap buffer.
  parameter int unsigned BufferEntries = 64,
  // The number of phase bits of an entry, 2 to 16: phases are distinguished modulo 2^PhaseBits.
  parameter int unsigned PhaseBits     = 13,
  // The number of requests in a phase that makes a page a candidate; 1 to 255.
  parameter int unsigned EarlyWrites   = 8
) (
  // Active at the rising edge.
  input  logic        clk_i,
  // Asynchronous, active low: nothing is tracked, phase 0.
  input  logic        rst_ni,
  // An operation is requested in this cycle. Not while one is in progress.
  input  logic        valid_i,
  // The operation.
  input  logic [2:0]  operation_i,
  // The page of the operation.
  input  logic [31:0] page_i,
  // The lines of a write.
  input  logic [63:0] lines_i,
  // The flag of track and next.
  input  logic        flag_i,
  // The answer is valid, for one cycle.
  output logic        valid_o,
  // The answer. It is stable until the next one, like the outputs below.
  output logic        answer_o,
  // The page that was chosen last.
  output logic [31:0] page_o,
  // Its lines.
  output logic [63:0] lines_o,
  // The phase in which they were modified.
  output logic [15:0] phase_o,
  // Why it was chosen: 0 a write waits, 1 it was pending, 2 it was a candidate.
  output logic [1:0]  reason_o,
  // The number of pages that are pending, including those that are being copied.
  output logic [31:0] pending_o,
  // There are candidates.
  output logic        candidates_o,
  // No operation is requested or in progress: a clock edge changes nothing.
  output logic        idle_o
);

  if (Pages < 1) begin : gen_bad_pages
    $fatal(1, "Pages is at least 1");
  end
  if (PhaseBits < 2 || PhaseBits > 16) begin : gen_bad_phase
    $fatal(1, "PhaseBits is 2 to 16");
  end
  if (EarlyWrites < 1 || EarlyWrites > 255) begin : gen_bad_early
    $fatal(1, "EarlyWrites is 1 to 255");
  end

  localparam int unsigned Groups    = (Pages + 63) / 64;   // of 64 pages
  localparam int unsigned Sums      = (Groups + 63) / 64;  // of 64 groups
  localparam int unsigned PageBits  = Pages > 1 ? $clog2(Pages) : 1;
  localparam int unsigned GroupBits = Groups > 1 ? $clog2(Groups) : 1;
  localparam int unsigned SumBits   = Sums > 1 ? $clog2(Sums) : 1;
  localparam int unsigned CountBits = $clog2(Pages + 1);
  localparam logic [GroupBits-1:0] LastGroup = GroupBits'(Groups - 1);

  // Operations.
  localparam logic [2:0] Track = 3'd0;
  localparam logic [2:0] Mark = 3'd1;
  localparam logic [2:0] Write = 3'd2;
  localparam logic [2:0] Peek = 3'd3;
  localparam logic [2:0] BeginPhase = 3'd4;
  localparam logic [2:0] Next = 3'd5;
  localparam logic [2:0] Take = 3'd6;
  localparam logic [2:0] Copied = 3'd7;

  typedef enum logic [3:0] {
    Clear,  // after a reset, group by group
    Idle,
    Start,  // the operation has been registered
    Look,  // entry and group of its page have been read
    Fetch,  // reads them for another page
    Merge,  // lines and requests of a page are merged into its entry
    Lock,       // the page is chosen
    Flush,      // the buffer is emptied
    SweepRead,  // what was modified in the phase becomes pending, group by group
    SweepWrite,
    Scan  // the scanner searches for a page
  } state_e;

  // Reasons.
  localparam logic [1:0] Priority = 2'd0;
  localparam logic [1:0] Pending = 2'd1;
  localparam logic [1:0] Candidate = 2'd2;

  // ---- the operation ----

  state_e              state_d, state_q;
  logic                asked_q;
  logic [2:0]          operation_q;
  logic                flag_q;
  logic                inside_q;  // the page is in the table
  logic [PageBits-1:0] page_d, page_q;  // the page of the present operation
  logic [63:0]         lines_d, lines_q;  // the lines that are written, or merged
  logic [7:0]          writes_d, writes_q;

  // The requests of a write, one for each line.
  logic [7:0] requests;
  assign requests = 8'($countones(lines_q));

  // ---- the table ----

  logic                    read, read_sum, write_entry, write_group, write_sum;
  logic [PhaseBits-1:0]    phase_q, entry_phase, new_phase;
  logic [63:0]             entry_lines, new_lines;
  logic [7:0]              entry_writes, new_writes;
  logic [GroupBits-1:0]    group_address;
  logic [SumBits-1:0]      sum_address;

  matt_ram #(
    .Depth      (Pages),
    .Width      (72 + PhaseBits),
    .AddressBits(PageBits)
  ) i_entries (
    .clk_i    (clk_i),
    .read_i   (read),
    .write_i  (write_entry),
    .address_i(page_q),
    .data_i   ({new_phase, new_writes, new_lines}),
    .data_o   ({entry_phase, entry_writes, entry_lines})
  );

  // One bit for each of 64 pages: tracked (V), a write waits (P), locked; modified in an earlier
  // phase or in this one (M), until the copy is done; candidate.
  logic [63:0] tracked, waiting, locked, earlier, modified, candidate;
  logic [63:0] new_tracked, new_waiting, new_locked, new_earlier, new_modified, new_candidate;
  matt_ram #(
    .Depth      (Groups),
    .Width      (6 * 64),
    .AddressBits(GroupBits)
  ) i_groups (
    .clk_i    (clk_i),
    .read_i   (read),
    .write_i  (write_group),
    .address_i(group_address),
    .data_i   ({new_tracked, new_waiting, new_locked, new_earlier, new_modified, new_candidate}),
    .data_o   ({tracked, waiting, locked, earlier, modified, candidate})
  );

  // For 64 groups: whether they have a pending page that is not locked, and a candidate.
  logic [63:0] sum_pending, sum_candidate, new_sum_pending, new_sum_candidate;
  matt_ram #(
    .Depth      (Sums),
    .Width      (2 * 64),
    .AddressBits(SumBits)
  ) i_sums (
    .clk_i    (clk_i),
    .read_i   (read_sum),
    .write_i  (write_sum),
    .address_i(sum_address),
    .data_i   ({new_sum_pending, new_sum_candidate}),
    .data_o   ({sum_pending, sum_candidate})
  );

  // ---- the present page ----

  typedef struct packed {
    logic tracked;
    logic waiting;
    logic locked;
    logic earlier;
    logic modified;
    logic candidate;
  } bits_t;

  bits_t       bits, new_bits;
  logic        update;  // whether new_bits are written
  logic [63:0] mine;
  logic        is_pending, is_free;
  assign mine           = 64'd1 << 6'(page_q);
  assign bits.tracked   = (tracked & mine) != '0 && inside_q;
  assign bits.waiting   = (waiting & mine) != '0;
  assign bits.locked    = (locked & mine) != '0;
  assign bits.earlier   = (earlier & mine) != '0;
  assign bits.modified  = (modified & mine) != '0;
  assign bits.candidate = (candidate & mine) != '0;
  assign is_pending     = bits.tracked && bits.earlier && !bits.locked;
  assign is_free        = bits.tracked && !bits.earlier && !bits.locked;

  function automatic logic [63:0] with_bit(logic [63:0] word, logic [63:0] place, logic value);
    with_bit = value ? word | place : word & ~place;
  endfunction

  // ---- buffer and queue ----

  logic                hit, buffer_empty, buffer_full, note, insert, remove, drain;
  logic [PageBits-1:0] leave_page;
  logic [63:0]         leave_lines;
  logic [7:0]          hit_writes, leave_writes;
  matt_buffer #(
    .Entries (BufferEntries),
    .PageBits(PageBits)
  ) i_buffer (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .page_i        (page_q),
    .note_i        (note),
    .insert_i      (insert),
    .remove_i      (remove),
    .drain_i       (drain),
    .lines_i       (lines_q),
    .writes_i      (requests),
    .hit_o         (hit),
    .hit_writes_o  (hit_writes),
    .empty_o       (buffer_empty),
    .full_o        (buffer_full),
    .leave_page_o  (leave_page),
    .leave_lines_o (leave_lines),
    .leave_writes_o(leave_writes)
  );

  logic                push, pop, unqueue, queue_empty, queue_full;
  logic [PageBits-1:0] head;
  matt_queue #(
    .Length  (64),
    .PageBits(PageBits)
  ) i_queue (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .page_i  (page_q),
    .push_i  (push),
    .pop_i   (pop),
    .remove_i(unqueue),
    .head_o  (head),
    .empty_o (queue_empty),
    .full_o  (queue_full)
  );

  // ---- counts of pages ----

  // The number of pending pages, of those that are not locked, and of candidates.
  logic [CountBits-1:0] pending_d, pending_q, open_d, open_q, candidates_d, candidates_q;
  function automatic logic [CountBits-1:0] counted(logic [CountBits-1:0] count, logic was,
                                                   logic is);
    counted = count + CountBits'(is) - CountBits'(was);
  endfunction

  // ---- the scanner ----

  logic [1:0]           reason_d, reason_q;
  logic                 scan, scan_read, scan_read_sum, found;
  logic [GroupBits-1:0] scan_group;
  logic [PageBits-1:0]  found_page;
  matt_scanner #(
    .Pages    (Pages),
    .PageBits (PageBits),
    .GroupBits(GroupBits)
  ) i_scanner (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .start_i           (scan),
    .candidate_i       (open_q == '0),
    .pending_pages_i   (earlier & ~locked),
    .candidate_pages_i (candidate),
    .pending_groups_i  (sum_pending),
    .candidate_groups_i(sum_candidate),
    .read_o            (scan_read),
    .read_sum_o        (scan_read_sum),
    .group_o           (scan_group),
    .found_o           (found),
    .page_o            (found_page)
  );

  // ---- the words to write ----

  // The page's group with its new bits, a group at the end of a phase, or an empty one.
  logic                 sweeps;
  logic [GroupBits-1:0] group_d, group_q, next_group;  // the group of a sweep
  logic [63:0]          sums_d, sums_q;  // the sums of the groups that were swept
  logic [63:0]          new_open;
  assign sweeps     = state_q == SweepWrite;
  assign next_group = group_q == LastGroup ? '0 : group_q + GroupBits'(1);
  always_comb begin
    new_tracked   = with_bit(tracked, mine, new_bits.tracked);
    new_waiting   = with_bit(waiting, mine, new_bits.waiting);
    new_locked    = with_bit(locked, mine, new_bits.locked);
    new_earlier   = with_bit(earlier, mine, new_bits.earlier);
    new_modified  = with_bit(modified, mine, new_bits.modified);
    new_candidate = with_bit(candidate, mine, new_bits.candidate);
    if (sweeps) begin
      new_tracked   = tracked;
      new_waiting   = waiting;
      new_locked    = locked;
      new_earlier   = earlier | modified;
      new_modified  = '0;
      new_candidate = '0;
    end
    if (state_q == Clear) begin
      new_tracked   = '0;
      new_waiting   = '0;
      new_locked    = '0;
      new_earlier   = '0;
      new_modified  = '0;
      new_candidate = '0;
    end
  end
  assign new_open = new_earlier & ~new_locked;

  // The bits of the group in the sums.
  logic [63:0] my_group;
  assign my_group = 64'd1 << 6'(group_address);
  always_comb begin
    new_sum_pending   = with_bit(sum_pending, my_group, new_open != '0);
    new_sum_candidate = with_bit(sum_candidate, my_group, new_candidate != '0);
    sums_d            = sums_q;
    if (sweeps || state_q == Clear) begin
      sums_d            = with_bit(6'(group_q) == '0 ? '0 : sums_q, my_group, new_open != '0);
      new_sum_pending   = sums_d;
      new_sum_candidate = '0;
    end
  end

  always_comb begin
    pending_d    = pending_q;
    open_d       = open_q;
    candidates_d = candidates_q;
    if (update) begin
      pending_d    = counted(pending_q, bits.earlier, new_bits.earlier);
      open_d       = counted(open_q, bits.earlier && !bits.locked,
                             new_bits.earlier && !new_bits.locked);
      candidates_d = counted(candidates_q, bits.candidate, new_bits.candidate);
    end else if (sweeps) begin
      pending_d    = pending_q + CountBits'($countones(modified));
      open_d       = open_q + CountBits'($countones(modified & ~locked));
      candidates_d = '0;
    end
  end

  // The entry with what is merged into it.
  logic       same_phase;
  logic [8:0] sum;
  assign same_phase = entry_phase == phase_q;
  assign sum        = {1'b0, writes_q} + {1'b0, same_phase ? entry_writes : 8'd0};
  always_comb begin
    new_phase  = '0;
    new_writes = '0;
    new_lines  = '0;
    if (state_q == Merge) begin
      new_phase  = phase_q;
      new_writes = sum[8] ? 8'hFF : sum[7:0];
      new_lines  = entry_lines | lines_q;
    end else if (state_q == Lock) begin
      new_phase  = entry_phase;
      new_writes = entry_writes;
    end
  end

  // ---- the steps ----

  logic valid_d, answer_d, ends_phase;
  // The requests of a page that is marked, including those in the buffer.
  logic [8:0] marked;
  assign marked = {1'b0, hit_writes} + 9'd64;

  always_comb begin
    state_d           = state_q;
    page_d            = page_q;
    lines_d           = lines_q;
    writes_d          = writes_q;
    group_d           = group_q;
    reason_d          = reason_q;
    scan              = 1'b0;
    valid_d           = 1'b0;
    answer_d          = 1'b0;
    ends_phase        = 1'b0;
    read              = 1'b0;
    read_sum          = 1'b0;
    write_entry       = 1'b0;
    write_group       = 1'b0;
    write_sum         = 1'b0;
    update            = 1'b0;
    new_bits          = bits;
    note              = 1'b0;
    insert            = 1'b0;
    remove            = 1'b0;
    drain             = 1'b0;
    push              = 1'b0;
    pop               = 1'b0;
    unqueue           = 1'b0;

    unique case (state_q)
      Clear: begin
        write_group = 1'b1;
        write_sum   = 1'b1;
        group_d     = next_group;
        if (group_q == LastGroup) state_d = asked_q || valid_i ? Start : Idle;
      end

      Idle: if (valid_i) state_d = Start;

      Start: begin
        if (operation_q == Write && hit && inside_q) begin
          note     = 1'b1;
          valid_d  = 1'b1;
          answer_d = 1'b1;
        end else if (operation_q == BeginPhase) begin
          state_d = Flush;
        end else if (operation_q != Next) begin
          read     = 1'b1;
          read_sum = 1'b1;
          state_d  = Look;
        end else if (!queue_empty) begin
          reason_d = Priority;
          page_d   = head;
          pop      = 1'b1;
          state_d  = Fetch;
        end else if (open_q != '0) begin
          reason_d = Pending;
          scan     = 1'b1;
          state_d  = Scan;
        end else if (flag_q && candidates_q != '0) begin
          reason_d = Candidate;
          scan     = 1'b1;
          state_d  = Scan;
        end else begin
          valid_d = 1'b1;
        end
      end

      Look: begin
        valid_d = 1'b1;
        unique case (operation_q)
          Track: begin
            new_bits         = '0;
            new_bits.tracked = flag_q;
            update           = inside_q;
            write_entry      = inside_q;
            remove           = inside_q;
            unqueue          = inside_q;
          end
          Mark: if (is_free) begin
            lines_d  = '1;
            writes_d = marked[8] ? 8'hFF : marked[7:0];
            remove   = 1'b1;
            valid_d  = 1'b0;
            state_d  = Merge;
          end
          Write: begin
            answer_d = !bits.tracked || is_free;
            if (is_free) begin
              new_bits.candidate = 1'b0;
              update             = 1'b1;
              insert             = 1'b1;
              if (buffer_full) begin
                page_d   = leave_page;
                lines_d  = leave_lines;
                writes_d = leave_writes;
                valid_d  = 1'b0;
                state_d  = Fetch;
              end
            end else if (bits.tracked) begin
              new_bits.waiting = 1'b1;
              update           = 1'b1;
              push             = is_pending && !bits.waiting && !queue_full;
            end
          end
          Peek: answer_d = !bits.tracked || is_free;
          Take: if (is_pending) begin
            reason_d = Pending;
            unqueue  = 1'b1;
            valid_d  = 1'b0;
            state_d  = Lock;
          end
          Copied: if (bits.tracked && bits.locked) begin
            answer_d          = bits.waiting;
            new_bits.waiting  = 1'b0;
            new_bits.locked   = 1'b0;
            new_bits.earlier  = 1'b0;
            new_bits.modified = 1'b0;
            update            = 1'b1;
          end
          default: ;
        endcase
      end

      Fetch: begin
        read     = 1'b1;
        read_sum = 1'b1;
        state_d  = operation_q == Next ? Lock : Merge;
      end

      Merge: begin
        write_entry        = 1'b1;
        new_bits.modified  = 1'b1;
        new_bits.candidate = bits.candidate || new_writes >= 8'(EarlyWrites);
        update             = 1'b1;
        valid_d            = operation_q != BeginPhase;
        answer_d           = operation_q == Write;
        if (operation_q == BeginPhase) state_d = Flush;
      end

      Lock: begin
        write_entry        = 1'b1;
        new_bits.locked    = 1'b1;
        new_bits.candidate = 1'b0;
        update             = 1'b1;
        valid_d            = 1'b1;
        answer_d           = 1'b1;
      end

      Flush: begin
        page_d   = leave_page;
        lines_d  = leave_lines;
        writes_d = leave_writes;
        drain    = !buffer_empty;
        group_d  = '0;
        state_d  = buffer_empty ? SweepRead : Fetch;
      end

      SweepRead: begin
        read    = 1'b1;
        state_d = SweepWrite;
      end

      SweepWrite: begin
        write_group = 1'b1;
        write_sum   = 6'(group_q) == '1 || group_q == LastGroup;
        group_d     = next_group;
        ends_phase  = group_q == LastGroup;
        valid_d     = ends_phase;
        state_d     = SweepRead;
      end

      Scan: begin
        read     = scan_read;
        read_sum = scan_read_sum;
        if (found) begin
          page_d  = found_page;
          state_d = Fetch;
        end
      end

      default: ;
    endcase

    if (update) begin
      write_group = 1'b1;
      write_sum   = 1'b1;
    end
    if (valid_d) state_d = Idle;
  end

  // Scans and sweeps address groups, everything else the page.
  always_comb begin
    unique case (state_q)
      Clear, SweepRead, SweepWrite: group_address = group_q;
      Scan:                         group_address = scan_group;
      default:                      group_address = GroupBits'(page_q >> 6);
    endcase
  end
  assign sum_address   = SumBits'(group_address >> 6);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q           <= Clear;
      asked_q           <= 1'b0;
      operation_q       <= Track;
      flag_q            <= 1'b0;
      inside_q          <= 1'b0;
      page_q            <= '0;
      lines_q           <= '0;
      writes_q          <= '0;
      phase_q           <= '0;
      pending_q         <= '0;
      open_q            <= '0;
      candidates_q      <= '0;
      group_q           <= '0;
      reason_q          <= '0;
      sums_q            <= '0;
    end else begin
      state_q           <= state_d;
      asked_q           <= (asked_q || valid_i) && !valid_d;
      page_q            <= page_d;
      lines_q           <= lines_d;
      writes_q          <= writes_d;
      pending_q         <= pending_d;
      open_q            <= open_d;
      candidates_q      <= candidates_d;
      group_q           <= group_d;
      reason_q          <= reason_d;
      sums_q            <= sums_d;
      if (ends_phase) phase_q <= phase_q + PhaseBits'(1);
      if (valid_i) begin
        operation_q <= operation_i;
        flag_q      <= flag_i;
        inside_q    <= page_i < Pages;
        page_q      <= PageBits'(page_i);
        lines_q     <= lines_i;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o  <= 1'b0;
      answer_o <= 1'b0;
      page_o   <= '0;
      lines_o  <= '0;
      phase_o  <= '0;
      reason_o <= '0;
    end else begin
      valid_o <= valid_d;
      if (valid_d) answer_o <= answer_d;
      if (state_q == Lock) begin
        page_o   <= 32'(page_q);
        lines_o  <= entry_lines;
        phase_o  <= 16'(entry_phase);
        reason_o <= reason_q;
      end
    end
  end

  assign pending_o    = 32'(pending_q);
  assign candidates_o = candidates_q != '0;
  assign idle_o       = state_q == Idle && !valid_i && !valid_o;

endmodule
