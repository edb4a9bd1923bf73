import { expect } from 'chai';
import { flag, parseSearch, searchOf, stringifySearch, text } from '../../src/console/lib/search.ts';

describe('console: what stands behind ? in an address', () => {
  const read = searchOf({ key: text, failures: flag });

  for (const key of ['9223372036854775807', '0012', '1e5', '1.10', 'true', 'null', '"quoted"', '[1]', 'a b+c&d=ä'])
    it(`is text, with each digit: ${key}`, () => {
      expect(read(parseSearch(`?key=${encodeURIComponent(key)}`))).to.deep.equal({ key });
      expect(read(parseSearch(stringifySearch({ key })))).to.deep.equal({ key });
    });

  it('has what is set, and nothing of what is not', () => {
    expect(stringifySearch({ failures: true, key: undefined })).to.equal('?failures=true');
    expect(stringifySearch({})).to.equal('');
    expect(read(parseSearch('?failures=true&other=1&key='))).to.deep.equal({ failures: true });
  });
});
