/**
 * `npm run bench [drain] [transform] [webhook] [change-table] [latency] [pull] [growth] [backfill] [fairness] [catalog] [texts] [console] [messages] [counters] [triggers] [--changes=n] [--rounds=n] [--seconds=n] [--pending=n]
 * [--hold-seconds=n] [--only-held] [--write]`: each scenario beside its reference, in one run, on one machine. Absolute figures vary by a quarter between
 * runs; ratios count. Without arguments all but growth, which takes half an hour, are run as they are meant to be, and
 * written to RESULTS.md; with arguments only --write writes. The sections of what was not run stay as they are.
 */
import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { backfill } from './backfill.ts';
import { catalogChanges } from './catalog-changes.ts';
import { changeTable } from './change-table.ts';
import { consoleBench } from './console.ts';
import { countersCost } from './counters.ts';
import { debeziumBeside } from './debezium.ts';
import { drain } from './drain.ts';
import { fairness } from './fairness.ts';
import { growth } from './growth.ts';
import { latency } from './latency.ts';
import { messagesList } from './messages-list.ts';
import { pull } from './pull.ts';
import { type Results, report } from './report.ts';
import { startServer } from './server.ts';
import { shaping } from './shaping.ts';
import { texts } from './texts.ts';
import { webhook } from './webhook.ts';
import { writePath } from './write-path.ts';

const SCENARIOS = [
  'drain',
  'transform',
  'webhook',
  'change-table',
  'latency',
  'pull',
  'growth',
  'backfill',
  'fairness',
  'catalog',
  'texts',
  'console',
  'messages',
  'counters',
  'triggers',
] as const;
const USUAL: readonly string[] = [
  'drain',
  'transform',
  'webhook',
  'change-table',
  'latency',
  'pull',
  'fairness',
  'catalog',
  'texts',
];
const RATE = 2_000;
const ROWS = 200_000;
const FAIR_RATE = 200;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changes: { type: 'string', default: '500000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    pending: { type: 'string' },
    'hold-seconds': { type: 'string', default: '600' },
    'only-held': { type: 'boolean', default: false },
    write: { type: 'boolean', default: process.argv.length === 2 },
  },
});
const unknown = positionals.filter((name) => !SCENARIOS.some((scenario) => scenario === name));
const changes = Number(values.changes);
if (unknown.length > 0 || !(changes > 0 && changes % 50_000 === 0)) {
  process.stderr.write(
    'usage: npm run bench -- [drain] [transform] [webhook] [change-table] [latency] [pull] [growth] [backfill] [fairness] [catalog] [texts] [console] [messages] [counters] [triggers] [--changes=<n * 50000>] [--rounds=n] [--seconds=n]\n' +
      '         [--pending=n] [--hold-seconds=n] [--only-held] [--write]\n',
  );
  process.exit(2);
}
const wanted = (scenario: (typeof SCENARIOS)[number]): boolean =>
  positionals.length === 0 ? USUAL.includes(scenario) : positionals.includes(scenario);
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const pending = values.pending === undefined ? undefined : Number(values.pending);

const results: Results = {
  loadBefore: os.loadavg()[0]!,
  server: undefined,
  drain: undefined,
  shaping: undefined,
  webhook: undefined,
  changeTable: undefined,
  latency: undefined,
  pull: undefined,
  growth: undefined,
  backfill: undefined,
  fairness: undefined,
  catalog: undefined,
  texts: undefined,
  console: undefined,
  messages: undefined,
  counters: undefined,
  writePath: undefined,
};
for (const scenario of SCENARIOS.filter(wanted)) {
  if (scenario === 'texts') {
    results.texts = texts({ rounds: 1 });
    continue;
  }
  const server = await startServer();
  try {
    results.server = { version: server.version, inMemory: server.inMemory };
    if (scenario === 'drain') results.drain = await drain(server, { changes, rounds, peer: await debeziumBeside() });
    else if (scenario === 'transform') results.shaping = await shaping(server, { changes, rounds });
    else if (scenario === 'webhook') results.webhook = await webhook(server, { changes: changes / 5, rounds });
    else if (scenario === 'change-table') results.changeTable = await changeTable(server, { changes, rounds });
    else if (scenario === 'pull') results.pull = await pull(server, { rounds });
    else if (scenario === 'backfill') results.backfill = await backfill(server, { rows: ROWS, rounds });
    else if (scenario === 'fairness') results.fairness = await fairness(server, { rate: FAIR_RATE, seconds, rounds });
    else if (scenario === 'console')
      results.console = await consoleBench(server, { pending: pending ?? 1_000_000, seconds, changes, rounds });
    else if (scenario === 'messages') results.messages = await messagesList(server, { pending: pending ?? 1_000_000 });
    else if (scenario === 'counters') results.counters = await countersCost(server, { changes, rounds });
    else if (scenario === 'triggers') results.writePath = await writePath(server, { rounds });
    else if (scenario === 'catalog')
      results.catalog = await catalogChanges(server, { rate: FAIR_RATE, seconds, rounds });
    else if (scenario === 'growth')
      results.growth = await growth(server, {
        rounds,
        pending: pending ?? 10_000_000,
        holdSeconds: Number(values['hold-seconds']),
        onlyHeld: values['only-held'],
      });
    else results.latency = { rate: RATE, seconds, rounds: await latency(server, { rate: RATE, seconds, rounds }) };
  } finally {
    await server.stop();
  }
}
const file = path.join(import.meta.dirname, 'RESULTS.md');
const text = report(results, { at: new Date(), before: await readFile(file, 'utf8').catch(() => '') });
console.log(text);
if (values.write) await writeFile(file, text);
