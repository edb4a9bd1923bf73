/**
 * Microseconds a change from pgoutput's bytes to JSON text, for rows of 10 columns and about 500 bytes, on one core.
 * Run: node bench/codec.ts
 */

import { decode } from '../src/capture/replication/decode.ts';
import { compileRelation } from '../src/codec/row.ts';
import type { RelationMessage, RowMessage } from '../src/codec/row-message.ts';

const COLUMNS: [name: string, typeOid: number][] = [
  ['id', 20],
  ['account_id', 23],
  ['status', 25],
  ['email', 1043],
  ['amount', 1700],
  ['active', 16],
  ['attributes', 3802],
  ['body', 25],
  ['created_at', 1184],
  ['updated_at', 1184],
];
const ROUNDS = 7;
const PER_ROUND = 100_000;
const DISTINCT = 1_000;

const relation: RelationMessage = {
  tag: 'relation',
  oid: 16_400,
  schema: 'public',
  name: 'orders',
  identity: 'full',
  columns: COLUMNS.map(([name, typeOid]) => ({ name, typeOid, typmod: -1, key: true })),
};

function values(n: number, body: string): string[] {
  const attributes = `{"tags": ["a", "b"], "score": ${n % 100}, "source": "web"}`;
  return [
    String(1_000_000 + n),
    String(n % 5_000),
    n % 3 === 0 ? 'pending' : 'shipped',
    `customer${n}@example.com`,
    `${n}.95`,
    n % 2 === 0 ? 't' : 'f',
    attributes,
    body,
    '2026-03-01 12:34:56.789012+00',
    '2026-03-02 01:02:03.4+00',
  ];
}

function tuple(texts: readonly string[]): Buffer {
  const parts = [Buffer.from([0, texts.length])];
  for (const text of texts) {
    const bytes = Buffer.from(text);
    const head = Buffer.from([0x74, 0, 0, 0, 0]);
    head.writeInt32BE(bytes.length, 1);
    parts.push(head, bytes);
  }
  return Buffer.concat(parts);
}

const OID = Buffer.from([0, 0, 0x40, 0x10]);

function insert(n: number, body: string): Buffer {
  return Buffer.concat([Buffer.from('I'), OID, Buffer.from('N'), tuple(values(n, body))]);
}

function fullUpdate(n: number, body: string): Buffer {
  const changed = values(n, body);
  changed[2] = 'delivered';
  return Buffer.concat([
    Buffer.from('U'),
    OID,
    Buffer.from('O'),
    tuple(values(n, body)),
    Buffer.from('N'),
    tuple(changed),
  ]);
}

const codec = compileRelation(new Map(), relation, { keyColumns: ['id'] });
let produced = 0;

function encode(bytes: Buffer): void {
  const message = decode(bytes) as RowMessage;
  produced += codec.record(message).length + (codec.changes(message)?.length ?? 0) + codec.key(message)!.length;
}

/** The way not taken, for comparison: a JavaScript value for each column, then JSON.stringify. */
function stringify(bytes: Buffer): void {
  const message = decode(bytes) as RowMessage;
  const row: Record<string, unknown> = {};
  for (let i = 0; i < COLUMNS.length; i++) {
    const [name, typeOid] = COLUMNS[i]!;
    const text = codec.text(message, i);
    if (text === null || text === undefined) row[name] = null;
    else if (typeOid === 16) row[name] = text === 't';
    else if (typeOid === 20 || typeOid === 23 || typeOid === 1700) row[name] = Number(text);
    else if (typeOid === 3802) row[name] = JSON.parse(text);
    else if (typeOid === 1184) row[name] = new Date(text);
    else row[name] = text;
  }
  produced += JSON.stringify(row).length;
}

function measure(name: string, work: (bytes: Buffer) => void, messages: readonly Buffer[]): void {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = process.hrtime.bigint();
    for (let i = 0; i < PER_ROUND; i++) work(messages[i % DISTINCT]!);
    rounds.push(Number(process.hrtime.bigint() - started) / 1000 / PER_ROUND);
  }
  rounds.sort((a, b) => a - b);
  const size = Math.round(messages.reduce((sum, bytes) => sum + bytes.length, 0) / messages.length);
  console.log(`${name.padEnd(44)} ${rounds[ROUNDS >> 1]!.toFixed(2).padStart(6)} us   (${size} bytes on the wire)`);
}

const ascii = 'The quick brown fox jumps over the lazy dog. '.repeat(6);
const escapes = 'She said "no"\nand left.\t'.repeat(9);
const accents = 'Zażółć gęślą jaźń; 東京 – naïve café. '.repeat(6);
const many = (make: (n: number, body: string) => Buffer, body: string) =>
  Array.from({ length: DISTINCT }, (_, n) => make(n, body));

measure('insert, ASCII', encode, many(insert, ascii));
measure('insert, a text full of escapes', encode, many(insert, escapes));
measure('insert, a text beyond ASCII', encode, many(insert, accents));
measure('update with its full old row', encode, many(fullUpdate, ascii));
measure('insert, parsed and stringified instead', stringify, many(insert, ascii));
if (produced === 0) throw new Error('nothing was produced');
