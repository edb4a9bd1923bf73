-- What a message of a group waits for is found without the parked ones of the group, of which there may be very many. Of an expression,
-- so that only who asks for it finds rows by this index: with statistics of a sink in which nothing was held, Postgres takes one of the
-- columns for the best way to a single message that is held or retried, and goes through all of them.
create index delivery_states_undecided on millrace_private.delivery_states
  (sink_no, (case when state <> 'parked' then group_key end), id) where (case when state <> 'parked' then group_key end) is not null;
