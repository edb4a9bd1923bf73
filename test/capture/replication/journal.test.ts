import { expect } from 'chai';
import { Journal } from '../../../src/capture/replication/journal.ts';

describe('what came since the last position', () => {
  it('is kept in order on bytes of its own, empty messages too', () => {
    const journal = new Journal();
    const sent = ['a', '', 'b'.repeat(100_000), 'c'].map((text) => Buffer.from(text));
    const texts = sent.map(String);
    for (const bytes of sent) {
      journal.add(bytes);
      bytes.fill('x');
    }
    expect(journal.isWhole).to.equal(true);
    expect(journal.messages().map(String)).to.deep.equal(texts);
    journal.clear();
    expect([journal.length, journal.messages()]).to.deep.equal([0, []]);
  });

  it('gives its last message to the next one', () => {
    const [first, next] = [new Journal(), new Journal()];
    first.moveLast(next);
    first.add(Buffer.from('a'));
    first.add(Buffer.from('b'));
    first.moveLast(next);
    next.add(Buffer.from('c'));
    expect([first, next].map((journal) => journal.messages().map(String))).to.deep.equal([['a'], ['b', 'c']]);
  });

  it('says when it was too much', () => {
    const journal = new Journal();
    for (let n = 0; n < 9; n += 1) journal.add(Buffer.alloc(1024 * 1024));
    expect(journal.isWhole).to.equal(false);
    journal.add(Buffer.from('a'));
    expect(journal.isWhole).to.equal(false);
    journal.clear();
    journal.add(Buffer.from('b'));
    expect([journal.isWhole, journal.messages().map(String)]).to.deep.equal([true, ['b']]);
  });
});
