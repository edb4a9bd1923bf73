import { expect } from 'chai';
import { tableInPath } from '../../src/model/table-in-path.ts';

describe('the name of a table in an address, or on a command line', () => {
  const NAMES: [text: string, name: { schema: string; name: string } | undefined][] = [
    ['orders_events', { schema: 'public', name: 'orders_events' }],
    ['Audit.Orders', { schema: 'Audit', name: 'Orders' }],
    ['"my.schema"."say ""hi"""', { schema: 'my.schema', name: 'say "hi"' }],
    ['a."b.c"', { schema: 'a', name: 'b.c' }],
    ['a.b.c', undefined],
    ['a.', undefined],
    ['"a', undefined],
    ['', undefined],
  ];
  for (const [text, name] of NAMES) it(text || 'empty', () => expect(tableInPath(text)).to.deep.equal(name));
});
