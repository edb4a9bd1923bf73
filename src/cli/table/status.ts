/** `millrace status`: everything on one screen, what needs attention first. */
import { printableOn } from '../../model/printable.ts';
import { count, duration } from '../../model/quantity.ts';
import type { Group, Running } from './command.ts';
import { readJson } from './json.ts';
import { at, tellRows, textAt } from './tell.ts';

export const STATUS: Group = {
  commands: [
    {
      words: 'status',
      about: 'show everything on one screen: what needs attention, databases, sinks, jobs, processes',
      asks: ['GET /api/overview'],
      examples: ['status', 'status --json'],
      run,
    },
  ],
};

async function run({ client, everywhere }: Running): Promise<number> {
  const { text } = await client.ask({ route: 'GET /api/overview' });
  const isColoured = everywhere.color && process.stdout.isTTY === true && !process.env.NO_COLOR;
  process.stdout.write(everywhere.json ? `${text}\n` : statusText(readJson(text), isColoured));
  return 0;
}

const COLOURS: Record<string, string> = { healthy: '32', warning: '33', error: '31', paused: '36', notice: '36' };

function statusText(overview: unknown, isColoured: boolean): string {
  const paint = (word: string): string =>
    isColoured && COLOURS[word] !== undefined ? `\u001b[${COLOURS[word]}m${word}\u001b[0m` : word;
  const list = (key: string): unknown[] => {
    const found = at(overview, key);
    return Array.isArray(found) ? found : [];
  };
  const parts = [`Millrace ${textAt(overview, 'version')}: ${paint(textAt(overview, 'health'))}\n`];
  for (const item of list('attention')) {
    const [remedy, sql] = [textAt(item, 'remedy'), textAt(item, 'sql')];
    const todo = [remedy, sql].filter(Boolean).map((line) => `  ${line}\n`);
    const said = `${textAt(item, 'subject.kind')} ${textAt(item, 'subject.name')}: ${textAt(item, 'summary')}\n${todo.join('')}`;
    parts.push(`${paint(textAt(item, 'status'))}  ${printableOn(process.stdout, said)}`);
  }
  const rows = [...list('sinks'), ...list('change_retentions')].map(sinkRow);
  const processes = list('processes').filter((one) => at(one, 'is_present') === true);
  const tables: [unknown[], Record<string, string>][] = [
    [
      list('databases'),
      { database: 'name', health: 'health', state: 'state', '-lag bytes': 'lag_bytes', '-WAL kept': 'kept_bytes' },
    ],
    [rows, SINK],
    [
      list('operations'),
      { job: 'id', kind: 'kind', sink: 'sink', state: 'state', '-%': 'progress.percent', reason: 'reason' },
    ],
    [processes, { process: 'role', host: 'host', pid: 'pid', release: 'version', seen: 'seen_at' }],
  ];
  return [...parts, ...tables.filter(([of]) => of.length > 0).map(([of, columns]) => tellRows(of, columns))].join('\n');
}

const SINK = {
  ...{ sink: 'name', kind: 'kind', status: 'status', health: 'health', '-pending': 'waiting', '-parked': 'parked' },
  ...{ oldest: 'oldest', '-delivered/s': 'per_second.delivered', '-p99 ms': 'latency_ms.p99' },
};

function sinkRow(sink: unknown): unknown {
  const [pending, seconds] = [at(sink, 'pending'), at(sink, 'oldest_seconds')];
  const about = at(sink, 'pending_is_estimate') === true ? 'about ' : '';
  return {
    ...Object(sink),
    waiting: typeof pending === 'number' ? about + count(pending) : '',
    oldest: typeof seconds === 'number' ? duration(seconds) : '',
  };
}
