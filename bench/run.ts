/**
 * `npm run bench [drain] [transform] [webhook] [change-table] [latency] [pull] [growth] [backfill] [fairness] [catalog] [texts] [console] [messages] [counters] [triggers] [looking]
 * [curves] [--changes=n] [--rounds=n] [--seconds=n] [--pending=n]
 * [--hold-seconds=n] [--only-held] [--write]`: each scenario beside its reference, in one run, on one machine. Absolute figures vary by a quarter between
 * runs; ratios count. Without arguments all but growth, which takes half an hour, are run as they are meant to be, and
 * written to RESULTS.md; with arguments only --write writes. The sections of what was not run stay as they are.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { backfill } from './backfill.ts';
import { catalogChanges } from './catalog-changes.ts';
import { changeTable } from './change-table.ts';
import { consoleBench } from './console.ts';
import { countersCost } from './counters.ts';
import { curves, WHOLE } from './curves.ts';
import { debeziumBeside } from './debezium.ts';
import { drain } from './drain.ts';
import { fairness } from './fairness.ts';
import { growth } from './growth.ts';
import { latency } from './latency.ts';
import { looking } from './looking.ts';
import { messagesList } from './messages-list.ts';
import { chart } from './plot.ts';
import { pull } from './pull.ts';
import { type Results, report } from './report.ts';
import { type Server, startServer } from './server.ts';
import { shaping } from './shaping.ts';
import { texts } from './texts.ts';
import { webhook } from './webhook.ts';
import { writePath } from './write-path.ts';

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
const changes = Number(values.changes);
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const pending = values.pending === undefined ? undefined : Number(values.pending);

type Measured = Partial<Omit<Results, 'loadBefore' | 'server'>>;

/** Each with a server of its own. */
const SCENARIOS: Readonly<Record<string, (server: Server) => Promise<Measured>>> = {
  drain: async (server) => ({ drain: await drain(server, { changes, rounds, peer: await debeziumBeside() }) }),
  transform: async (server) => ({ shaping: await shaping(server, { changes, rounds }) }),
  webhook: async (server) => ({ webhook: await webhook(server, { changes: changes / 5, rounds }) }),
  'change-table': async (server) => ({ changeTable: await changeTable(server, { changes, rounds }) }),
  latency: async (server) => ({
    latency: { rate: RATE, seconds, rounds: await latency(server, { rate: RATE, seconds, rounds }) },
  }),
  pull: async (server) => ({ pull: await pull(server, { rounds }) }),
  growth: async (server) => ({
    growth: await growth(server, {
      rounds,
      pending: pending ?? 10_000_000,
      holdSeconds: Number(values['hold-seconds']),
      onlyHeld: values['only-held'],
    }),
  }),
  backfill: async (server) => ({ backfill: await backfill(server, { rows: ROWS, rounds }) }),
  fairness: async (server) => ({ fairness: await fairness(server, { rate: FAIR_RATE, seconds, rounds }) }),
  catalog: async (server) => ({ catalog: await catalogChanges(server, { rate: FAIR_RATE, seconds, rounds }) }),
  console: async (server) => ({
    console: await consoleBench(server, { pending: pending ?? 1_000_000, seconds, changes, rounds }),
  }),
  messages: async (server) => ({ messages: await messagesList(server, { pending: pending ?? 1_000_000 }) }),
  counters: async (server) => ({ counters: await countersCost(server, { changes, rounds }) }),
  triggers: async (server) => ({ writePath: await writePath(server, { rounds }) }),
  looking: async (server) => ({ looking: await looking(server, { rounds, seconds }) }),
  curves: async (server) => ({ curves: await curves(server, WHOLE) }),
};
/** These want no server. */
const PURE: Readonly<Record<string, () => Measured>> = { texts: () => ({ texts: texts({ rounds: 1 }) }) };
const NAMES = [...Object.keys(SCENARIOS), ...Object.keys(PURE)];
const USUAL = ['drain', 'transform', 'webhook', 'change-table', 'latency', 'pull', 'fairness', 'catalog', 'texts'];

if (positionals.some((name) => !NAMES.includes(name)) || !(changes > 0 && changes % 50_000 === 0)) {
  process.stderr.write(
    `usage: npm run bench -- ${NAMES.map((name) => `[${name}]`).join(' ')} [--changes=<n * 50000>] [--rounds=n] [--seconds=n]\n` +
      '         [--pending=n] [--hold-seconds=n] [--only-held] [--write]\n',
  );
  process.exit(2);
}

const wanted = positionals.length === 0 ? USUAL : NAMES.filter((name) => positionals.includes(name));
let results: Results = { loadBefore: os.loadavg()[0]!, server: undefined };
for (const name of wanted) {
  results = { ...results, ...PURE[name]?.() };
  const measure = SCENARIOS[name];
  if (!measure) continue;
  const server = await startServer();
  try {
    results = {
      ...results,
      ...(await measure(server)),
      server: { version: server.version, inMemory: server.inMemory },
    };
  } finally {
    await server.stop();
  }
}
const file = path.join(import.meta.dirname, 'RESULTS.md');
const text = report(results, { at: new Date(), before: await readFile(file, 'utf8').catch(() => '') });
console.log(text);
if (values.write) {
  const plots = path.join(import.meta.dirname, 'plots');
  for (const curve of results.curves ?? []) {
    await mkdir(plots, { recursive: true });
    await writeFile(path.join(plots, `${curve.name}.svg`), chart(curve));
  }
  await writeFile(file, text);
}
