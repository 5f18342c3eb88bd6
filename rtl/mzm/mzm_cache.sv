// Tags and flags of the zone monitor's cache: which sectors its lines have.
//
// Policy     The low bits of a sector select its set. A sector without a line takes the least
//            recently used line of its set; the previous content is dropped.
// Timing     The result of a search is valid in the same cycle; a command takes effect at the
//            rising edge.
// Cost       A line has the high bits of a sector's number, four flags, and its rank in the set by
//            use, of log2(Ways) bits. Tags are only cleared all at once, so lines without a tag
//            are older than all others.
module mzm_cache #(
  // The number of lines; a power of two.
  parameter int unsigned Lines      = 32,
  // The number of lines of a set; a power of two, at most Lines.
  parameter int unsigned Ways       = 4,
  // The number of bits of a sector's number.
  parameter int unsigned SectorBits = 6,
  // The number of bits of a line's number.
  parameter int unsigned LineBits   = 5
) (
  // Active at the rising edge.
  input  logic                  clk_i,
  // Asynchronous, active low: all lines are empty.
  input  logic                  rst_ni,
  // The sector to search for.
  input  logic [SectorBits-1:0] sector_i,
  // Selects walk_line_i instead.
  input  logic                  walk_i,
  // The line to select.
  input  logic [LineBits-1:0]   walk_line_i,
  // Uses the sector, which takes a line if it has none. The commands below refer to line_o.
  input  logic                  use_i,
  // The line now has its part of `previous`.
  input  logic                  previous_i,
  // The line now has its part of `next`.
  input  logic                  next_i,
  // The part of `next` has changed.
  input  logic                  change_i,
  // The part of `next` has been written back to the table.
  input  logic                  written_back_i,
  // All lines drop their part of `previous`.
  input  logic                  drop_previous_i,
  // All lines drop their part of `next`.
  input  logic                  drop_next_i,
  // Empties all lines.
  input  logic                  empty_i,
  // The sector has a line.
  output logic                  hit_o,
  // The line of the sector, or the one that it would take.
  output logic [LineBits-1:0]   line_o,
  // The sector of that line.
  output logic [SectorBits-1:0] line_sector_o,
  // The line has its part of `previous`.
  output logic                  has_previous_o,
  // The line has its part of `next`.
  output logic                  has_next_o,
  // The part of `next` is newer than the table.
  output logic                  changed_o
);

  if (Lines < 1 || (Lines & (Lines - 1)) != 0) begin : gen_bad_lines
    $fatal(1, "Lines is a power of two");
  end
  if (Ways < 1 || (Ways & (Ways - 1)) != 0 || Ways > Lines) begin : gen_bad_ways
    $fatal(1, "Ways is a power of two and at most Lines");
  end

  localparam int unsigned Sets     = Lines / Ways;
  localparam int unsigned SetShift = $clog2(Sets);
  localparam int unsigned RankBits = Ways > 1 ? $clog2(Ways) : 1;
  localparam logic [RankBits-1:0] Oldest = RankBits'(Ways - 1);

  logic [Lines-1:0] tagged_q, previous_q, next_q, changed_q;
  // As wide as a sector's number; the bits that are shifted in are 0.
  (* mem2reg *) logic [SectorBits-1:0] tag_q[Lines];
  (* mem2reg *) logic [RankBits-1:0] rank_q[Lines];

  logic [SectorBits-1:0] tag;
  logic [Lines-1:0]      in_set, hit, oldest, chosen;
  logic [RankBits-1:0]   rank;
  assign tag    = sector_i >> SetShift;
  assign hit_o  = hit != '0;
  assign chosen = walk_i ? Lines'(1) << walk_line_i : hit_o ? hit : oldest;

  always_comb begin
    for (int unsigned i = 0; i < Lines; i++) begin
      in_set[i] = 32'(sector_i) % Sets == i / Ways;
      hit[i]    = in_set[i] && tagged_q[i] && tag_q[i] == tag;
      oldest[i] = in_set[i] && rank_q[i] == Oldest;
    end
  end

  always_comb begin
    line_o        = '0;
    line_sector_o = '0;
    rank          = '0;
    for (int unsigned i = 0; i < Lines; i++) begin
      if (chosen[i]) begin
        line_o        |= LineBits'(i);
        line_sector_o |= (tag_q[i] << SetShift) | SectorBits'(i / Ways);
        rank          |= rank_q[i];
      end
    end
  end
  assign has_previous_o = (previous_q & chosen) != '0;
  assign has_next_o     = (next_q & chosen) != '0;
  assign changed_o      = (changed_q & chosen) != '0;

  // The lines that lose their content.
  logic [Lines-1:0] taken, emptied;
  assign emptied = empty_i ? '1 : '0;
  assign taken   = (use_i && !hit_o ? chosen : '0) | emptied;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tagged_q   <= '0;
      previous_q <= '0;
      next_q     <= '0;
      changed_q  <= '0;
    end else begin
      tagged_q   <= (tagged_q | (use_i ? chosen : '0)) & ~emptied;
      previous_q <= (previous_q | (previous_i ? chosen : '0)) & ~taken & {Lines{!drop_previous_i}};
      next_q     <= (next_q | (next_i ? chosen : '0)) & ~taken & {Lines{!drop_next_i}};
      changed_q  <= (changed_q | (change_i ? chosen : '0)) & ~(written_back_i ? chosen : '0) &
                    ~taken & {Lines{!drop_next_i}};
    end
  end

  for (genvar i = 0; i < Lines; i++) begin : gen_line
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        tag_q[i]  <= '0;
        rank_q[i] <= RankBits'(i % Ways);
      end else if (use_i) begin
        if (chosen[i]) tag_q[i] <= tag;
        if (chosen[i]) rank_q[i] <= '0;
        else if (in_set[i] && rank_q[i] < rank) rank_q[i] <= rank_q[i] + RankBits'(1);
      end
    end
  end

endmodule
