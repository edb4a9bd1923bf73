/** What commands that work on the message database do when a service is asked instead. The words of each stay the same. */
import type { Command } from 'commander';
import { serviceAddress, withClient } from '../client/reach.ts';
import { everywhere } from '../everywhere.ts';
import { giveUpAfter } from '../stopping.ts';
import type { Running } from '../table/command.ts';
import { PLACE } from '../terminal.ts';

type Run = (running: Running) => Promise<number>;

const begin = async () => await import('./begin.ts');
const config = async () => await import('./config.ts');
const things = async () => await import('./things.ts');

/** By the words of the command. Loaded when it is asked. */
const RUNS: Record<string, () => Promise<Run>> = {
  backfill: async () => (await begin()).backfill,
  replay: async () => (await begin()).replay,
  verify: async () => (await begin()).verify,
  rebuild: async () => (await begin()).rebuild,
  resync: async () => (await begin()).resync,
  'config plan': async () => (await config()).plan,
  'config apply': async () => (await config()).apply,
  'config export': async () => (await config()).exported,
  doctor: async () => (await things()).doctor,
  release: async () => (await things()).handing('release'),
  adopt: async () => (await things()).handing('adopt'),
  'sink remove': async () => (await things()).removing('sink'),
  'database remove': async () => (await things()).removing('database'),
};
/** `--timeout` ends their watching alone. */
const WATCHING = ['backfill', 'replay', 'verify', 'rebuild', 'resync'];
/** With `--url` they are refused; MILLRACE_URL alone is not meant for them. */
const LOCAL = ['sql', 'secret rotate', 'backfills list', 'backfills show'];

/** Before a command runs: over HTTP another one takes its place. @throws MillraceError */
export function sendOverHttp(program: Command): void {
  program.hook('preAction', async (_program, command) => {
    const options = everywhere(command);
    const words = wordsOf(command);
    if (options.url !== undefined && LOCAL.includes(words)) throw (await things()).notOverHttp(words);
    const load = RUNS[words];
    if (load === undefined || serviceAddress({ place: PLACE, options }) === undefined) return;
    const run = await load();
    if (!WATCHING.includes(words)) giveUpAfter(options.timeoutMs);
    command.action(async () => {
      const given = { arguments: command.args, options: command.opts(), everywhere: options };
      process.exitCode = await withClient({ place: PLACE, options }, (client) => run({ ...given, client }));
    });
  });
}

function wordsOf(command: Command): string {
  const words: string[] = [];
  for (let one: Command | null = command; one?.parent; one = one.parent) words.unshift(one.name());
  return words.join(' ');
}
