/** The text for pg_partman 5, and names of tables. That the rest runs is tested on servers. */
import { expect } from 'chai';
import { instructions } from '../../../../src/sinks/change-table/policies/instructions.ts';

const table = { schema: 'public', name: 'Ann "s" events' };

describe('the SQL for a change table', () => {
  it('is the documented call of pg_partman 5', () => {
    const sql = instructions({ table, variant: 'pg_partman', keep: '30 days', interval: '1 day', version: 5 });
    expect(sql).to.include(`
select partman.create_parent(
  p_parent_table => 'public.Ann "s" events',
  p_template_table => 'public.Ann "s" events',
  p_control => 'committed_at',
  p_interval => '1 day',
  p_automatic_maintenance => 'on',
  p_default_table => false
);

update partman.part_config
   set retention = '30 days',
       retention_keep_table = false,
       infinite_time_partitions = true
 where parent_table = 'public.Ann "s" events';
`);
    expect(sql).to.include('primary key (id, committed_at)\n) partition by range (committed_at);\n');
    expect(sql).to.not.match(/p_type|do \$/);
  });

  it('leaves no place open and lets no name end a quotation', () => {
    const nasty = { schema: '<event_table>"', name: `<keep>'$$$q1$` };
    for (const variant of ['plain', 'job'] as const) {
      expect(instructions({ table: nasty, variant })).to.include(`"<event_table>"""."<keep>'$$$q1$"`);
    }
    const elsewhere = { cronDatabase: 'a\nb', database: "it's" };
    const sql = instructions({ table: nasty, variant: 'pg_cron', keep: '1 day', elsewhere });
    expect(sql).to.include('-- In database a\n-- b, which has pg_cron:\n');
    expect(sql).to.match(/\$q2\$delete from .* interval '1 day'\$q2\$, 'it''s'\);\n$/);
  });

  it('refuses for pg_partman a name that it could not manage', () => {
    const request = { variant: 'pg_partman', keep: '1 day', interval: '1 day', version: 4 } as const;
    const of = (schema: string, name: string) => () => instructions({ ...request, table: { schema, name } });
    expect(of('public', 'a.b')).to.throw('pg_partman takes no name with a dot in it: "a.b"');
    expect(of("it's", 'a')).to.throw('pg_partman takes no name with an apostrophe in it: "it\'s"');
  });
});
