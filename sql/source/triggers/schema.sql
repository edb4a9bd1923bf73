-- What triggers note, and what reads it. Made once, by the role that reads; each statement can be run again.
--
-- changes is a ring: of 65,536 numbers each a partition, in turn, so that what was read is emptied by TRUNCATE, whatever snapshots
-- are open: the table stays small, and nothing is vacuumed. Writers never read any of these tables, nor wait for one another.
create sequence if not exists millrace_capture.changes_seq cache 1;
create table if not exists millrace_capture.about (version integer not null, id uuid not null default gen_random_uuid());
-- Its lock is the reader's turn. No table: a vacuum, also one that Postgres does not let out, would wait for the lock for as long as
-- changes are read, and the server would run out of transaction ids.
do $$ begin
  if exists (select from pg_class c where c.oid = to_regclass('millrace_capture.reader') and c.relkind = 'r') then
    drop table millrace_capture.reader;
  end if;
end $$;
create or replace view millrace_capture.reader as select true as turn;
-- rel: the table that sinks know, of a partition its root. shape: a row of shapes. old, new: the row as a composite value's text.
-- op: I, U, D; i, u, d: the row is too large, and its key alone is here; T: truncated; M: a message, old is its prefix; X: something
-- was not noted, old says why. old_at, new_at: where the versions of the row lie.
create table if not exists millrace_capture.changes (
  seq bigint not null, part smallint not null, xid xid8 not null default pg_current_xact_id(),
  made_at timestamptz not null default clock_timestamp(), rel oid not null, shape bigint, op "char" not null, old text, new text,
  old_at tid, new_at tid
) partition by list (part);
-- Large rows are compressed with lz4, or not at all where the server does not have it: whoever writes them would wait for pglz, 15 us
-- a kilobyte. Partitions are made like this; those that are there already are left alone, for this would lock writers out.
do $$
declare
  how text := case when exists (select from pg_settings s
                                 where s.name = 'default_toast_compression' and 'lz4' = any (s.enumvals))
                   then 'compression lz4' else 'storage external' end;
begin
  if not exists (select from pg_inherits i where i.inhparent = 'millrace_capture.changes'::regclass) then
    execute format('alter table millrace_capture.changes alter column old set %1$s, alter column new set %1$s', how);
  end if;
end $$;
create table if not exists millrace_capture.changes_0 partition of millrace_capture.changes for values in (0)
  with (autovacuum_enabled = false, toast.autovacuum_enabled = false);
create table if not exists millrace_capture.changes_1 partition of millrace_capture.changes for values in (1)
  with (autovacuum_enabled = false, toast.autovacuum_enabled = false);
create table if not exists millrace_capture.changes_2 partition of millrace_capture.changes for values in (2)
  with (autovacuum_enabled = false, toast.autovacuum_enabled = false);
create table if not exists millrace_capture.changes_3 partition of millrace_capture.changes for values in (3)
  with (autovacuum_enabled = false, toast.autovacuum_enabled = false);
create index if not exists changes_seq_idx on millrace_capture.changes (seq);
create index if not exists changes_xid_idx on millrace_capture.changes (xid, seq);
-- What a table was like when a row was written. `no` is made of `def`: rows of the same number are alike, and all but one of them go
-- now and then. One of each number stays: a session may have the number in mind.
create table if not exists millrace_capture.shapes (no bigint not null, rel oid not null, leaf oid not null, def jsonb not null);
create index if not exists shapes_no_idx on millrace_capture.shapes (no);
create index if not exists shapes_leaf_idx on millrace_capture.shapes (leaf);
-- Somebody's publication may be of all tables: Postgres would refuse what we update and delete here.
do $$
declare
  lacking name;
begin
  for lacking in
    select c.relname from pg_class c
     where c.relnamespace = 'millrace_capture'::regnamespace and c.relkind in ('r', 'p') and c.relreplident <> 'f'
  loop
    execute format('alter table millrace_capture.%I replica identity full', lacking);
  end loop;
end $$;
-- Default privileges of a role give others rights on what it makes, or take them: here they count for nothing.
do $$
declare
  granted record;
begin
  for granted in
    select distinct t.thing, case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as grantee
      from (select format('%s millrace_capture.%I', case c.relkind when 'S' then 'sequence' else 'table' end, c.relname) as thing,
                   c.relacl as acl, c.relowner as owner
              from pg_class c
             where c.relnamespace = 'millrace_capture'::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
            union all
            select 'schema millrace_capture', n.nspacl, n.nspowner from pg_namespace n where n.nspname = 'millrace_capture') t
     cross join lateral aclexplode(t.acl) a
     where a.grantee <> t.owner
  loop
    execute format('revoke all on %s from %s cascade', granted.thing, granted.grantee);
  end loop;
end $$;
-- Whoever makes a trigger, or sends a message, names something of this schema; its tables are nobody else's.
grant usage on schema millrace_capture to public;
