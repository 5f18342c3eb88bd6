// Finds the error with a given syndrome among those of some bits of a codeword, if there is one.
// Counterpart of Ddr5Codec::explain (models/ecc/ddr5_codec.h).
//
// Policy     The syndromes of the single bits are the columns of a matrix. Gauss and Jordan's
//            elimination gives another one that makes these columns those of the identity, with zeros
//            below. Its product with a syndrome has the error in its first bits, and the rest is zero
//            if and only if the syndrome is of such an error.
// Timing     Combinational: a tree of XORs for each bit, and a comparison with zero.
module ddr5_solver #(
  // The code (ddr5_code_pkg.sv).
  parameter int unsigned Code = 0,
  // The bits of a chip in the codeword.
  parameter int unsigned Bits = 8,
  // The bits of the syndrome.
  parameter int unsigned Checks = 16,
  // The chip of the first bit.
  parameter int unsigned Chip = 0,
  // The number of bits, which may reach into the following chip. Their columns are independent.
  parameter int unsigned Unknowns = 8
) (
  // A syndrome.
  input  logic [Checks-1:0]   syndrome_i,
  // The error has this syndrome.
  output logic                found_o,
  // The bits that are wrong, if there is such an error.
  output logic [Unknowns-1:0] error_o
);

  localparam int unsigned Width = Unknowns + Checks;

  // The matrix, by rows of Checks bits.
  function automatic logic [Checks*Checks-1:0] solution();
    logic [Width*Checks-1:0] rows;  // of each: the columns, then the matrix
    logic [Width-1:0]        pivot;
    logic [63:0]             column;
    rows = '0;
    for (int unsigned i = 0; i < Unknowns; i++) begin
      column = ddr5_code_pkg::column(Code, Chip + i / Bits, i % Bits);
      for (int unsigned r = 0; r < Checks; r++) rows[Width*r+i] = column[r];
    end
    for (int unsigned r = 0; r < Checks; r++) rows[Width*r+Unknowns+r] = 1'b1;
    for (int unsigned i = 0; i < Unknowns; i++) begin
      pivot = rows[Width*i+:Width];
      for (int unsigned r = i + 1; r < Checks; r++) begin
        if (!pivot[i] && rows[Width*r+i]) pivot = pivot ^ rows[Width*r+:Width];
      end
      rows[Width*i+:Width] = pivot;
      for (int unsigned r = 0; r < Checks; r++) begin
        if (r != i && rows[Width*r+i]) rows[Width*r+:Width] = rows[Width*r+:Width] ^ pivot;
      end
    end
    for (int unsigned r = 0; r < Checks; r++) begin
      solution[Checks*r+:Checks] = rows[Width*r+Unknowns+:Checks];
    end
  endfunction

  localparam logic [Checks*Checks-1:0] Solution = solution();

  logic [Checks-1:0] product;
  for (genvar r = 0; r < Checks; r++) begin : gen_bit
    assign product[r] = ^(syndrome_i & Solution[Checks*r+:Checks]);
  end
  assign error_o = product[Unknowns-1:0];
  if (Unknowns < Checks) begin : gen_rest
    assign found_o = product[Checks-1:Unknowns] == '0;
  end else begin : gen_none
    assign found_o = 1'b1;
  end

endmodule
