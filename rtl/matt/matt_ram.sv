// A memory with one port: in a cycle it writes a word, reads one, or rests. What was read stands
// from the next cycle on, until something else is read. Has no reset: whoever reads a word has
// written it before.
module matt_ram #(
  // Words.
  parameter int unsigned Depth       = 64,
  // Of a word.
  parameter int unsigned Width       = 64,
  // Of an address.
  parameter int unsigned AddressBits = 6
) (
  // Rising edge.
  input  logic                   clk_i,
  // The word is read in this cycle.
  input  logic                   read_i,
  // The word is written in this cycle; not with read_i.
  input  logic                   write_i,
  // Below Depth.
  input  logic [AddressBits-1:0] address_i,
  // What is written.
  input  logic [Width-1:0]       data_i,
  // What was read last.
  output logic [Width-1:0]       data_o
);

  logic [Width-1:0] words_q[Depth];

  always_ff @(posedge clk_i) begin
    if (write_i) words_q[address_i] <= data_i;
    if (read_i) data_o <= words_q[address_i];
  end

endmodule
