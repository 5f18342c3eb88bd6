// Evaluates the syndromes of one codeword: it is clean, one symbol is faulty and by which value, or
// more are faulty. Counterpart of ReedSolomon::decode (models/ecc/reed_solomon.h).
//
// Policy     One faulty symbol with error e and locator X has the syndromes e, eX, eX^2, ...: a
//            geometric series. Each position of the code compares S0*X with S1, S1*X with S2, and
//            so on, for its X; all are equal for at most one position. An error in the extension
//            appears in the last syndrome alone. AnyLocation: a geometric series whose location is
//            beyond the end of the shortened code counts as found, though nothing is changed.
// Timing     Combinational: up to 14 levels of XORs to the farthest position, a comparison, an AND.
module rs_corrector #(
  // The number of symbols of a codeword.
  parameter int unsigned Symbols = 36,
  // The number of syndromes, 3 or 4.
  parameter int unsigned Checks = 4,
  // The last position is the code's extension.
  parameter bit Extended = 1'b0,
  // A location beyond the end of the code counts as corrected.
  parameter bit AnyLocation = 1'b0
) (
  // The syndrome of row 0 in the lowest bits.
  input  logic [8*Checks-1:0] syndromes_i,
  // There is an error.
  output logic                error_o,
  // There are more errors than can be corrected.
  output logic                uncorrectable_o,
  // One bit for each position: its symbol is the faulty one.
  output logic [Symbols-1:0]  hit_o,
  // The value to be XORed to it.
  output logic [7:0]          value_o
);

  // The number of positions with ordinary columns.
  localparam int unsigned Ordinary = Extended ? Symbols - 1 : Symbols;

  assign error_o = syndromes_i != '0;

  // All of a series except the last, at this position and at the next: times alpha.
  always_comb begin
    logic [8*(Checks-1)-1:0] expected;
    expected = syndromes_i[8*(Checks-1)-1:0];
    hit_o    = '0;
    for (int unsigned i = 0; i < Ordinary; i++) begin
      hit_o[i] = syndromes_i[7:0] != '0 && expected == syndromes_i[8*Checks-1:8];
      for (int unsigned j = 0; j < Checks - 1; j++) begin
        expected[8*j+:8] = gf256_pkg::times_alpha(expected[8*j+:8]);
      end
    end
    if (Extended) hit_o[Symbols-1] = error_o && syndromes_i[8*(Checks-1)-1:0] == '0;
  end

  assign value_o = Extended && hit_o[Symbols-1] ? syndromes_i[8*Checks-1-:8] : syndromes_i[7:0];

  logic series;
  if (AnyLocation) begin : gen_any_location
    // S1*S1 = S0*S2, S2*S2 = S1*S3: the same ratio from each to the next.
    always_comb begin
      series = syndromes_i[7:0] != '0 && syndromes_i[15:8] != '0;
      for (int unsigned j = 1; j < Checks - 1; j++) begin
        if (gf256_pkg::times(syndromes_i[8*j+:8], syndromes_i[8*j+:8]) !=
            gf256_pkg::times(syndromes_i[8*(j-1)+:8], syndromes_i[8*(j+1)+:8])) series = 1'b0;
      end
    end
  end else begin : gen_location_of_code
    assign series = 1'b0;
  end

  assign uncorrectable_o = error_o && hit_o == '0 && !series;

endmodule
