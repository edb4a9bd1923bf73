/**
 * A capture in a process of its own, to be killed or measured: DECLARED is a DeclaredSource as JSON, MESSAGES the address
 * of the message database, PAGE_ROWS how large a page of a backfill may be. Prints `peak N` (its peak of resident memory in kB) for every line that it reads.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openBackfills } from '../../../src/backfill/service.ts';
import { captureDatabase } from '../../../src/capture/database.ts';
import { openPool } from '../../../src/db/pool.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { catalogued, type DeclaredSource } from '../fixtures/catalogued.ts';

const declared = JSON.parse(process.env.DECLARED ?? '') as DeclaredSource;
const messages = openPool({ address: process.env.MESSAGES ?? '', max: 2, applicationName: 'millrace capture child' });
const log = createLog({ level: 'silent', role: 'test' });
createInterface({ input: process.stdin }).on('line', () => {
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  process.stdout.write(`peak ${peak}\n`);
});
const page = { rows: Number(process.env.PAGE_ROWS ?? 2_000) };
await captureDatabase(
  {
    messages,
    log,
    current: () => catalogued(messages, declared),
    onPersisted: () => undefined,
    beside: openBackfills({ messages, log, lookMs: 20, page }),
  },
  declared.no,
  new AbortController().signal,
);
