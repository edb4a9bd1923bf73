-- All but the parked ones; how they are found says message_list.
create or replace view millrace.pending_messages as
  select m.sink_name, m.id, m.table_schema, m.table_name,
         millrace_private.pk_text(m.record_pks) as record_pk, m.action, m.state, m.attempts, m.visible_at, m.error,
         m.committed_at, m.message
    from millrace_private.message_list m
   where not m.parked;
comment on view millrace.pending_messages is
  'Every message that is not settled. state: waiting, leased (a client has it), retrying (backing off until visible_at), held (behind an earlier one of its row).';
comment on column millrace.pending_messages.sink_name is 'The sink that it waits for.';
comment on column millrace.pending_messages.id is 'Increases in commit order within a source database.';
comment on column millrace.pending_messages.record_pk is 'Primary-key values of the row, joined with -.';
comment on column millrace.pending_messages.action is 'insert, update, delete or read.';
comment on column millrace.pending_messages.state is 'waiting, leased, retrying or held.';
comment on column millrace.pending_messages.attempts is 'Deliveries so far.';
comment on column millrace.pending_messages.visible_at is 'When its lease ends or its retry is due.';
comment on column millrace.pending_messages.error is 'The last answer of its destination, or what its sink waits for.';
comment on column millrace.pending_messages.committed_at is 'When the source committed the change.';
comment on column millrace.pending_messages.message is 'The message as it is delivered.';
