import { expect } from 'chai';
import { parseFrom } from '../../src/cli/jobs/begin.ts';

describe('--from', () => {
  const from = (text: string) => parseFrom(text, { sink: 'index', table: 'orders' });

  it('is a column and a value, which may hold anything', () => {
    expect(from('updated_at=2026-01-31')).to.deep.equal({ column: 'updated_at', value: '2026-01-31' });
    expect(from('a b=c=d')).to.deep.equal({ column: 'a b', value: 'c=d' });
    for (const wrong of ['', '=', 'id', 'id=', '=3']) expect(() => from(wrong), wrong).to.throw('COLUMN=VALUE');
  });
});
