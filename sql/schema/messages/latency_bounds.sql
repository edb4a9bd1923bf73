-- The longest latency of each bucket but the last, in milliseconds: from 1 ms to 24 h. As LATENCY_BOUNDS in
-- src/messages/latency.ts has them; counted rows hold a number for each, so they never change.
create or replace function millrace_private.latency_bounds() returns double precision[] language sql immutable parallel safe
return array[1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 200, 500, 1000, 2000, 5000, 15000, 60000, 300000, 900000, 3600000,
             14400000, 43200000, 86400000]::double precision[];
