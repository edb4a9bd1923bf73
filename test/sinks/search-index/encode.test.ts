import { expect } from 'chai';
import fc from 'fast-check';
import { joinedKey } from '../../../src/model/joined-key.ts';
import { bulkBody, cut, encode, indexNameFault, type Operation } from '../../../src/sinks/search-index/encode.ts';
import { readOperations } from '../../support/engines/bulk-engine.ts';
import { delivery } from '../../support/fixtures/delivery.ts';

const EXTERNAL = { indexName: 'products', versioning: 'external' } as const;
const UNVERSIONED = { indexName: 'products', versioning: 'none' } as const;

function bodyFor(batch: Parameters<typeof encode>[0], settings: Parameters<typeof encode>[1] = EXTERNAL): string {
  return bulkBody(encode(batch, settings).operations.get('products') ?? [], settings.versioning).toString();
}

describe('encoding a batch for _bulk', () => {
  it('indexes inserts, updates and backfilled rows with the message id as external version', () => {
    const batch = (['insert', 'update', 'read'] as const).map((action, i) =>
      delivery(41 + i, `k${i}`, { action, body: `{"n":${i}}` }),
    );
    expect(bodyFor(batch)).to.equal(
      '{"index":{"_id":"k0","version":41,"version_type":"external"}}\n{"n":0}\n' +
        '{"index":{"_id":"k1","version":42,"version_type":"external"}}\n{"n":1}\n' +
        '{"index":{"_id":"k2","version":43,"version_type":"external"}}\n{"n":2}\n',
    );
  });

  it('deletes with one line and no document', () => {
    expect(bodyFor([delivery(7, '9', { action: 'delete' })])).to.equal(
      '{"delete":{"_id":"9","version":7,"version_type":"external"}}\n',
    );
  });

  it('leaves the version out when versioning is none', () => {
    const batch = [delivery(1, 'a', { body: '{}' }), delivery(2, 'b', { action: 'delete' })];
    expect(bodyFor(batch, UNVERSIONED)).to.equal('{"index":{"_id":"a"}}\n{}\n{"delete":{"_id":"b"}}\n');
  });

  it('joins a composite key with a hyphen and escapes it', () => {
    const batch = [delivery(1, '', { recordPks: ['a"b', 'c\nd', 'é'], body: '{}' })];
    expect(bodyFor(batch)).to.contain('"_id":"a\\"b-c\\nd-é"');
  });

  it('sends the body as it lies, digits, order, duplicates and all', () => {
    const body = '{"big":123456789012345678901234567890.10,"a":1e3,"a":2,"t":"\\u0000 \\n"}';
    expect(bodyFor([delivery(1, 'a', { body })]).split('\n')[1]).to.equal(body);
  });

  it('keeps a body with line breaks between its tokens on one line', () => {
    const lines = bodyFor([delivery(1, 'a', { body: '{\r\n"a":\n1}' })]).split('\n');
    expect(lines).to.have.length(3);
    expect(JSON.parse(lines[1]!)).to.deep.equal({ a: 1 });
  });

  it('sends the last operation on a document only, and gives it every delivery of that document', () => {
    const batch = [
      delivery(1, 'a'),
      delivery(2, 'b'),
      delivery(3, 'a', { action: 'delete' }),
      delivery(4, 'a', { body: '{"last":true}' }),
    ];
    const { operations, owners } = encode(batch, EXTERNAL);
    expect(operations.get('products')).to.have.length(2);
    expect(owners[0]).to.equal(owners[3]);
    expect(owners[2]).to.equal(owners[3]);
    expect(owners[3]).to.include({ documentId: 'a', isDelete: false });
    expect(owners[1]).to.include({ documentId: 'b' });
  });

  it('takes the highest version, not the last place, when an older message was put back behind a newer one', () => {
    const batch = [delivery(9, 'a', { body: '{"v":9}' }), delivery(3, 'a', { body: '{"v":3}' })];
    expect(bodyFor(batch)).to.contain('{"v":9}').and.not.contain('{"v":3}');
    expect(bodyFor(batch, UNVERSIONED)).to.contain('{"v":3}').and.not.contain('{"v":9}');
  });

  it('makes one group per index, and the same _id in two indexes are two documents', () => {
    const batch = [
      delivery(1, 'a'),
      delivery(2, 'a', { indexName: 'other' }),
      delivery(3, 'b', { indexName: 'other' }),
    ];
    const { operations } = encode(batch, EXTERNAL);
    expect([...operations].map(([index, list]) => [index, list.length])).to.deep.equal([
      ['products', 1],
      ['other', 2],
    ]);
  });

  it('parks what has no key or an index name that is none, and sends the rest', () => {
    const batch = [delivery(1, 'a', { recordPks: [] }), delivery(2, 'b'), delivery(3, 'c', { indexName: '../_all' })];
    const { owners, operations } = encode(batch, EXTERNAL);
    expect(owners[0]).to.have.property('kind', 'park');
    expect(owners[0]).to.have.property('error').that.contains('primary key');
    expect(owners[2]).to.have.property('kind', 'park');
    expect(owners[2]).to.have.property('error').that.contains('index_name').and.not.contains('_all');
    expect(operations.size).to.equal(1);
  });

  it('parks an _id that no engine takes, of 513 bytes or empty; nothing is there to delete', () => {
    const fits = 'é'.repeat(256);
    const batch = [fits, `${fits}x`, ''].flatMap((pk, i) => [
      delivery(2 * i + 1, pk),
      delivery(2 * i + 2, pk, { action: 'delete' }),
    ]);
    const { owners, operations } = encode(batch, EXTERNAL);
    expect(owners.map((owner) => ('kind' in owner ? owner.kind : 'sent'))).to.deep.equal([
      ...['sent', 'sent', 'park', 'done', 'park', 'done'],
    ]);
    expect(owners[2]).to.have.property('error').that.contains('513 bytes').and.contains('512');
    expect([...operations.values()].flat().map(({ documentId }) => documentId)).to.deep.equal([fits]);
  });

  it('parks a name that no index has, and lets the engine judge the others', () => {
    const names = [
      '',
      '.',
      '..',
      '../_all',
      '_bulk',
      '-x',
      '+x',
      '*',
      'a*',
      'a,b',
      'a/b',
      'a b',
      'a\0',
      'a\x7f',
      '\ud83d',
    ];
    for (const name of [
      ...names,
      'a\ud83d',
      'x'.repeat(256),
      '<a,b>',
      '<a>,<b>',
      '<a/../{now/d}>',
      '<',
      '<>',
      'a?',
      'a#b',
      'a"b',
    ]) {
      const [owner] = encode([delivery(1, 'a', { indexName: name })], EXTERNAL).owners;
      expect(owner, JSON.stringify(name)).to.have.property('kind', 'park');
    }
    for (const name of [
      'a',
      'Alias',
      '<logs-{now/d}>',
      '<logs-{now/d{yyyy.MM.dd|+12:00}}>',
      'x'.repeat(255),
      '日本',
      '🙂',
      'a.b',
      'a..b',
      'a%2Fb',
    ]) {
      const [owner] = encode([delivery(1, 'a', { indexName: name })], EXTERNAL).owners;
      expect(owner, name).to.have.property('documentId', 'a');
    }
  });

  it('is read back by the engine as what was meant, whatever the keys and bodies are', () => {
    const keys = fc
      .array(fc.string({ unit: 'grapheme', maxLength: 12 }), { minLength: 1, maxLength: 3 })
      .filter((values) => values.join('') !== '' || values.length > 1);
    const entry = fc.record({ keys, isDelete: fc.boolean(), value: fc.jsonValue(), spaced: fc.boolean() });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 30 }), (entries) => {
        const batch = entries.map(({ keys: recordPks, isDelete, value, spaced }, i) =>
          delivery(i + 1, '', {
            recordPks,
            action: isDelete ? 'delete' : 'update',
            body: JSON.stringify({ value }, null, spaced ? 2 : 0),
          }),
        );
        const expected = new Map(batch.map((one) => [joinedKey(one.recordPks), one]));
        for (const settings of [EXTERNAL, UNVERSIONED]) {
          const { operations, owners } = encode(batch, settings);
          const sent = operations.get('products') ?? [];
          const text = bulkBody(sent, settings.versioning).toString();
          const read = sent.length === 0 ? [] : readOperations('products', text);
          if (typeof read === 'string') throw new Error(read);
          expect(read).to.have.length(expected.size);
          for (const { id, version, action, source } of read) {
            const last = expected.get(id)!;
            expect(version).to.equal(settings === EXTERNAL ? last.id : undefined);
            expect(action).to.equal(last.action === 'delete' ? 'delete' : 'index');
            if (source !== undefined) expect(JSON.parse(source)).to.deep.equal(JSON.parse(last.body));
          }
          expect(owners).to.have.length(batch.length);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('cutting operations into requests', () => {
  const operations: Operation[] = [10, 20, 30, 40].map((bytes) => {
    return { documentId: `${bytes}`, id: bytes, isDelete: false, body: null, bytes, outcome: undefined };
  });
  const sizes = (list: Operation[]): number[] => list.map(({ bytes }) => bytes);

  it('takes as many as fit by bytes and by number', () => {
    expect(cut(operations, { bytes: 60, documents: 100 }).map(sizes)).to.deep.equal([[10, 20, 30], [40]]);
    expect(cut(operations, { bytes: 59, documents: 100 }).map(sizes)).to.deep.equal([
      [10, 20],
      [30, 40],
    ]);
    expect(cut(operations, { bytes: 1000, documents: 1 }).map(sizes)).to.deep.equal([[10], [20, 30, 40]]);
    expect(cut(operations, { bytes: 1000, documents: 4 }).map(sizes)).to.deep.equal([[10, 20, 30, 40], []]);
  });

  it('takes one that is larger than the ceiling all the same', () => {
    expect(cut(operations, { bytes: 1, documents: 10 }).map(sizes)).to.deep.equal([[10], [20, 30, 40]]);
  });
});

describe('names of indexes', () => {
  it('lets pass what an engine may have', () => {
    for (const name of ['products', '.hidden', 'logs-2026.01', 'größe', '<logs-{now/d}>', 'a'.repeat(255)]) {
      expect(indexNameFault(name), name).to.equal(undefined);
    }
  });

  it('refuses what could reach another endpoint or several indexes', () => {
    for (const name of [
      '',
      '.',
      '..',
      '_all',
      '_cluster',
      '-a',
      '+a',
      'a,b',
      'a*',
      'a/b',
      'a\\b',
      'a b',
      'a\nb',
      'a?b',
      'a#b',
    ]) {
      expect(indexNameFault(name), name).to.be.a('string');
    }
  });
});
