/** How texts and figures are shown. */
import { expect } from 'chai';
import { parseKeeping } from '../../src/console/api/json-text.ts';
import { bytes, count, instant, plural, rate, sentence, short, span } from '../../src/console/lib/format.ts';

describe('console: what is to be known beside a statement', () => {
  it('is a sentence of its own', () => {
    for (const [text, shown] of [
      ['then restart the server', 'Then restart the server.'],
      ['or, if they are not wanted: millrace.discard', 'Or, if they are not wanted: millrace.discard.'],
      ['millrace.discard deletes them', 'millrace.discard deletes them.'],
      ['Every row is sent again.', 'Every row is sent again.'],
      ['or drop one: select pg_drop_replication_slot(...)', 'Or drop one: select pg_drop_replication_slot(...)'],
    ] as const)
      expect(sentence(text)).to.equal(shown);
  });
});

describe('console: figures of any size', () => {
  /** As the console reads it out of an answer. */
  const read = (text: string): number => (parseKeeping(`[${text}]`) as number[])[0]!;

  it('are shown with all their digits where they are counted, and never as none', () => {
    for (const [text, shown] of [
      ['0', '0'],
      ['14204', '14 204'],
      ['9007199254740991', '9 007 199 254 740 991'],
      ['9007199254740993', '9 007 199 254 740 993'],
      ['9223372036854775807', '9 223 372 036 854 775 807'],
      ['12345678901234567890123', '12 345 678 901 234 567 890 123'],
    ] as const) {
      expect(count(read(text)).replaceAll('\u202f', ' ')).to.equal(shown);
      expect(plural(read(text), 'row').replaceAll('\u202f', ' ')).to.equal(`${shown} rows`);
      for (const say of [short, bytes, span, rate]) expect(say(read(text)), text).to.match(/^\d[^eN]*$/);
    }
  });

  it('are calculated with as any other', () => {
    const large = read('9007199254740993');
    expect([large + 1, large / 2, Math.max(large, 3), large > 3, Math.min(1, large / large)]).to.deep.equal([
      ...[2 ** 53 + 1, 2 ** 52, 2 ** 53, true, 1],
    ]);
    expect([bytes(large), bytes(read('9223372036854775807')), `${large}`]).to.deep.equal([
      ...['8.0 PB', '8.0 EB', '9007199254740993'],
    ]);
  });
});

describe('console: times of this browser', () => {
  const before = process.env.TZ;
  after(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });

  it('have their offset where clocks show them twice, and nowhere else', () => {
    const shown = (zone: string, at: string): string => {
      process.env.TZ = zone;
      return instant(new Date(at), 'local', { millis: false });
    };
    expect([
      shown('Europe/Berlin', '2026-10-24T23:59:59Z'),
      shown('Europe/Berlin', '2026-10-25T00:30:00Z'),
      shown('Europe/Berlin', '2026-10-25T01:30:00Z'),
      shown('Europe/Berlin', '2026-10-25T02:00:00Z'),
      shown('Europe/Berlin', '2026-03-29T01:30:00Z'),
      shown('America/St_Johns', '2026-11-01T04:00:00Z'),
      shown('Australia/Lord_Howe', '2026-04-04T15:15:00Z'),
      shown('Asia/Kolkata', '2026-10-25T00:30:00Z'),
    ]).to.deep.equal([
      '2026-10-25 01:59:59',
      '2026-10-25 02:30:00 +02:00',
      '2026-10-25 02:30:00 +01:00',
      '2026-10-25 03:00:00',
      '2026-03-29 03:30:00',
      '2026-11-01 01:30:00 -02:30',
      '2026-04-05 01:45:00 +10:30',
      '2026-10-25 06:00:00',
    ]);
  });
});
