/** Commands as data: which route each asks, with what, and how the answer is told. */
import { type Command, Option } from 'commander';
import { MillraceError } from '../../model/errors.ts';
import type { Client, Request } from '../client/client.ts';
import type { Everywhere } from '../everywhere.ts';

/** An option that is a field of the query string or of the body. */
export interface Field {
  /** `--kind <kind>`. */
  flags: string;
  about: string;
  field: string;
  /** As the API wants it; a text if absent. */
  read?(text: string): unknown;
  choices?: readonly string[];
}

/** What was typed. */
export interface Given {
  arguments: readonly string[];
  options: Readonly<Record<string, unknown>>;
}

export interface RouteCommand {
  /** Its words below its group, with arguments in the order of the parameters of the path: `pause <sink>`. */
  words: string;
  about: string;
  /** Of `api/routes.ts`. */
  route: string;
  fields?: readonly Field[];
  /** Sent with each. */
  fixed?: Readonly<Record<string, string>>;
  /** After its group: `pause orders-worker`. */
  examples: readonly string[];
  /** For people; `answer` is what the API said. */
  tell(answer: unknown, given: Given): string;
  /** 2: something differs. */
  exitCode?(answer: unknown, given: Given): number;
}

/** What a command that asks several times, or asks back, is handed. */
export interface Running extends Given {
  client: Client;
  everywhere: Everywhere;
}

export interface OwnCommand {
  words: string;
  about: string;
  fields?: readonly Field[];
  /** Beside the fields; their names in camel case. */
  flags?: readonly { flags: string; about: string }[];
  examples: readonly string[];
  /** Until something has ended: `--timeout` ends the watching alone. */
  watches?: true;
  /** The exit code. */
  run(running: Running): Promise<number>;
}

export type Listed = RouteCommand | OwnCommand;

export interface Group {
  /** Absent: its commands stand alone. */
  name?: string;
  plural?: string;
  about?: string;
  commands: readonly Listed[];
}

export function optionsOf(command: Listed): Option[] {
  const fields = (command.fields ?? []).map(({ flags, about, choices }) => {
    const option = new Option(flags, about);
    return choices === undefined ? option : option.choices([...choices]);
  });
  const flags = 'flags' in command ? (command.flags ?? []) : [];
  return [...fields, ...flags.map((flag) => new Option(flag.flags, flag.about))];
}

/** The group of a name; made where it is not there. */
export function groupOf(program: Command, { name = '', plural, about = '' }: Omit<Group, 'commands'>): Command {
  const found = program.commands.find((one) => one.name() === name);
  const group = found ?? program.command(name);
  group.description(about);
  if (plural !== undefined && !group.aliases().includes(plural)) group.alias(plural);
  return group;
}

/** The fields that were given, as the API names them. */
export function fieldsOf(fields: readonly Field[] = [], { options }: Given): Record<string, unknown> {
  const given = fields.map(({ flags, field, read }) => {
    const value = options[new Option(flags).attributeName()];
    return [field, typeof value === 'string' && read !== undefined ? read(value) : value];
  });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** `given` as a request of the route. */
export function requestOf(command: RouteCommand, given: Given): Request {
  const [method, path = ''] = command.route.split(' ');
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const params = Object.fromEntries(names.map((name, place) => [name, given.arguments[place] ?? '']));
  const fields = { ...command.fixed, ...fieldsOf(command.fields, given) };
  if (method !== 'GET' && method !== 'DELETE') return { route: command.route, params, body: fields };
  const query = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  return { route: command.route, params, query: Object.fromEntries(query) };
}

export const wholeNumber =
  (option: string) =>
  (text: string): number => {
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw new MillraceError('bad_request', `${option} must be a whole number`);
  };
