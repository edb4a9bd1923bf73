-- What a message of a group waits for is found without the parked ones of the group, of which there may be very many.
create index delivery_states_undecided on millrace_private.delivery_states (sink_no, group_key, id) where state <> 'parked';
