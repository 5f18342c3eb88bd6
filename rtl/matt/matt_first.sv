// The lowest bit that is set, as one bit and as a number.
module matt_first #(
  // The number of bits of the set.
  parameter int unsigned Width     = 64,
  // The number of bits of the index.
  parameter int unsigned IndexBits = 6
) (
  // The set.
  input  logic [Width-1:0]     set_i,
  // The lowest bit of it, or none for an empty set.
  output logic [Width-1:0]     first_o,
  // Its index, 0 for an empty set.
  output logic [IndexBits-1:0] index_o
);

  assign first_o = set_i & (~set_i + Width'(1));

  for (genvar b = 0; b < IndexBits; b++) begin : gen_index
    logic [Width-1:0] ones;
    for (genvar i = 0; i < Width; i++) begin : gen_ones
      assign ones[i] = (i >> b) % 2 == 1;
    end
    assign index_o[b] = (first_o & ones) != '0;
  end

endmodule
