// Connects the queue with its properties for scripts/prove. Commands are free within what the queue may
// rely on; the reset is low in the first cycle, and then free.
module matt_queue_proof #(
  parameter int unsigned Length   = 4,
  parameter int unsigned PageBits = 3
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [PageBits-1:0] page_i,
  input logic                push_i,
  input logic                pop_i,
  input logic                remove_i
);
  logic [PageBits-1:0] head_o;
  logic                empty_o, full_o;

  matt_queue #(
    .Length  (Length),
    .PageBits(PageBits)
  ) i_queue (.*);
  matt_queue_properties #(
    .Length  (Length),
    .PageBits(PageBits)
  ) i_properties (.*);

  initial assume (!rst_ni);
endmodule
