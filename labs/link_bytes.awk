# Bytes that messages carried, from the trace of a simulated run (tracing/smpi/internals and
# tracing/smpi/display-sizes: every message inside a collective too). Prints three whole numbers: sent by
# all ranks, by the busiest rank, and between boxes of 8 ranks.    awk -f labs/link_bytes.awk TRACE
# An event 15 of the trace is a message that leaves: its key is SENDER_RECEIVER_..., from 1, then the size.
$1 == 15 && $5 == "PTP" {
  split($7, key, "_")
  sent[key[1]] += $8
  all += $8
  if (int((key[1] - 1) / 8) != int((key[2] - 1) / 8)) between += $8
}
END {
  for (rank in sent) if (sent[rank] > busiest) busiest = sent[rank]
  printf "%d %d %d\n", all, busiest, between
}
