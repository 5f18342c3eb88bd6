// A memory of sectors with one port: in a cycle it writes one, reads one, or does nothing. The
// sector that was read is stable from the next cycle on, until something else is read. There is no
// reset: a sector must be written before it is read.
module mzm_ram #(
  // The number of sectors.
  parameter int unsigned Depth       = 32,
  // The number of bits of an address.
  parameter int unsigned AddressBits = 5
) (
  // Active at the rising edge.
  input  logic                   clk_i,
  // Reads a sector in this cycle.
  input  logic                   read_i,
  // Writes a sector in this cycle; not together with read_i.
  input  logic                   write_i,
  // The address, below Depth.
  input  logic [AddressBits-1:0] address_i,
  // The sector to write.
  input  logic [255:0]           data_i,
  // The sector that was read last.
  output logic [255:0]           data_o
);

  logic [255:0] sectors_q[Depth];

  always_ff @(posedge clk_i) begin
    if (write_i) sectors_q[address_i] <= data_i;
    if (read_i) data_o <= sectors_q[address_i];
  end

endmodule
