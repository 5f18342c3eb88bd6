// A DMA engine: copies bytes from one place of memory to another. It has an APB port with its
// registers, a second one by which it accesses memory, and two interrupt lines. It is a device of
// its own: there is no model of it.
//
// Policy     A write of CONTROL with `start` copies LENGTH bytes from SOURCE to DESTINATION, all of
//            any alignment. The three advance with the copy: SOURCE is the next byte to read,
//            DESTINATION the next one to write, LENGTH the number of bytes that are not written
//            yet. The engine reads in ascending order until BurstWords words of the destination are
//            complete, and then writes these; of a word of which only some bytes are copied it
//            writes these bytes. Each byte is read and written once. The ranges may overlap if
//            DESTINATION is below SOURCE. A copy of zero bytes is completed at once.
//            At the end DONE is set. An access of the engine that is answered with an error sets
//            ERROR, with CAUSE and ERROR_ADDRESS; the copy ends there, and what was read but not
//            written is dropped. CONTROL with `stop` ends the copy after the access in progress and
//            sets ERROR with a cause of its own, unless that access was the last one. `start`
//            clears DONE, ERROR, CAUSE and ERROR_ADDRESS.
//            While a copy is in progress, `start` and writes of SOURCE, DESTINATION and LENGTH are
//            ignored. So are, at any time, writes of read-only registers and of offsets without a
//            register, which read as zero; no access is answered with an error. Only the bytes that
//            pstrb_i selects are written. Reads have no effect.
// Fairness   There is one copy at a time. In the cycle in which a copy ends its flags win over
//            CLEAR.
// Timing     Each word of the source and each of the destination takes an access to memory of two
//            cycles and its wait states, one right after the other, the first one in the cycle
//            after `start`. Registers are answered without wait states; prdata_o follows paddr_i in
//            the same cycle.
// Cost       BurstWords + 1 words of data; 3 * AddressBits + 2 * LengthBits bits of state; two
//            adders of AddressBits. The longest path goes through one of these.
//
// While the engine waits for memory or for a copy, nothing changes until an input does: idle_o.
// Otherwise each edge may change an output.
module dma_engine #(
  // The width of addresses, 3 to 64.
  parameter int unsigned AddressBits = 64,
  // The width of LENGTH, 3 to 32 and at most AddressBits.
  parameter int unsigned LengthBits  = 32,
  // The number of words that are read before they are written, at least 1.
  parameter int unsigned BurstWords  = 16
) (
  // Active at the rising edge.
  input  logic                   clk_i,
  // Asynchronous, active low: ends a copy and clears all registers.
  input  logic                   rst_ni,
  // APB address within the device; the lowest two bits are ignored.
  input  logic [ 5:0]            paddr_i,
  // APB select.
  input  logic                   psel_i,
  // APB enable: the second and last cycle of an access.
  input  logic                   penable_i,
  // APB direction: 1 writes.
  input  logic                   pwrite_i,
  // APB write data.
  input  logic [31:0]            pwdata_i,
  // APB write strobes, a bit for each byte.
  input  logic [ 3:0]            pstrb_i,
  // APB read data, zero unless selected for a read.
  output logic [31:0]            prdata_o,
  // APB ready: always high.
  output logic                   pready_o,
  // Address of the word that the engine accesses in memory, by a second APB port.
  output logic [AddressBits-1:0] m_paddr_o,
  // Select of this port.
  output logic                   m_psel_o,
  // Enable of this port: the second and later cycles of an access.
  output logic                   m_penable_o,
  // Direction of this port: 1 writes.
  output logic                   m_pwrite_o,
  // Write data of this port.
  output logic [31:0]            m_pwdata_o,
  // Write strobes of this port.
  output logic [ 3:0]            m_pstrb_o,
  // Read data of this port.
  input  logic [31:0]            m_prdata_i,
  // Ready of this port.
  input  logic                   m_pready_i,
  // Error of this port, with m_pready_i.
  input  logic                   m_pslverr_i,
  // High while DONE is set and its interrupt enabled.
  output logic                   done_interrupt_o,
  // High while ERROR is set and its interrupt enabled.
  output logic                   error_interrupt_o,
  // The state of the copy.
  output logic [ 2:0]            state_o,
  // No access to the registers is in progress, and none to memory is set up or ends: a clock edge
  // changes nothing.
  output logic                   idle_o,
  // No output of the port to memory and no interrupt line changes by itself for one clock edge less
  // than this; all ones: never.
  output logic [ 1:0]            next_event_o
);

  if (AddressBits < 3 || AddressBits > 64) begin : gen_bad_address
    $fatal(1, "AddressBits is 3 to 64");
  end
  if (LengthBits < 3 || LengthBits > 32 || LengthBits > AddressBits) begin : gen_bad_length
    $fatal(1, "LengthBits is 3 to 32 and at most AddressBits");
  end
  if (BurstWords < 1) begin : gen_bad_burst
    $fatal(1, "BurstWords is at least 1");
  end

  localparam int unsigned CountBits = $clog2(BurstWords + 1);
  localparam int unsigned IndexBits = BurstWords > 1 ? $clog2(BurstWords) : 1;

  // Word offsets of the registers.
  localparam logic [3:0] IdRegister = 4'h0;
  localparam logic [3:0] Control = 4'h1;
  localparam logic [3:0] Status = 4'h2;
  localparam logic [3:0] Enable = 4'h3;
  localparam logic [3:0] Clear = 4'h4;
  localparam logic [3:0] Length = 4'h5;
  localparam logic [3:0] SourceLow = 4'h6;
  localparam logic [3:0] SourceHigh = 4'h7;
  localparam logic [3:0] DestinationLow = 4'h8;
  localparam logic [3:0] DestinationHigh = 4'h9;
  localparam logic [3:0] ErrorLow = 4'ha;
  localparam logic [3:0] ErrorHigh = 4'hb;
  localparam logic [3:0] Burst = 4'hc;
  // "DMA1"
  localparam logic [31:0] Id = 32'h444d_4131;

  // CAUSE.
  localparam logic [1:0] NoError = 2'd0;
  localparam logic [1:0] ReadError = 2'd1;
  localparam logic [1:0] WriteError = 2'd2;
  localparam logic [1:0] Stopped = 2'd3;

  typedef enum logic [2:0] {
    Rest,
    ReadSetup,
    ReadAccess,
    WriteSetup,
    WriteAccess
  } state_e;

  state_e                 state_d, state_q;
  logic [AddressBits-1:0] source_d, source_q;
  logic [AddressBits-1:0] destination_d, destination_q;
  logic [LengthBits-1:0]  length_d, length_q;  // not written yet
  logic [LengthBits-1:0]  unread_d, unread_q;
  // DESTINATION - SOURCE: how far a byte moves to a higher lane.
  logic [1:0]             shift_d, shift_q;
  logic                   stop_d, stop_q;
  logic                   done_d, done_q, error_d, error_q;
  logic [1:0]             cause_d, cause_q;
  logic [AddressBits-1:0] error_address_d, error_address_q;
  logic [1:0]             enable_d, enable_q;  // bit 0 for DONE, bit 1 for ERROR

  // The words of the destination that a burst has completed, and how many of them are written.
  (* mem2reg *) logic [31:0] buffer_q[BurstWords];
  logic [CountBits-1:0]   filled_d, filled_q, drained_d, drained_q;
  // The word of the destination after these, as far as its bytes were read.
  logic [31:0]            partial_d, partial_q;

  // ---- the registers ----

  logic [3:0] register;
  assign register = paddr_i[5:2];
  logic unused_paddr;
  assign unused_paddr = ^paddr_i[1:0];

  logic        write, busy;
  logic [31:0] lanes, written;
  // For the registers of an address: which bits of it are written, and with what.
  logic [AddressBits-1:0] address_lanes, address_written;
  assign write   = psel_i && penable_i && pwrite_i;
  assign busy    = state_q != Rest;
  assign lanes   = {{8{pstrb_i[3]}}, {8{pstrb_i[2]}}, {8{pstrb_i[1]}}, {8{pstrb_i[0]}}};
  assign written = pwdata_i & lanes;
  always_comb begin
    address_written = AddressBits'({written, written});
    address_lanes   = '0;
    if (register == SourceLow || register == DestinationLow) begin
      address_lanes = AddressBits'({32'd0, lanes});
    end
    if (register == SourceHigh || register == DestinationHigh) begin
      address_lanes = AddressBits'({lanes, 32'd0});
    end
  end

  logic write_control, write_clear, start, stop;
  assign write_control = write && register == Control && pstrb_i[0];
  assign write_clear   = write && register == Clear && pstrb_i[0];
  assign start         = write_control && pwdata_i[0] && !busy;
  assign stop          = write_control && pwdata_i[1];
  assign enable_d      = write && register == Enable && pstrb_i[0] ? pwdata_i[2:1] : enable_q;

  // ---- the data ----

  // The bytes of the word that is read: from which lane on, and how many.
  logic [2:0] read_bytes;
  logic [2:0] read_room;
  assign read_room  = 3'd4 - {1'b0, source_q[1:0]};
  assign read_bytes = unread_q < LengthBits'(read_room) ? unread_q[2:0] : read_room;

  // They go to lanes of the destination, from `position` on, and beyond the highest lane into the
  // next word.
  logic [31:0] rotated, completed;
  logic [1:0]  position;
  logic        completes;
  always_comb begin
    unique case (shift_q)
      2'd0:    rotated = m_prdata_i;
      2'd1:    rotated = {m_prdata_i[23:0], m_prdata_i[31:24]};
      2'd2:    rotated = {m_prdata_i[15:0], m_prdata_i[31:16]};
      default: rotated = {m_prdata_i[7:0], m_prdata_i[31:8]};
    endcase
    unique case (position)
      2'd0:    completed = rotated;
      2'd1:    completed = {rotated[31:8], partial_q[7:0]};
      2'd2:    completed = {rotated[31:16], partial_q[15:0]};
      default: completed = {rotated[31:24], partial_q[23:0]};
    endcase
  end
  assign position  = source_q[1:0] + shift_q;
  assign completes = {2'b00, position} + {1'b0, read_bytes} >= 4'd4;

  // The bytes of the word that is written.
  logic [2:0] write_room, write_bytes;
  logic [3:0] strobes;
  assign write_room  = 3'd4 - {1'b0, destination_q[1:0]};
  assign write_bytes = length_q < LengthBits'(write_room) ? length_q[2:0] : write_room;
  assign strobes     = ~(4'hf << write_bytes) << destination_q[1:0];

  // ---- the copy ----

  logic ends;  // the access to memory
  assign ends = m_penable_o && m_pready_i;

  always_comb begin
    state_d         = state_q;
    source_d        = source_q;
    destination_d   = destination_q;
    length_d        = length_q;
    unread_d        = unread_q;
    shift_d         = shift_q;
    done_d          = done_q && !(write_clear && pwdata_i[1]);
    error_d         = error_q && !(write_clear && pwdata_i[2]);
    cause_d         = cause_q;
    error_address_d = error_address_q;
    filled_d        = filled_q;
    drained_d       = drained_q;
    partial_d       = partial_q;

    unique case (state_q)
      Rest: begin
        if (write) begin
          unique case (register)
            Length: begin
              length_d = (length_q & ~lanes[LengthBits-1:0]) | written[LengthBits-1:0];
            end
            SourceLow, SourceHigh: begin
              source_d = (source_q & ~address_lanes) | (address_written & address_lanes);
            end
            DestinationLow, DestinationHigh: begin
              destination_d = (destination_q & ~address_lanes) | (address_written & address_lanes);
            end
            default: ;
          endcase
        end
        if (start) begin
          state_d         = length_q == '0 ? Rest : ReadSetup;
          unread_d        = length_q;
          shift_d         = destination_q[1:0] - source_q[1:0];
          done_d          = length_q == '0;
          error_d         = 1'b0;
          cause_d         = NoError;
          error_address_d = '0;
          filled_d        = '0;
          drained_d       = '0;
        end
      end
      ReadSetup: state_d = ReadAccess;
      ReadAccess: if (ends) begin
        source_d  = source_q + AddressBits'(read_bytes);
        unread_d  = unread_q - LengthBits'(read_bytes);
        filled_d  = filled_q + CountBits'(completes);
        partial_d = completes ? rotated : completed;
        state_d   = filled_d == CountBits'(BurstWords) || unread_d == '0 ? WriteSetup : ReadSetup;
      end
      WriteSetup: state_d = WriteAccess;
      default: if (ends) begin
        destination_d = destination_q + AddressBits'(write_bytes);
        length_d      = length_q - LengthBits'(write_bytes);
        drained_d     = drained_q + CountBits'(1);
        state_d       = WriteSetup;
        if (length_d == '0) begin
          state_d = Rest;
          done_d  = 1'b1;
        end else if (drained_d == filled_q && unread_q != '0) begin
          state_d   = ReadSetup;
          filled_d  = '0;
          drained_d = '0;
        end
      end
    endcase

    stop_d = busy && (stop_q || stop) && state_d != Rest;
    if (ends && (m_pslverr_i || stop_d)) begin
      state_d = Rest;
      stop_d  = 1'b0;
      done_d  = 1'b0;
      error_d = 1'b1;
      cause_d = !m_pslverr_i ? Stopped : m_pwrite_o ? WriteError : ReadError;
      if (m_pslverr_i) begin
        error_address_d = m_paddr_o;
        source_d        = source_q;
        destination_d   = destination_q;
        length_d        = length_q;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q         <= Rest;
      source_q        <= '0;
      destination_q   <= '0;
      length_q        <= '0;
      unread_q        <= '0;
      shift_q         <= '0;
      stop_q          <= 1'b0;
      done_q          <= 1'b0;
      error_q         <= 1'b0;
      cause_q         <= NoError;
      error_address_q <= '0;
      enable_q        <= '0;
      filled_q        <= '0;
      drained_q       <= '0;
      partial_q       <= '0;
    end else begin
      state_q         <= state_d;
      source_q        <= source_d;
      destination_q   <= destination_d;
      length_q        <= length_d;
      unread_q        <= unread_d;
      shift_q         <= shift_d;
      stop_q          <= stop_d;
      done_q          <= done_d;
      error_q         <= error_d;
      cause_q         <= cause_d;
      error_address_q <= error_address_d;
      enable_q        <= enable_d;
      filled_q        <= filled_d;
      drained_q       <= drained_d;
      partial_q       <= partial_d;
    end
  end

  for (genvar i = 0; i < BurstWords; i++) begin : gen_buffer
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) buffer_q[i] <= '0;
      else if (state_q == ReadAccess && ends && completes && filled_q == CountBits'(i)) begin
        buffer_q[i] <= completed;
      end
    end
  end

  // ---- the outputs ----

  assign m_psel_o    = busy;
  assign m_penable_o = state_q == ReadAccess || state_q == WriteAccess;
  assign m_pwrite_o  = state_q == WriteSetup || state_q == WriteAccess;
  assign m_pstrb_o   = m_pwrite_o ? strobes : '0;
  always_comb begin
    m_paddr_o = '0;
    if (m_pwrite_o) m_paddr_o = {destination_q[AddressBits-1:2], 2'b00};
    else if (busy) m_paddr_o = {source_q[AddressBits-1:2], 2'b00};
    m_pwdata_o = '0;
    if (m_pwrite_o) begin
      m_pwdata_o = drained_q < filled_q ? buffer_q[IndexBits'(drained_q)] : partial_q;
    end
  end

  logic [63:0] source, destination, error_address;
  assign source        = 64'(source_q);
  assign destination   = 64'(destination_q);
  assign error_address = 64'(error_address_q);
  always_comb begin
    prdata_o = '0;
    if (psel_i && !pwrite_i) begin
      unique case (register)
        IdRegister:      prdata_o = Id;
        Status:          prdata_o = 32'({cause_q, 1'b0, error_q, done_q, busy});
        Enable:          prdata_o = 32'({enable_q, 1'b0});
        Length:          prdata_o = 32'(length_q);
        SourceLow:       prdata_o = source[31:0];
        SourceHigh:      prdata_o = source[63:32];
        DestinationLow:  prdata_o = destination[31:0];
        DestinationHigh: prdata_o = destination[63:32];
        ErrorLow:        prdata_o = error_address[31:0];
        ErrorHigh:       prdata_o = error_address[63:32];
        Burst:           prdata_o = BurstWords;
        default:         ;
      endcase
    end
  end

  assign pready_o          = 1'b1;
  assign done_interrupt_o  = done_q && enable_q[0];
  assign error_interrupt_o = error_q && enable_q[1];
  assign state_o           = state_q;

  logic still;
  assign still        = m_penable_o ? !m_pready_i : !busy;
  assign idle_o       = still && !psel_i;
  assign next_event_o = still ? 2'b11 : 2'b01;

  logic unused;
  assign unused = ^{lanes, written};

endmodule
