-- How many messages of a sink are parked, at which stage and since when, and how many are held, is read from indexes alone: a sink
-- may have hundreds of thousands of them, and a console asks every other second. Statements that ask for `state = 'held'` by id or
-- by group do not say `due_at is null`, so that none of them mistakes the index for the better one.
create index delivery_states_parked_at on millrace_private.delivery_states (sink_no, stage, parked_at) where state = 'parked';
drop index millrace_private.delivery_states_parked;
create index delivery_states_held on millrace_private.delivery_states (sink_no) where due_at is null and state <> 'parked';
