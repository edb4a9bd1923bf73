-- Newest first, those behind $2; one row without a message when there is none. until: sampling ends then; null: it does not run.
select p.until, r.seq as id, r.id as message_id, r.at, r.action, t.schema_name as table_schema, t.table_name,
       millrace_private.pk_text(r.record_pks) as record_pk,
       to_char(r.committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as committed_at,
       r.size, r.message, r.kept, r.shape_ms, r.sent_at, r.send_ms, r.settle_ms, r.sent, r.outcome, r.stage, r.status, r.type, r.text
  from (select (select o.until from millrace_private.previews o
                 where o.sink_no = $1::integer and o.until > clock_timestamp()) as until) p
  left join millrace_private.recent_messages r on r.sink_no = $1::integer and r.seq > $2::bigint
  left join millrace_private.source_tables t on t.no = r.source_table
 order by r.seq desc
