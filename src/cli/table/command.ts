/** Commands as data: which route each asks, with what, and how the answer is told. */
import { Option } from 'commander';
import { MillraceError } from '../../model/errors.ts';
import type { Client, Request } from '../client/client.ts';
import type { Everywhere } from '../everywhere.ts';
import type { Screen, Terminal } from '../screen.ts';
import type { Person } from '../terminal.ts';

/** An option that is a field of the query string or of the body. */
export interface Field {
  /** `--kind <kind>`. */
  flags: string;
  about: string;
  field: string;
  /** As the API wants it; a text if absent. */
  read?(text: string): unknown;
  choices?: readonly string[];
  required?: true;
}

/** An option of which the command makes something itself. */
export interface Flag extends Pick<Field, 'flags' | 'about' | 'required'> {
  /** What is typed, as the command wants it; a text if absent. @throws MillraceError */
  read?(text: string): unknown;
  /** Where it is not typed. */
  standard?: unknown;
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
  /** Beside the fields, for `tell` and `exitCode`; their names in camel case. */
  flags?: readonly Flag[];
  /** Sent with each. */
  fixed?: Readonly<Record<string, string>>;
  /** Answered to whoever asks: no token is wanted, and none is sent. */
  isOpen?: true;
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
  /** Who typed it. */
  person: Person;
  /** Where the progress of a job is shown; on the standard output, if absent. */
  screen(out?: Terminal): Screen;
}

export interface OwnCommand {
  words: string;
  about: string;
  fields?: readonly Field[];
  /** Beside the fields; their names in camel case. */
  flags?: readonly Flag[];
  /** Every route that it may ask. */
  asks: readonly string[];
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
  const fields = (command.fields ?? []).map(({ choices, ...field }) => {
    const option = optionOf(field);
    return choices === undefined ? option : option.choices([...choices]);
  });
  return [
    ...fields,
    ...(command.flags ?? []).map(({ read, standard, ...flag }) => {
      const option = optionOf(flag);
      if (read !== undefined) option.argParser(read);
      return standard === undefined ? option : option.default(standard);
    }),
  ];
}

const optionOf = ({ flags, about, required }: Pick<Field, 'flags' | 'about' | 'required'>): Option =>
  new Option(flags, about).makeOptionMandatory(required === true);

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
  const asked = { route: command.route, params, ...(command.isOpen ? { isOpen: true } : {}) };
  if (method !== 'GET' && method !== 'DELETE') return { ...asked, body: fields };
  const query = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  return { ...asked, query: Object.fromEntries(query) };
}

export const wholeNumber =
  (option: string) =>
  (text: string): number => {
    // Ids of messages have sixteen digits.
    if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
    throw new MillraceError('bad_request', `${option} must be a whole number`);
  };
