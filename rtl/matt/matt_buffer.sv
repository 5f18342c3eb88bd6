// The bitmap buffer: an associative memory of the pages that were written to last. Counterpart of
// BitmapBuffer (models/matt/bitmap_buffer.h).
//
// Policy     A page that comes in takes a free entry, and where there is none that of the page that
//            was written to longest ago. A free entry is one that never had a page, or lost it.
// Timing     What page_i finds and who would leave is there in the same cycle; an order is carried
//            out at the rising edge.
// Cost       An entry has a page, 64 lines, a count of 8 bits, and a bit for each other entry: who
//            of them was used later. Entries * (Entries-1) of these flip-flops are the LRU order.
module matt_buffer #(
  // 1 to 128.
  parameter int unsigned Entries  = 64,
  // Of a page's number.
  parameter int unsigned PageBits = 12
) (
  // Rising edge.
  input  logic                clk_i,
  // Asynchronous, active low: all entries are free.
  input  logic                rst_ni,
  // The page that is looked for, and that the orders are about.
  input  logic [PageBits-1:0] page_i,
  // Adds lines and requests to the page that is found.
  input  logic                note_i,
  // Brings in the page, which is not found.
  input  logic                insert_i,
  // Frees the entry of the page, if it is found.
  input  logic                remove_i,
  // Frees the entry of the page that leave_page_o names.
  input  logic                drain_i,
  // Lines of note_i and insert_i.
  input  logic [63:0]         lines_i,
  // Requests of note_i and insert_i.
  input  logic [7:0]          writes_i,
  // The page is here.
  output logic                hit_o,
  // Requests of the page that is found, else 0.
  output logic [7:0]          hit_writes_o,
  // No entry has a page.
  output logic                empty_o,
  // All entries have one.
  output logic                full_o,
  // Who leaves when a page comes in; as long as there are free entries, any that could be drained.
  output logic [PageBits-1:0] leave_page_o,
  // Its lines.
  output logic [63:0]         leave_lines_o,
  // Its requests.
  output logic [7:0]          leave_writes_o
);

  if (Entries < 1 || Entries > 128) begin : gen_bad_entries
    $fatal(1, "BufferEntries is 1 to 128");
  end

  localparam logic [Entries-1:0] All = '1;

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

  // The count of the page that is found with the new requests.
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
