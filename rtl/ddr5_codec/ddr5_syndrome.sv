// Computes the syndrome of one codeword: its product with the parity-check matrix. Counterpart of
// Ddr5Codec::syndrome (models/ecc/ddr5_codec.h).
//
// Timing     Combinational: a tree of XORs for each bit.
module ddr5_syndrome #(
  // The code (ddr5_code_pkg.sv).
  parameter int unsigned Code = 0,
  // The bits of a chip in the codeword.
  parameter int unsigned Bits = 8,
  // The bits of the syndrome.
  parameter int unsigned Checks = 16
) (
  // The codeword, chip c from bit Bits*c.
  input  logic [ddr5_code_pkg::Chips*Bits-1:0] codeword_i,
  // Zero if there is no error.
  output logic [Checks-1:0]                    syndrome_o
);

  localparam int unsigned Length = ddr5_code_pkg::Chips * Bits;

  // The parity-check matrix by rows, each of Length bits.
  function automatic logic [Length*Checks-1:0] rows();
    logic [63:0] column;
    for (int unsigned i = 0; i < Length; i++) begin
      column = ddr5_code_pkg::column(Code, i / Bits, i % Bits);
      for (int unsigned r = 0; r < Checks; r++) rows[Length*r+i] = column[r];
    end
  endfunction

  localparam logic [Length*Checks-1:0] Rows = rows();
  for (genvar r = 0; r < Checks; r++) begin : gen_bit
    assign syndrome_o[r] = ^(codeword_i & Rows[Length*r+:Length]);
  end

endmodule
