// The bitmap buffer: an associative memory of the most recently written pages. Counterpart of
// BitmapBuffer (models/matt/bitmap_buffer.h).
//
// Policy     A page that is inserted takes a free entry, or else the entry of the page that was
//            written longest ago. A free entry is one that never had a page, or lost it.
// Timing     The result of a search for page_i and the page to evict are valid in the same cycle;
//            a command takes effect at the rising edge.
// Cost       An entry has a page, 64 lines, a count of 8 bits, and a bit for each other entry that
//            says which of the two was used later. Entries * (Entries-1) of these flip-flops are
//            the LRU order.
module matt_buffer #(
  // The number of entries, 1 to 128.
  parameter int unsigned Entries  = 64,
  // The number of bits of a page's number.
  parameter int unsigned PageBits = 12
) (
  // Active at the rising edge.
  input  logic                clk_i,
  // Asynchronous, active low: all entries are free.
  input  logic                rst_ni,
  // The page to search for, to which the commands refer.
  input  logic [PageBits-1:0] page_i,
  // Adds lines and requests to the page that was found.
  input  logic                note_i,
  // Inserts the page, which must not be in the buffer.
  input  logic                insert_i,
  // Frees the entry of the page, if it was found.
  input  logic                remove_i,
  // Frees the entry of the page that leave_page_o names.
  input  logic                drain_i,
  // The lines of note_i and insert_i.
  input  logic [63:0]         lines_i,
  // The requests of note_i and insert_i.
  input  logic [7:0]          writes_i,
  // The page is in the buffer.
  output logic                hit_o,
  // The requests of the page that was found, else 0.
  output logic [7:0]          hit_writes_o,
  // No entry has a page.
  output logic                empty_o,
  // All entries have a page.
  output logic                full_o,
  // The page that is evicted by an insertion; while there are free entries, any page for drain_i.
  output logic [PageBits-1:0] leave_page_o,
  // Its lines.
  output logic [63:0]         leave_lines_o,
  // Its requests.
  output logic [7:0]          leave_writes_o
);

  if (Entries < 1 || Entries > 128) begin : gen_bad_entries
    $fatal(1, "BufferEntries is 1 to 128");
  end

  localparam logic [Entries-1:0] All = {Entries{1'b1}};

  logic [Entries-1:0] valid_q, hit, oldest, first_free, first_held, leaving, target, used, freed;
  (* mem2reg *) logic [PageBits-1:0] page_q[Entries];
  (* mem2reg *) logic [63:0] lines_q[Entries];
  (* mem2reg *) logic [7:0] writes_q[Entries];

  assign empty_o    = valid_q == '0;
  assign full_o     = valid_q == '1;
  assign hit_o      = hit != '0;
  assign first_free = ~valid_q & (valid_q + Entries'(1));
  assign first_held = valid_q & (~valid_q + Entries'(1));
  assign leaving    = full_o ? oldest : first_held;
  assign target     = full_o ? oldest : first_free;
  assign used       = note_i ? hit : insert_i ? target : '0;
  assign freed      = remove_i ? hit : drain_i ? leaving : '0;

  always_comb begin
    hit_writes_o   = '0;
    leave_page_o   = '0;
    leave_lines_o  = '0;
    leave_writes_o = '0;
    for (int i = 0; i < Entries; i++) begin
      hit[i] = valid_q[i] && page_q[i] == page_i;
      hit_writes_o   |= hit[i] ? writes_q[i] : '0;
      leave_page_o   |= leaving[i] ? page_q[i] : '0;
      leave_lines_o  |= leaving[i] ? lines_q[i] : '0;
      leave_writes_o |= leaving[i] ? writes_q[i] : '0;
    end
  end

  // The count of the page that was found plus the new requests.
  logic [8:0] sum;
  assign sum = {1'b0, hit_writes_o} + {1'b0, writes_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else begin
      valid_q <= (valid_q | used) & ~freed;
    end
  end

  for (genvar i = 0; i < Entries; i++) begin : gen_entry
    localparam logic [Entries-1:0] Self = Entries'(1) << i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        page_q[i]   <= '0;
        lines_q[i]  <= '0;
        writes_q[i] <= '0;
      end else if (used[i]) begin
        page_q[i]   <= page_i;
        lines_q[i]  <= lines_i | (note_i ? lines_q[i] : '0);
        writes_q[i] <= note_i ? (sum[8] ? 8'hFF : sum[7:0]) : writes_i;
      end
    end

    // The entries that were used later than this one.
    logic [Entries-1:0] later_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        later_q <= (All << i) & ~Self;
      end else if (used[i]) begin
        later_q <= '0;
      end else begin
        later_q <= later_q | used;
      end
    end
    assign oldest[i] = (later_q | Self) == All;
  end

endmodule
