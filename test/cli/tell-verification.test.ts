import { expect } from 'chai';
import { tellProgress } from '../../src/admin/operation/verify-lines.ts';
import type { Verified } from '../../src/admin/verify.ts';
import { tellReport } from '../../src/cli/jobs/tell-verification.ts';
import type { Drift } from '../../src/verify/drift.ts';

const drift = (id: string, changes: Partial<Drift> = {}): Drift => ({
  kind: 'different',
  index: 'products',
  id,
  table: 'public.products',
  key: [id],
  fields: ['price'],
  reason: null,
  hopeless: false,
  ...changes,
});
const report = (drifts: Drift[], changes: Partial<Verified> = {}): Verified => ({
  sink: 'products',
  tables: ['public.products'],
  rows: 12_345,
  listed: 12_346,
  missing: 0,
  extra: 0,
  different: drifts.length,
  changing: 0,
  drifts,
  notes: [],
  repaired: undefined,
  isDrifting: drifts.length > 0,
  ...changes,
});

describe('what a verification tells', () => {
  it('says that there is no drift', () => {
    expect(tellReport(report([]), { show: 20 })).to.equal(
      'products: 12,345 rows of public.products compared, 12,346 documents looked through\n' +
        'missing 0, extra 0, different 0\nno drift\n',
    );
  });

  it('lists the first differences by id, field and reason', () => {
    const drifts = [
      drift('a"b'),
      drift('2', { kind: 'extra', table: null, key: null, fields: [] }),
      drift('3', { kind: 'missing', fields: [], reason: 'its message is parked:\n{"type":"x"}' }),
      drift('4'),
    ];
    const text = tellReport(report(drifts, { changing: 1, listed: null, notes: ['so it is'] }), { show: 3 });
    expect(text.split('\n').slice(1)).to.deep.equal([
      'missing 0, extra 0, different 4',
      '1 row changed again and again, and could not be compared',
      '  different  products  _id "a\\"b": public.products; fields price',
      '  extra      products  _id "2": no row',
      '  missing    products  _id "3": public.products; its message is parked: {"type":"x"}',
      '  and 1 more (--show=4 lists all)',
      'note: so it is',
      'drift: `bin/millrace verify products --repair` sends these rows again, and deletes what has no row',
      '',
    ]);
  });

  it('says what a repair has done', () => {
    expect(tellReport(report([], { repaired: 1 }), { show: 20 })).to.match(/1 document repaired\n.*\nno drift\n$/);
    expect(tellReport(report([drift('1')], { repaired: 0 }), { show: 0 })).to.match(
      /drift: what is left must be fixed by hand/,
    );
  });

  it('says how far it is', () => {
    const at = { phase: 'rows', name: 'public.products', count: 1_500 } as const;
    expect(tellProgress({ ...at, part: 0.5 })).to.equal(
      'public.products compared: [############............]  50 %  1,500 of 3,000 rows',
    );
    expect(tellProgress({ ...at, part: undefined })).to.equal('public.products compared: 1,500 rows');
    expect(tellProgress({ phase: 'recheck', name: '', count: 7, part: undefined })).to.equal(
      'looking again: 7 documents',
    );
  });
});
