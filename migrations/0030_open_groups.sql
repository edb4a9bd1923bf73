-- An expression, so that only who asks for it finds rows by this index: with statistics of a sink in which nothing was held, Postgres
-- took it for the best way to one message that is held or retried, and went through all of them.
drop index millrace_private.delivery_states_undecided;
create index delivery_states_undecided on millrace_private.delivery_states
  (sink_no, (case when state <> 'parked' then group_key end), id) where (case when state <> 'parked' then group_key end) is not null;
