/** What may be asked for, and with what defaults. The SQL itself is tested beside the change table. */
import { expect } from 'chai';
import { tableRequest } from '../../src/admin/change-table-sql.ts';

describe('a request for the SQL', () => {
  it('has the documented defaults', () => {
    expect(tableRequest({ table: 'e', variant: 'pg_partman' })).to.deep.equal({
      table: { schema: 'public', name: 'e' },
      variant: 'pg_partman',
      keep: '30 days',
      interval: '1 day',
      version: 5,
    });
    expect(tableRequest({ table: 'e', variant: 'pg_cron', keep: '36 hours' })).to.include({ keep: '36 hours' });
    expect(tableRequest({ table: 'e', variant: 'pg_cron', keep: '1w' })).to.include({ keep: '7 days' });
  });

  const REFUSED: [options: Record<string, string>, fault: string][] = [
    [{ table: 'a.b.c' }, '--table is not the name of a table'],
    [{ variant: 'cron' }, '--variant cron is not known'],
    [{ keep: '30 days' }, '--keep means nothing with --variant plain'],
    [{ variant: 'pg_cron', interval: '1 day' }, '--interval means nothing with --variant pg_cron'],
    [{ variant: 'pg_cron', keep: "1 day'; drop" }, '--keep must be a period of time'],
    [{ variant: 'pg_cron', keep: '0 days' }, '--keep must be a period of time'],
    [{ variant: 'pg_partman', interval: 'daily' }, '--interval must be a period of time'],
    [{ variant: 'pg_partman', partmanVersion: '3' }, '--partman-version must be 4 or 5'],
    [{ variant: 'pg_cron', database: 'shop' }, '--cron-database is missing: the two go together'],
    [{ variant: 'pg_cron', cronDatabase: 'shop' }, '--database is missing: the two go together'],
  ];
  for (const [options, fault] of REFUSED) {
    it(`is refused: ${fault}`, () => {
      expect(() => tableRequest({ table: 'e', variant: 'plain', ...options })).to.throw(fault);
    });
  }
});
