// Searches for the next page of a class: the first one after the last page that was found in this
// class, wrapping around the table. It examines the words of 64 pages and, if a group has none, the
// sums of 64 groups.
//
// Timing     From start_i to found_o: 2 cycles if the page is among the 64 of the present position,
//            else 4 more, and 2 for each 4096 pages that have none.
module matt_scanner #(
  // The number of pages of the table.
  parameter int unsigned Pages     = 4096,
  // The number of bits of a page's number.
  parameter int unsigned PageBits  = 12,
  // The number of bits of a group's number.
  parameter int unsigned GroupBits = 6
) (
  // Active at the rising edge.
  input  logic                 clk_i,
  // Asynchronous, active low: both classes start with the first page.
  input  logic                 rst_ni,
  // Starts a search. There must be such a page, and no search in progress.
  input  logic                 start_i,
  // With start_i: search for a candidate, else for a pending page.
  input  logic                 candidate_i,
  // For the group that was read: the pages that are pending and not locked.
  input  logic [63:0]          pending_pages_i,
  // For the group that was read: the candidates.
  input  logic [63:0]          candidate_pages_i,
  // For the 64 groups whose sums were read: those with a page that is pending and not locked.
  input  logic [63:0]          pending_groups_i,
  // For the same groups: those with a candidate.
  input  logic [63:0]          candidate_groups_i,
  // Reads the words of a group, which are valid a cycle later.
  output logic                 read_o,
  // Reads the sums of its 64 groups.
  output logic                 read_sum_o,
  // The group to read.
  output logic [GroupBits-1:0] group_o,
  // The page was found, for one cycle.
  output logic                 found_o,
  // The page that was found.
  output logic [PageBits-1:0]  page_o
);

  localparam int unsigned Groups  = (Pages + 63) / 64;   // of 64 pages
  localparam int unsigned Sums    = (Groups + 63) / 64;  // of 64 groups
  localparam int unsigned SumBits = Sums > 1 ? $clog2(Sums) : 1;

  typedef enum logic [2:0] {
    Rest,
    Read,  // searches for a page in a group
    Look,
    SumRead,  // searches for the next group
    SumLook
  } state_e;

  state_e               state_d, state_q;
  logic                 candidate_d, candidate_q;  // the class of the search
  logic [GroupBits-1:0] group_d, group_q;
  logic [5:0]           from_d, from_q;  // the first page of the group that counts
  logic [PageBits-1:0]  after_pending_d, after_pending_q, after_candidate_d, after_candidate_q;

  // Pages of the group, or groups, from the present position on.
  logic [63:0] set, first;
  logic [5:0]  index;
  logic        unused_first;
  always_comb begin
    if (state_q == Look) begin
      set = (candidate_q ? candidate_pages_i : pending_pages_i) & ('1 << from_q);
    end else begin
      set = (candidate_q ? candidate_groups_i : pending_groups_i) & ('1 << 6'(group_q));
    end
  end
  matt_first i_first (
    .set_i  (set),
    .first_o(first),
    .index_o(index)
  );
  assign unused_first = ^first;

  assign read_o     = state_q == Read;
  assign read_sum_o = state_q == SumRead;
  assign group_o    = group_q;
  assign found_o    = state_q == Look && set != '0;
  assign page_o     = PageBits'({group_q, index});

  logic [PageBits-1:0] turn, behind;
  logic [SumBits-1:0]  sum;
  assign turn   = candidate_i ? after_candidate_q : after_pending_q;
  assign behind = page_o == PageBits'(Pages - 1) ? '0 : page_o + PageBits'(1);
  assign sum    = SumBits'(group_q >> 6);

  always_comb begin
    state_d           = state_q;
    candidate_d       = candidate_q;
    group_d           = group_q;
    from_d            = from_q;
    after_pending_d   = after_pending_q;
    after_candidate_d = after_candidate_q;

    unique case (state_q)
      Rest: if (start_i) begin
        candidate_d = candidate_i;
        group_d     = GroupBits'(turn >> 6);
        from_d      = 6'(turn);
        state_d     = Read;
      end

      Read: state_d = Look;

      Look: begin
        if (found_o) begin
          if (candidate_q) after_candidate_d = behind;
          else after_pending_d = behind;
          state_d = Rest;
        end else begin
          group_d = group_q == GroupBits'(Groups - 1) ? '0 : group_q + GroupBits'(1);
          from_d  = '0;
          state_d = SumRead;
        end
      end

      SumRead: state_d = SumLook;

      SumLook: begin
        if (set != '0) begin
          group_d = GroupBits'({sum, index});
          state_d = Read;
        end else begin
          group_d = sum == SumBits'(Sums - 1) ? '0 : GroupBits'({sum + SumBits'(1), 6'd0});
          state_d = SumRead;
        end
      end

      default: ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q           <= Rest;
      candidate_q       <= 1'b0;
      group_q           <= '0;
      from_q            <= '0;
      after_pending_q   <= '0;
      after_candidate_q <= '0;
    end else begin
      state_q           <= state_d;
      candidate_q       <= candidate_d;
      group_q           <= group_d;
      from_q            <= from_d;
      after_pending_q   <= after_pending_d;
      after_candidate_q <= after_candidate_d;
    end
  end

endmodule
