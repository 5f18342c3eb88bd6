// Connects an arbiter with its properties for scripts/prove. Requests are free; the reset is low in
// the first cycle, and then free. `arbiter` is the block with the names of ports of lrg_arbiter.
module arbiter_proof #(
  parameter int unsigned Radix = 4
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Radix-1:0] request_i
);
  logic [Radix-1:0] grant_o;
  logic             idle_o;

  arbiter #(.Radix(Radix)) i_arbiter (.*);
  lrg_arbiter_properties #(.Radix(Radix)) i_properties (.*);

  initial assume (!rst_ni);
endmodule
