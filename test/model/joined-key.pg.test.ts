/** A key as one text: no two keys share one, it can be read back, and SQL makes the same. */
import { expect } from 'chai';
import { joinedKey, keyOfJoined } from '../../src/model/joined-key.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { openSession } from '../support/postgres/sessions.ts';

const UUID = 'f3b1c6de-0000-4000-8000-000000000001';
const OTHER = 'f3b1c6de-0000-4000-8000-000000000002';
const PIECES = [
  ...[
    '',
    'a',
    '-',
    '--',
    'a-b',
    '-1',
    '1',
    '-1.5',
    '1.5',
    '1e-7',
    '-1e-7',
    '1e',
    '7',
    '-infinity',
    'infinity',
    '-Infinity',
    '\\',
    '\\-',
    '-\\',
    '\\.',
    '.',
    '🙂-é',
    'a\nb-\n',
  ],
  ...[
    '2026',
    '10',
    '12',
    '2026-10-12',
    '2026-10-12 10:00:00+00',
    '2026-10-12 10:00:00-05',
    '0044-03-15 BC',
    '12345-01-01',
  ],
  ...[
    UUID,
    OTHER,
    ...UUID.split('-'),
    UUID.toUpperCase(),
    '[2026-01-01,2026-02-01)',
    '-1 days',
    '{a-b,c}',
    't',
    'ab  ',
  ],
];

/** Numbers that are the same in each run. */
function* numbers(): Generator<number> {
  for (let state = 12_345; ; state = (state * 1_103_515_245 + 12_345) % 2 ** 31) yield (state >> 8) & 0xffff;
}

function keys(count: number): string[][] {
  const random = numbers();
  const next = (): string => PIECES[random.next().value! % PIECES.length]!;
  const all = Array.from({ length: count }, (_, n) => Array.from({ length: 2 + (n % 5) }, next));
  for (const a of PIECES) for (const b of PIECES) all.push([a, b]);
  // What lies side by side could be read as one value.
  all.push(UUID.split('-').concat(OTHER), [UUID, ...OTHER.split('-')], [UUID, 'a', 'b', 'c', 'd', 'e']);
  all.push(['', '1', '-2'], ['-1', '', '2'], ['2026', '10', '12', '-5'], ['', '1', 'a-b'], ['-1', 'a-b', '']);
  return all;
}

describe('a key as one text', () => {
  it('is the values joined with - wherever that can be told apart', () => {
    for (const [key, joined] of [
      [['1', '2'], '1-2'],
      [['a', ''], 'a-'],
      [['-1', '-2'], '-1--2'],
      [[UUID, OTHER], `${UUID}-${OTHER}`],
      [[UUID, '7'], `${UUID}-7`],
      [['2026-01-02', '7'], '2026-01-02-7'],
      [['-infinity', '7'], '-infinity-7'],
      [['-1.5e-07', '1e-7'], '-1.5e-07-1e-7'],
      [['2026-01-02 03:04:05+00', 'x'], '2026-01-02 03:04:05+00-x'],
      [['2026', '10', '12'], '2026-10-12'],
      [['a\\b', 'c'], 'a\\b-c'],
      [['a-b'], 'a-b'],
      [[], ''],
    ] as const) {
      expect(joinedKey(key)).to.equal(joined);
    }
  });

  it('escapes what could be read in two ways', () => {
    expect(joinedKey(['a-b', 'c'])).to.equal('a\\-b-c');
    expect(joinedKey(['a', 'b-c'])).to.equal('a-b-c');
    expect(joinedKey(['a-', 'b'])).to.equal('a\\--b');
    expect(joinedKey(['a', '-b'])).to.equal('a--b');
    expect(joinedKey([UUID, 'a-b', ''])).to.equal(`${UUID}-a\\-b-`);
    expect(joinedKey(['', '-', ''])).to.equal('\\.-\\--');
  });

  it('is another one for each key, and can be read back', () => {
    const seen = new Map<string, string>();
    for (const key of keys(20_000)) {
      const joined = joinedKey(key);
      const place = `${key.length} ${joined}`;
      expect(seen.get(place) ?? JSON.stringify(key), joined).to.equal(JSON.stringify(key));
      seen.set(place, JSON.stringify(key));
      expect(keyOfJoined(joined, key.length), joined).to.deep.equal(key);
    }
  });

  it('a text that no key has is read as none', () => {
    for (const joined of ['', 'a', 'a\\-b', 'a\\-b-\\', '\\x-y-z', '\\', '-', '\\.-a-b', '\\a-b-c']) {
      const key = keyOfJoined(joined, 2);
      if (key !== undefined) expect(joinedKey(key)).to.equal(joined);
    }
    expect(keyOfJoined('a', 2)).to.equal(undefined);
    expect(keyOfJoined('\\x-y-z', 2)).to.equal(undefined);
    expect(keyOfJoined('a-b-c', 2)).to.deep.equal(['a', 'b-c']);
    expect(keyOfJoined('a-b-c', 4)).to.equal(undefined);
  });

  describe('in SQL', () => {
    let messages: MessageDatabase;
    before(async () => {
      messages = await messageDatabase();
    });
    after(async () => await messages.drop());

    it('is the same', async () => {
      const all = [...keys(3_000), ['a-b'], ['']];
      const { rows } = await messages.db.query<{ joined: string }>(
        `select millrace_private.pk_text(k.key) as joined from unnest($1::text[]) with ordinality k (key, place) order by k.place`,
        [all.map((key) => JSON.stringify(key))],
      );
      for (const [place, key] of all.entries())
        expect(rows[place]!.joined, JSON.stringify(key)).to.equal(joinedKey(key));
    });

    it('is the same for who reads backslashes in another way', async () => {
      const all = [...keys(300), ['a-b', ''], ['\\', '-1']];
      const session = await openSession(messages.db);
      await session.query('set standard_conforming_strings = off');
      const { rows } = await session
        .query<{ joined: string }>(
          `select millrace_private.pk_text(k.key) as joined from unnest($1::text[]) with ordinality k (key, place) order by k.place`,
          [all.map((key) => JSON.stringify(key))],
        )
        .finally(() => session.close());
      expect(rows.map(({ joined }) => joined)).to.deep.equal(all.map((key) => joinedKey(key)));
    });

    it('finds the row by what its key is written like', async () => {
      const { rows } = await messages.db.query<{ key: string }>(
        `select k.key from unnest($1::text[]) k (key)
          where (k.key like millrace_private.key_pattern(millrace_private.pk_text(k.key))) is not true`,
        [[...keys(3_000), ['a-b'], [''], ['_', '%'], ['\\', 'ä']].map((key) => JSON.stringify(key))],
      );
      expect(rows).to.deep.equal([]);
      const { rows: patterns } = await messages.db.query<{
        one: string;
        two: string;
        three: string;
        none: string | null;
      }>(
        `select millrace_private.key_pattern('17') as one, millrace_private.key_pattern('a-b_c%d') as two,
                millrace_private.key_pattern('é1"') as three, millrace_private.key_pattern(null) as none`,
      );
      expect(patterns[0]).to.deep.equal({ one: '["17"]', two: '["a%b%c%d"]', three: '%%1%%', none: null });
    });

    it('is nothing without a key', async () => {
      const { rows } = await messages.db.query<{ joined: string | null }>(
        "select millrace_private.pk_text('[]') as joined",
      );
      expect(rows[0]!.joined).to.equal(null);
    });
  });
});
