-- Connections that this role could still open here: what limits of the role, the database and the server leave.
with me as (
  select r.oid, r.rolsuper, r.rolconnlimit from pg_catalog.pg_roles r where r.rolname = session_user
), here as (
  select d.oid, d.datconnlimit from pg_catalog.pg_database d where d.datname = current_database()
), used as (
  select count(*) filter (where a.usesysid = m.oid) as by_role, count(*) filter (where a.datid = h.oid) as in_database,
         count(*) as in_all
    from pg_catalog.pg_stat_activity a, me m, here h
   where a.datid is not null and a.usesysid is not null
     and coalesce(a.backend_type, '') not in ('parallel worker', 'background worker')
)
select least(case when m.rolconnlimit >= 0 and not m.rolsuper then m.rolconnlimit - u.by_role end,
             case when h.datconnlimit >= 0 and not m.rolsuper then h.datconnlimit - u.in_database end,
             current_setting('max_connections')::integer - u.in_all
             - case when m.rolsuper then 0
                    else current_setting('superuser_reserved_connections')::integer
                         + coalesce(current_setting('reserved_connections', true)::integer, 0) end)::integer as room
  from me m, here h, used u
