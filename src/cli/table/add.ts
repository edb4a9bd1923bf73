/** Puts commands that are data on the command line. */
import type { Command } from 'commander';
import { printableOn } from '../../model/printable.ts';
import { withClient } from '../client/reach.ts';
import { type Everywhere, everywhere } from '../everywhere.ts';
import { NO_SCREEN, openScreen } from '../screen.ts';
import { giveUpAfter } from '../stopping.ts';
import { now, PLACE, person } from '../terminal.ts';
import {
  type Given,
  type Group,
  type Listed,
  optionsOf,
  type RouteCommand,
  type Running,
  requestOf,
} from './command.ts';
import { readJson } from './json.ts';
import { tellMore } from './tell.ts';

export function addGroup(program: Command, { name, plural, about = '', commands }: Group): void {
  const parent = name === undefined ? program : program.command(name).description(about);
  if (plural !== undefined) parent.alias(plural);
  for (const one of commands) add(parent, one, name ?? '');
}

function add(parent: Command, listed: Listed, group: string): void {
  // A group alone lists.
  const isDefault = group !== '' && listed.words === 'list';
  const command = parent.command(listed.words, { isDefault }).description(listed.about);
  for (const option of optionsOf(listed)) command.addOption(option);
  const examples = listed.examples.map((example) => `  bin/millrace ${[group, example].filter(Boolean).join(' ')}\n`);
  command.addHelpText('after', `\nExamples:\n${examples.join('')}`);
  if (isDefault) command.allowExcessArguments();
  command.action(async () => {
    if (isDefault && command.args.length > 0) {
      command.error(`error: unknown command '${command.args[0]}'. bin/millrace ${group} --help lists what there is.`);
    }
    const given = { arguments: command.args, options: command.opts() };
    process.exitCode = await run(listed, given, command);
  });
}

async function run(listed: Listed, given: Given, command: Command): Promise<number> {
  const options = everywhere(command);
  if (!('run' in listed && listed.watches)) giveUpAfter(options.timeoutMs);
  return await withClient({ place: PLACE, options }, async (client) => {
    if (!('route' in listed)) return await listed.run({ ...given, ...running(options), client });
    const { text } = await client.ask(requestOf(listed, given));
    const answer = readJson(text);
    process.stdout.write(options.json ? `${text}\n` : told(listed, answer, given));
    if (!options.json && !options.quiet) process.stderr.write(tellMore(answer));
    return listed.exitCode?.(answer, given) ?? 0;
  });
}

/** What is no result is kept from whoever wants results alone. */
const running = (options: Everywhere): Pick<Running, 'everywhere' | 'person' | 'screen'> => ({
  everywhere: options,
  person: person(),
  screen: (out = process.stdout) => (options.json || options.quiet ? NO_SCREEN : openScreen(out, now)),
});

function told(listed: RouteCommand, answer: unknown, given: Given): string {
  const text = printableOn(process.stdout, listed.tell(answer, given));
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
