/**
 * `npm run bench [drain] [latency] [pull] [--changes=n] [--rounds=n] [--seconds=n]`: each scenario beside its reference, in one
 * run, on one machine. Absolute figures vary by a quarter between runs; ratios count. A run of everything, as it is meant
 * to be, writes RESULTS.md; a shorter one only prints.
 */
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { drain } from './drain.ts';
import { latency } from './latency.ts';
import { pull } from './pull.ts';
import { type Results, report } from './report.ts';
import { startServer } from './server.ts';

const SCENARIOS = ['drain', 'latency', 'pull'] as const;
const RATE = 2_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changes: { type: 'string', default: '500000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
  },
});
const unknown = positionals.filter((name) => !SCENARIOS.some((scenario) => scenario === name));
const changes = Number(values.changes);
if (unknown.length > 0 || !(changes > 0 && changes % 10_000 === 0)) {
  process.stderr.write(
    'usage: npm run bench -- [drain] [latency] [pull] [--changes=<n>0000] [--rounds=n] [--seconds=n]\n',
  );
  process.exit(2);
}
const wanted = (scenario: (typeof SCENARIOS)[number]): boolean =>
  positionals.length === 0 || positionals.includes(scenario);
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);

const results: Results = {
  loadBefore: os.loadavg()[0]!,
  server: undefined,
  drain: undefined,
  latency: undefined,
  pull: undefined,
};
for (const scenario of SCENARIOS.filter(wanted)) {
  const server = await startServer();
  try {
    results.server = { version: server.version, inMemory: server.inMemory };
    if (scenario === 'drain') results.drain = await drain(server, { changes, rounds });
    else if (scenario === 'pull') results.pull = await pull(server, { rounds });
    else results.latency = { rate: RATE, seconds, rounds: await latency(server, { rate: RATE, seconds, rounds }) };
  } finally {
    await server.stop();
  }
}
const text = report(results, new Date());
console.log(text);
if (process.argv.length === 2) await writeFile(path.join(import.meta.dirname, 'RESULTS.md'), text);
