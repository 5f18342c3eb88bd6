// A memory of sectors with one port: in a cycle it writes one, reads one, or rests. What was read
// stands from the next cycle on, until something else is read. Has no reset: whoever reads a sector
// has written it before.
module mzm_ram #(
  // Sectors.
  parameter int unsigned Depth       = 32,
  // Of an address.
  parameter int unsigned AddressBits = 5
) (
  // Rising edge.
  input  logic                   clk_i,
  // A sector is read in this cycle.
  input  logic                   read_i,
  // A sector is written in this cycle; not with read_i.
  input  logic                   write_i,
  // Below Depth.
  input  logic [AddressBits-1:0] address_i,
  // What is written.
  input  logic [255:0]           data_i,
  // What was read last.
  output logic [255:0]           data_o
);

  logic [255:0] sectors_q[Depth];

  always_ff @(posedge clk_i) begin
    if (write_i) sectors_q[address_i] <= data_i;
    if (read_i) data_o <= sectors_q[address_i];
  end

endmodule
