/** Commands that begin a job, and watch it. What they do is loaded when one is asked for. */
import { MillraceError } from '../../model/errors.ts';
import type { Flag, Group } from './command.ts';

/** What watching asks. */
export const WATCHING = ['GET /api/operations/:id', 'GET /api/operations/:id/differences'];

const begin = async () => await import('../jobs/begin.ts');
const NO_WAIT: Flag = { flags: '--no-wait', about: 'start it, print its id, and return' };

export const JOBS: Group = {
  commands: [
    {
      words: 'backfill <sink> [table]',
      about:
        'send existing rows to a sink, beside live changes: of all its tables, or of one (written as in SQL); exit code 0: done, 1: failed or cancelled',
      flags: [
        {
          flags: '--from <column=value>',
          about: 'only rows from this value of this column on, such as updated_at=2026-01-31',
        },
        NO_WAIT,
      ],
      asks: ['POST /api/sinks/:sink/backfills', 'GET /api/change_retentions/:sink', ...WATCHING],
      examples: [
        'backfill products-index',
        'backfill products-index sales.orders --from updated_at=2026-01-31 --no-wait',
      ],
      watches: true,
      run: async (running) => await (await begin()).backfill(running),
    },
    {
      words: 'replay <retention> <sink>',
      about: 'send entries of a change table to a sink again; exit code 0: done, 1: failed or cancelled',
      flags: [
        { flags: '--since <time>', about: 'only entries committed from this time on' },
        { flags: '--until <time>', about: 'only entries committed before this time' },
        { flags: '--from-seq <number>', about: 'only entries from this seq on' },
        { flags: '--to-seq <number>', about: 'only entries up to this seq' },
        { flags: '--key <pk...>', about: 'only entries of the rows with these record_pk' },
        { flags: '--dry-run', about: 'count what would be sent, and send nothing' },
        NO_WAIT,
      ],
      asks: ['POST /api/change_retentions/:sink/replays', ...WATCHING],
      examples: [
        'replay orders-history orders-worker --since 2026-11-20',
        'replay orders-history orders-worker --key 17 18 --dry-run',
      ],
      watches: true,
      run: async (running) => await (await begin()).replay(running),
    },
    {
      words: 'verify <sink>',
      about: 'compare a search index with its tables; exit code 0: no drift, 1: error, 2: drift',
      flags: [
        { flags: '--repair', about: 'send again what differs, in order with live changes, and delete what has no row' },
        {
          ...{ flags: '--show <number>', about: 'how many of the first 1000 differences are listed' },
          ...{ read: upTo('--show', 1_000), standard: 20 },
        },
        {
          flags: '--refresh <ms>',
          about: 'how long after a write a search can find it (more than the refresh_interval of the index)',
          read: upTo('--refresh', 600_000),
        },
        NO_WAIT,
      ],
      asks: ['POST /api/sinks/:sink/verifications', ...WATCHING],
      examples: ['verify products-index', 'verify products-index --repair --show 100'],
      watches: true,
      run: async (running) => await (await begin()).verify(running),
    },
    {
      words: 'rebuild <sink>',
      about:
        'fill a second index beside the one of a sink, for a new mapping or transform, and print how to switch over',
      flags: [
        { flags: '--index <name>', about: 'the new index; it must exist, with its mapping', required: true },
        { flags: '--transform <function>', about: 'another transform, or none (default: as before)' },
        { flags: '--name <sink>', about: 'name of the new sink (SINK-INDEX)' },
        { flags: '--alias <alias>', about: 'the alias that readers use, for the call that switches over' },
        NO_WAIT,
      ],
      asks: ['POST /api/sinks/:sink/rebuilds', ...WATCHING],
      examples: ['rebuild products-index --index products-2 --alias shop-products'],
      watches: true,
      run: async (running) => await (await begin()).rebuild(running),
    },
    {
      words: 'resync <database>',
      about:
        'repair a database that needs a resync: capture it again, send all rows, remove documents of deleted rows; asks first; exit code 0: done, 1: not',
      flags: [
        {
          flags: '--no-verify',
          about: 'do not compare the search indexes afterwards: documents of deleted rows stay',
        },
        { flags: '--force', about: 'even if the database needs no resync' },
        NO_WAIT,
      ],
      asks: [
        ...['GET /api/postgres_databases/:database', 'GET /api/operations', 'GET /api/sinks'],
        ...['POST /api/postgres_databases/:database/resyncs', ...WATCHING],
      ],
      examples: ['resync shop', 'resync shop --force --yes --no-wait'],
      watches: true,
      run: async (running) => await (await begin()).resync(running),
    },
  ],
};

/** A whole number up to `most`. */
function upTo(option: string, most: number) {
  return (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
    if (value !== undefined && value <= most) return value;
    throw new MillraceError('bad_request', `${option} must be a whole number from 0 to ${most}`);
  };
}
