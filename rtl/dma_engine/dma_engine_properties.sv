// The properties of dma_engine, bound to every instance of it. They see its ports only. In a
// simulation they need `--assert`; scripts/prove proves them with yosys. Ports without a comment
// are those of the engine.
//
// They follow one byte of each copy from its read to its write. A proof makes them follow any byte,
// a simulation the last one.

// yosys reads neither the action of an assertion nor `disable iff`, and ignores `bind`.
`ifdef YOSYS
  `define CHECK(Name, Condition, Report) \
    always_ff @(posedge clk_i) if (rst_ni) Name: assert (Condition);
  `define REACH(Name, Condition) \
    always_ff @(posedge clk_i) if (rst_ni) Name: cover (Condition);
`else
  `define CHECK(Name, Condition, Report) \
    Name: assert property (@(posedge clk_i) disable iff (off) Condition) else Report;
  `define REACH(Name, Condition) \
    Name: cover property (@(posedge clk_i) disable iff (off) Condition);
`endif

module dma_engine_properties #(
  parameter int unsigned AddressBits = 64,
  parameter int unsigned LengthBits  = 32,
  parameter int unsigned BurstWords  = 16
) (
  // The properties are checked at its rising edge.
  input logic                   clk_i,
  // Nothing is checked while it is low.
  input logic                   rst_ni,
  input logic [ 5:0]            paddr_i,
  input logic                   psel_i,
  input logic                   penable_i,
  input logic                   pwrite_i,
  input logic [31:0]            pwdata_i,
  input logic [ 3:0]            pstrb_i,
  input logic [31:0]            prdata_o,
  input logic                   pready_o,
  input logic [AddressBits-1:0] m_paddr_o,
  input logic                   m_psel_o,
  input logic                   m_penable_o,
  input logic                   m_pwrite_o,
  input logic [31:0]            m_pwdata_o,
  input logic [ 3:0]            m_pstrb_o,
  input logic [31:0]            m_prdata_i,
  input logic                   m_pready_i,
  input logic                   m_pslverr_i,
  input logic                   done_interrupt_o,
  input logic                   error_interrupt_o,
  input logic [ 2:0]            state_o,
  input logic                   idle_o,
  input logic [ 1:0]            next_event_o,
  // The byte of the copy that starts now which is followed; 0 is the first one.
  input logic [LengthBits-1:0]  watched_i
);

  // An alias, because lint takes `disable iff (!rst_ni)` for a synchronous use of the reset.
  logic off;
  assign off = !rst_ni;

  // ---- the registers, of which the copy has three ----

  logic [AddressBits-1:0] source_q, destination_q, error_address_q;
  logic [LengthBits-1:0]  length_q;
  logic                   busy_q, stop_q, done_q, error_q;
  logic [1:0]             cause_q, enable_q;

  // The copy that is in progress, or the last one.
  logic [AddressBits-1:0] first_source_q, first_destination_q;
  logic [LengthBits-1:0]  total_q;

  logic [3:0]  register;
  logic        write;
  logic [31:0] lanes, written;
  assign register = paddr_i[5:2];
  assign write    = psel_i && penable_i && pwrite_i;
  assign lanes    = {{8{pstrb_i[3]}}, {8{pstrb_i[2]}}, {8{pstrb_i[1]}}, {8{pstrb_i[0]}}};
  assign written  = pwdata_i & lanes;

  logic start, stop, clear;
  assign start = write && register == 4'd1 && pstrb_i[0] && pwdata_i[0] && !busy_q;
  assign stop  = busy_q && write && register == 4'd1 && pstrb_i[0] && pwdata_i[1];
  assign clear = write && register == 4'd4 && pstrb_i[0];

  logic [63:0] source_after, destination_after;
  always_comb begin
    source_after      = 64'(source_q);
    destination_after = 64'(destination_q);
    if (write) begin
      unique case (register)
        4'd6:    source_after[31:0] = (source_after[31:0] & ~lanes) | written;
        4'd7:    source_after[63:32] = (source_after[63:32] & ~lanes) | written;
        4'd8:    destination_after[31:0] = (destination_after[31:0] & ~lanes) | written;
        4'd9:    destination_after[63:32] = (destination_after[63:32] & ~lanes) | written;
        default: ;
      endcase
    end
  end

  // ---- accesses to memory ----

  logic answered, good, read, wrote;
  assign answered = m_psel_o && m_penable_o && m_pready_i;
  assign good     = answered && !m_pslverr_i;
  assign read     = good && !m_pwrite_o;
  assign wrote    = good && m_pwrite_o;

  // For each lane: whether its byte belongs to the source, or to the destination, and is watched.
  logic [3:0] of_source, of_destination, watched_read, watched_write;
  for (genvar i = 0; i < 4; i++) begin : gen_lane
    logic [AddressBits-1:0] from_source, from_destination;
    assign from_source       = m_paddr_o + AddressBits'(i) - first_source_q;
    assign from_destination  = m_paddr_o + AddressBits'(i) - first_destination_q;
    assign of_source[i]      = from_source < AddressBits'(total_q);
    assign of_destination[i] = from_destination < AddressBits'(total_q);
    assign watched_read[i]   = from_source == AddressBits'(watched_q);
    assign watched_write[i]  = m_pstrb_o[i] && from_destination == AddressBits'(watched_q);
  end

  logic [2:0] bytes_read, bytes_written;
  assign bytes_read    = {2'b00, of_source[0]} + {2'b00, of_source[1]} + {2'b00, of_source[2]} +
                         {2'b00, of_source[3]};
  assign bytes_written = {2'b00, m_pstrb_o[0]} + {2'b00, m_pstrb_o[1]} + {2'b00, m_pstrb_o[2]} +
                         {2'b00, m_pstrb_o[3]};

  logic last, ends;
  assign last = wrote && length_q == LengthBits'(bytes_written);
  assign ends = answered && (m_pslverr_i || last || stop || stop_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      source_q            <= '0;
      destination_q       <= '0;
      length_q            <= '0;
      error_address_q     <= '0;
      busy_q              <= 1'b0;
      stop_q              <= 1'b0;
      done_q              <= 1'b0;
      error_q             <= 1'b0;
      cause_q             <= '0;
      enable_q            <= '0;
      first_source_q      <= '0;
      first_destination_q <= '0;
      total_q             <= '0;
    end else begin
      if (write && register == 4'd3 && pstrb_i[0]) enable_q <= pwdata_i[2:1];
      if (clear && pwdata_i[1]) done_q <= 1'b0;
      if (clear && pwdata_i[2]) error_q <= 1'b0;
      if (busy_q) begin
        if (read) source_q <= source_q + AddressBits'(bytes_read);
        if (wrote) begin
          destination_q <= destination_q + AddressBits'(bytes_written);
          length_q      <= length_q - LengthBits'(bytes_written);
        end
        if (stop) stop_q <= 1'b1;
        if (ends) begin
          busy_q  <= 1'b0;
          stop_q  <= 1'b0;
          if (last) done_q <= 1'b1;
          else error_q <= 1'b1;
          if (m_pslverr_i) error_address_q <= m_paddr_o;
          if (!last) cause_q <= m_pslverr_i ? (m_pwrite_o ? 2'd2 : 2'd1) : 2'd3;
        end
      end else begin
        source_q      <= source_after[AddressBits-1:0];
        destination_q <= destination_after[AddressBits-1:0];
        if (write && register == 4'd5) begin
          length_q <= (length_q & ~lanes[LengthBits-1:0]) | written[LengthBits-1:0];
        end
        if (start) begin
          busy_q              <= length_q != '0;
          done_q              <= length_q == '0;
          error_q             <= 1'b0;
          cause_q             <= '0;
          error_address_q     <= '0;
          first_source_q      <= source_q;
          first_destination_q <= destination_q;
          total_q             <= length_q;
        end
      end
    end
  end

  logic [63:0] source, destination, error_address;
  logic [31:0] expected;
  assign source        = 64'(source_q);
  assign destination   = 64'(destination_q);
  assign error_address = 64'(error_address_q);
  always_comb begin
    expected = '0;
    if (psel_i && !pwrite_i) begin
      unique case (register)
        4'd0:    expected = 32'h444d_4131;
        4'd2:    expected = 32'({cause_q, 1'b0, error_q, done_q, busy_q});
        4'd3:    expected = 32'({enable_q, 1'b0});
        4'd5:    expected = 32'(length_q);
        4'd6:    expected = source[31:0];
        4'd7:    expected = source[63:32];
        4'd8:    expected = destination[31:0];
        4'd9:    expected = destination[63:32];
        4'd10:   expected = error_address[31:0];
        4'd11:   expected = error_address[63:32];
        4'd12:   expected = BurstWords;
        default: expected = '0;
      endcase
    end
  end

  // ---- the byte that is followed ----

  logic [LengthBits-1:0] watched_q;
  logic                  was_read_q, was_written_q;
  logic [7:0]            byte_q;
  logic [7:0]            byte_read, byte_written;
  logic                  watched_now;
  assign watched_now = wrote && watched_write != '0;
  always_comb begin
    byte_read    = '0;
    byte_written = '0;
    for (int i = 0; i < 4; i++) begin
      if (watched_read[i]) byte_read = m_prdata_i[8*i +: 8];
      if (watched_write[i]) byte_written = m_pwdata_o[8*i +: 8];
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      watched_q     <= '0;
      was_read_q    <= 1'b0;
      was_written_q <= 1'b0;
      byte_q        <= '0;
    end else if (start) begin
      watched_q     <= watched_i;
      was_read_q    <= 1'b0;
      was_written_q <= 1'b0;
    end else begin
      if (read && watched_read != '0) begin
        was_read_q <= 1'b1;
        byte_q     <= byte_read;
      end
      if (watched_now) was_written_q <= 1'b1;
    end
  end

  // ---- the cycle before ----

  logic                   open_q, still_q;
  logic [AddressBits-1:0] address_q;
  logic [31:0]            data_q;
  logic [3:0]             strobes_q;
  logic                   writes_q, selected_q, enabled_q;
  logic [1:0]             lines_q;
  logic [1:0]             lines;
  assign lines = {error_interrupt_o, done_interrupt_o};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q     <= 1'b0;
      still_q    <= 1'b0;
      address_q  <= '0;
      data_q     <= '0;
      strobes_q  <= '0;
      writes_q   <= 1'b0;
      selected_q <= 1'b0;
      enabled_q  <= 1'b0;
      lines_q    <= '0;
    end else begin
      open_q     <= m_psel_o && !answered;
      still_q    <= next_event_o == 2'b11 && !write && !m_pready_i;
      address_q  <= m_paddr_o;
      data_q     <= m_pwdata_o;
      strobes_q  <= m_pstrb_o;
      writes_q   <= m_pwrite_o;
      selected_q <= m_psel_o;
      enabled_q  <= m_penable_o;
      lines_q    <= lines;
    end
  end
  logic same;
  assign same = m_paddr_o == address_q && m_pwdata_o == data_q && m_pstrb_o == strobes_q &&
                m_pwrite_o == writes_q && m_psel_o == selected_q;

  // ---- the properties ----

  `CHECK(AccessesFollowEachOther, m_psel_o == busy_q,
         $fatal(1, "AccessesFollowEachOther: select is %b, busy is %b", m_psel_o, busy_q))

  `CHECK(EnableFollowsSetup, m_penable_o == open_q,
         $fatal(1, "EnableFollowsSetup: enable is %b, an access is open: %b", m_penable_o, open_q))

  `CHECK(StableWhileOpen, !open_q || same,
         $fatal(1, "StableWhileOpen: the access changed from %h to %h", address_q, m_paddr_o))

  `CHECK(WholeWords, m_paddr_o[1:0] == 2'b00 && (m_pstrb_o != '0) == m_pwrite_o,
         $fatal(1, "WholeWords: %h with strobes %b, write %b", m_paddr_o, m_pstrb_o, m_pwrite_o))

  `CHECK(ReadsStayInside, !m_psel_o || m_pwrite_o || of_source != '0,
         $fatal(1, "ReadsStayInside: %h is read", m_paddr_o))

  `CHECK(WritesStayInside, (m_pstrb_o & ~of_destination) == '0,
         $fatal(1, "WritesStayInside: %h is written, strobes %b", m_paddr_o, m_pstrb_o))

  `CHECK(BytesArrive, !watched_now || (was_read_q && byte_written == byte_q),
         $fatal(1, "BytesArrive: byte %0d is written as %h, read %b as %h", watched_q,
                byte_written, was_read_q, byte_q))

  `CHECK(WrittenOnce, !(watched_now && was_written_q),
         $fatal(1, "WrittenOnce: byte %0d is written again", watched_q))

  `CHECK(DoneMeansAllWritten, !last || watched_q >= total_q || was_written_q || watched_now,
         $fatal(1, "DoneMeansAllWritten: byte %0d of %0d is not", watched_q, total_q))

  `CHECK(LinesAreEnabledFlags, lines == ({error_q, done_q} & enable_q),
         $fatal(1, "LinesAreEnabledFlags: %b with error %b, done %b, enabled %b", lines, error_q,
                done_q, enable_q))

  `CHECK(ReadsAreExpected, prdata_o == expected,
         $fatal(1, "ReadsAreExpected: %h reads %h instead of %h", paddr_i, prdata_o, expected))

  `CHECK(AnswersAtOnce, pready_o, $fatal(1, "AnswersAtOnce: pready_o is low"))

  `CHECK(StateIsTheAccess, state_o == (!busy_q ? 3'd0 : {1'b0, m_pwrite_o, 1'b0} + 3'd1 +
                                                         {2'b00, m_penable_o}),
         $fatal(1, "StateIsTheAccess: state_o is %0d", state_o))

  `CHECK(IdleMeansStill, idle_o == (!psel_i && (!busy_q || (m_penable_o && !m_pready_i))),
         $fatal(1, "IdleMeansStill: idle_o is %b, busy %b", idle_o, busy_q))

  `CHECK(NextEventNeverLies, !still_q || (same && m_penable_o == enabled_q && lines == lines_q),
         $fatal(1, "NextEventNeverLies: an output changed"))

  // Shows that a proof considers whole copies whose bytes change their lanes.
  `REACH(LongCopyAcrossLanes, last && total_q >= LengthBits'(6) &&
                              first_source_q[1:0] == 2'd3 && first_destination_q[1:0] == 2'd2)

endmodule

bind dma_engine dma_engine_properties #(
  .AddressBits(AddressBits),
  .LengthBits (LengthBits),
  .BurstWords (BurstWords)
) i_properties (
  .*,
  .watched_i(length_q - LengthBits'(1))
);
