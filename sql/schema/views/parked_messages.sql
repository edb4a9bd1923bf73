-- The same columns as pending_messages, and what only a parked message has.
create or replace view millrace.parked_messages as
  select m.sink_name, m.id, m.table_schema, m.table_name,
         millrace_private.pk_text(m.record_pks) as record_pk, m.action, m.state, m.attempts, m.visible_at, m.error,
         m.committed_at, m.message, m.stage, m.parked_at
    from millrace_private.message_list m
   where m.parked;
comment on view millrace.parked_messages is
  'Messages that failed for good. millrace.retry(sink, ids) puts them back, millrace.discard(sink, ids) deletes them.';
comment on column millrace.parked_messages.stage is 'Where it failed: capture, shape, send, settle or receive.';
comment on column millrace.parked_messages.parked_at is 'When it was put aside.';
