import { expect } from 'chai';
import { decodeSearch } from '../../../src/sinks/search-index/decode.ts';
import { answer, engineError } from '../../support/engines/replies.ts';

const MISSING = { type: 'index_not_found_exception', reason: 'no such index [products]' };
const DENIED = { type: 'security_exception', reason: 'action [indices:data/read] is unauthorized' };

describe('what the answer to _search says', () => {
  const verdictOf = (status: number, text: string) => decodeSearch(answer(status, text));

  it('200 with JSON: ready; 200 with anything else: not a search engine', () => {
    expect(verdictOf(200, '{"hits":{}}')).to.deep.equal({ kind: 'ready' });
    for (const text of ['<html></html>', '', '[]']) {
      expect(verdictOf(200, text)).to.have.nested.property('circuit.reason', 'bad_destination');
    }
  });

  it('takes how many documents there are from either form of the total', () => {
    const ready = { kind: 'ready' };
    expect(verdictOf(200, '{"hits":{"total":3}}')).to.deep.equal({ ...ready, documents: 3 });
    expect(verdictOf(200, '{"hits":{"total":{"value":0,"relation":"eq"}}}')).to.deep.equal({ ...ready, documents: 0 });
    const many = '{"hits":{"total":{"value":10000,"relation":"gte"}}}';
    expect(verdictOf(200, many)).to.deep.equal({ ...ready, documents: 10_000, orMore: true });
    for (const odd of ['{"hits":{"total":"3"}}', '{"hits":[]}', '{"hits":{"total":{}}}'])
      expect(verdictOf(200, odd)).to.deep.equal(ready);
  });

  it('tells what stops the sink from what stops one index', () => {
    const kinds = [401, 302, 405].map((status) => verdictOf(status, '').kind);
    expect(kinds).to.deep.equal(['circuit', 'circuit', 'circuit']);
    expect(verdictOf(404, engineError(MISSING)))
      .to.deep.include({ kind: 'index' })
      .and.nested.include({ 'circuit.reason': 'index_missing' });
    expect(verdictOf(403, engineError(DENIED)))
      .to.deep.include({ kind: 'index' })
      .and.nested.include({ 'circuit.reason': 'auth_failed' });
    expect(verdictOf(400, engineError({ type: 'invalid_index_name_exception' }))).to.have.property('kind', 'name');
    const closed = verdictOf(400, engineError({ type: 'index_closed_exception' }));
    expect(closed).to.deep.include({ kind: 'index' }).and.nested.include({ 'circuit.reason': 'bad_destination' });
    expect(verdictOf(400, 'Bad Request')).to.have.property('kind', 'circuit');
    expect(verdictOf(503, '')).to.have.property('kind', 'unclear');
    expect(verdictOf(429, '')).to.have.nested.property('circuit.reason', 'overloaded');
    expect(verdictOf(502, '')).to.have.nested.property('circuit.reason', 'unreachable');
  });
});
