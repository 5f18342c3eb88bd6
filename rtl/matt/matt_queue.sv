// A queue of pages in order of arrival: pages enter at the end, and leave at the head or by name
// from the middle. One command per cycle.
module matt_queue #(
  // The number of pages that it holds.
  parameter int unsigned Length   = 64,
  // The number of bits of a page's number.
  parameter int unsigned PageBits = 12
) (
  // Active at the rising edge.
  input  logic                clk_i,
  // Asynchronous, active low: empties the queue.
  input  logic                rst_ni,
  // The page of push_i and remove_i.
  input  logic [PageBits-1:0] page_i,
  // Appends the page; not to a full queue.
  input  logic                push_i,
  // Removes the head; not from an empty queue.
  input  logic                pop_i,
  // Removes the page, if it is in the queue.
  input  logic                remove_i,
  // The page at the head.
  output logic [PageBits-1:0] head_o,
  // The queue is empty.
  output logic                empty_o,
  // The queue is full.
  output logic                full_o
);

  (* mem2reg *) logic [PageBits-1:0] page_q[Length];
  // The places that are occupied, from the head on.
  logic [Length-1:0] taken_q, found, moved, last;

  assign head_o  = page_q[0];
  assign empty_o = !taken_q[0];
  assign full_o  = taken_q[Length-1];
  assign last    = ~taken_q & {taken_q[Length-2:0], 1'b1};

  always_comb begin
    for (int i = 0; i < Length; i++) found[i] = taken_q[i] && page_q[i] == page_i;
  end

  // The places that take the content of the next one: from the removed page on.
  assign moved = pop_i ? '1 : remove_i ? ~found + Length'(1) : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q <= '0;
    end else if (push_i) begin
      taken_q <= taken_q | last;
    end else if (moved != '0) begin
      taken_q <= taken_q >> 1;
    end
  end

  for (genvar i = 0; i < Length; i++) begin : gen_place
    logic [PageBits-1:0] behind;
    if (i == Length - 1) begin : gen_end
      assign behind = '0;
    end else begin : gen_middle
      assign behind = page_q[i+1];
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        page_q[i] <= '0;
      end else if (push_i && last[i]) begin
        page_q[i] <= page_i;
      end else if (moved[i]) begin
        page_q[i] <= behind;
      end
    end
  end

endmodule
