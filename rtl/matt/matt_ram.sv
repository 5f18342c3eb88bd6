// A memory with one port: in a cycle it writes a word, reads one, or does nothing. The word that
// was read is stable from the next cycle on, until something else is read. There is no reset: a
// word must be written before it is read.
module matt_ram #(
  // The number of words.
  parameter int unsigned Depth       = 64,
  // The number of bits of a word.
  parameter int unsigned Width       = 64,
  // The number of bits of an address.
  parameter int unsigned AddressBits = 6
) (
  // Active at the rising edge.
  input  logic                   clk_i,
  // Reads the word in this cycle.
  input  logic                   read_i,
  // Writes the word in this cycle; not together with read_i.
  input  logic                   write_i,
  // The address, below Depth.
  input  logic [AddressBits-1:0] address_i,
  // The word to write.
  input  logic [Width-1:0]       data_i,
  // The word that was read last.
  output logic [Width-1:0]       data_o
);

  logic [Width-1:0] words_q[Depth];

  always_ff @(posedge clk_i) begin
    if (write_i) words_q[address_i] <= data_i;
    if (read_i) data_o <= words_q[address_i];
  end

endmodule
