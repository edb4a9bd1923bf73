/**
 * The schemas millrace and millrace_private as one text, read from the catalogs: all that migrations and definitions say, with
 * bodies, comments and rights. What differs between two installations (owners, numbers, what sinks have made) is left out.
 */
import type { Queryable } from '../../../src/db/pool.ts';

const OURS = `('millrace'::regnamespace, 'millrace_private'::regnamespace)`;

/** Who may do what beside the owner: everybody (public), or a role by its name. */
const grants = (acl: string, kind: string, owner: string): string => `(
  select string_agg(format(E'\\ngrant %s to %s', g.rights, g.role), '' order by g.role)
    from (select case a.grantee when 0 then 'public' else pg_get_userbyid(a.grantee) end,
                 lower(string_agg(a.privilege_type, ', ' order by a.privilege_type))
            from aclexplode(coalesce(${acl}, acldefault('${kind}', ${owner}))) a
           where a.grantee <> ${owner} group by a.grantee) g (role, rights))`;

const comment = (text: string): string => `E'\\ncomment ' || quote_literal(${text})`;

const COLUMNS = `(
  select string_agg(concat(format(E'\\n  %I %s', a.attname, format_type(a.atttypid, a.atttypmod)),
                           case when a.attnotnull then ' not null' end, ' default ' || pg_get_expr(d.adbin, d.adrelid),
                           case when a.attidentity <> '' then concat(' identity ', a.attidentity) end,
                           ' comment ' || quote_literal(col_description(c.oid, a.attnum))), '' order by a.attnum)
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)`;

/** Constraints, indexes and triggers of a table. */
const PARTS = `(
  select string_agg(E'\\n' || p.text, '' order by p.text)
    from (select format('constraint %I %s', r.conname, pg_get_constraintdef(r.oid))
            from pg_constraint r where r.conrelid = c.oid and r.contype <> 'n'
          union all select pg_get_indexdef(i.indexrelid) from pg_index i where i.indrelid = c.oid
          union all select pg_get_triggerdef(t.oid) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) p (text))`;

const DUMP = `
  select 1 as kind, n.nspname::text as name,
         concat(format('schema %I', n.nspname), ${comment(`obj_description(n.oid, 'pg_namespace')`)},
                ${grants('n.nspacl', 'n', 'n.nspowner')}) as text
    from pg_namespace n where n.oid in ${OURS}
  union all
  select case c.relkind when 'v' then 4 else 2 end, c.oid::regclass::text,
         concat(case c.relkind when 'v' then 'view ' else 'table ' end, c.oid::regclass, ${COLUMNS},
                E'\\npartition by ' || pg_get_partkeydef(c.oid), E'\\nwith ' || array_to_string(c.reloptions, ', '),
                case c.relkind when 'v' then E'\\n' || pg_get_viewdef(c.oid) end,
                ${comment(`obj_description(c.oid, 'pg_class')`)}, ${PARTS}, ${grants('c.relacl', 'r', 'c.relowner')})
    from pg_class c where c.relnamespace in ${OURS} and c.relkind in ('r', 'p', 'v')
  union all
  select 3, p.oid::regprocedure::text,
         concat(pg_get_functiondef(p.oid), ${comment(`obj_description(p.oid, 'pg_proc')`)},
                ${grants('p.proacl', 'f', 'p.proowner')})
    from pg_proc p where p.pronamespace in ${OURS}
   order by 1, 2`;

/** The dump; ends in a newline. */
export async function dumpSchema(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ text: string }>(DUMP);
  return `${rows.map(({ text }) => text.trimEnd()).join('\n\n')}\n`;
}
