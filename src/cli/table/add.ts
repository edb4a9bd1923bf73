/** Puts commands that are data on the command line. */
import type { Command } from 'commander';
import { withClient } from '../client/reach.ts';
import { everywhere } from '../everywhere.ts';
import { giveUpAfter } from '../stopping.ts';
import { PLACE } from '../terminal.ts';
import { type Given, type Group, groupOf, type Listed, optionsOf, type RouteCommand, requestOf } from './command.ts';
import { readJson } from './json.ts';
import { at } from './tell.ts';

export function addGroup(program: Command, group: Group): void {
  const parent = group.name === undefined ? program : groupOf(program, group);
  for (const one of group.commands) add(parent, one, group.name ?? '');
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
    if (!('route' in listed)) return await listed.run({ ...given, client, everywhere: options });
    const { text } = await client.ask(requestOf(listed, given));
    const answer = readJson(text);
    process.stdout.write(options.json ? `${text}\n` : told(listed, answer, given));
    if (!options.json && !options.quiet) hintAtMore(answer);
    return listed.exitCode?.(answer, given) ?? 0;
  });
}

function told(listed: RouteCommand, answer: unknown, given: Given): string {
  const text = listed.tell(answer, given);
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function hintAtMore(answer: unknown): void {
  const cursor = at(answer, 'next_cursor');
  if (typeof cursor === 'string')
    process.stderr.write(`There are more: add --cursor ${cursor}, or a larger --limit.\n`);
}
