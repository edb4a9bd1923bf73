/** An entry of the file without what is default anyhow. Read again, it is the same thing. */
import { isDeepStrictEqual } from 'node:util';
import { kindNamed } from '../../sinks/kinds.ts';
import { Database } from './database.ts';
import { sectionOf } from './destination.ts';
import { DeclaredFunction } from './function.ts';
import { DeclaredRetention } from './retention.ts';
import { DeclaredSink, type SinkDeclared } from './sink.ts';
import { databaseEntry, type Entry, functionEntry, Hidden, isObject, sinkEntry } from './written.ts';

/** `entry` of that list, as `written.ts` has it. Secrets always stay. */
export function least(list: string, entry: Entry): Entry {
  const required = requiredOf(list, entry);
  const plain = required && readAgain(list, required);
  return required === undefined || plain === undefined ? entry : without(entry, plain, required);
}

/** What an entry of that name cannot be without. Undefined: all of it. */
function requiredOf(list: string, entry: Entry): Entry | undefined {
  const pick = (...keys: string[]): Entry => Object.fromEntries(keys.map((key) => [key, entry[key]]));
  switch (list) {
    case 'databases':
      return pick('name', 'hostname', 'database');
    case 'functions':
      return pick('name', 'type', entry.type === 'path' ? 'path' : 'code');
    case 'change_retentions':
      return pick(
        ...['name', 'source_database', 'source_table_name'],
        ...['destination_database', 'destination_table_name'],
      );
    case 'sinks': {
      const { destination } = entry;
      if (!isObject(destination) || typeof destination.type !== 'string') return undefined;
      const { type } = destination;
      const given = { type, ...sectionOf(kindNamed(type)!).least?.({ ...destination, type }) };
      return { ...pick('name', 'database'), destination: given };
    }
    default:
      return undefined;
  }
}

function readAgain(list: string, required: Entry): Entry | undefined {
  const sink = (read: { data?: SinkDeclared | undefined }): Entry | undefined =>
    read.data && sinkEntry(read.data.settings, null);
  if (list === 'sinks') return sink(DeclaredSink.safeParse(required));
  if (list === 'change_retentions') return sink(DeclaredRetention.safeParse(required));
  if (list === 'functions') {
    const read = DeclaredFunction.safeParse(required);
    return read.data && functionEntry(read.data.settings);
  }
  const read = Database.safeParse(required);
  return read.data && databaseEntry(read.data.settings, read.data.address);
}

function without(entry: Entry, plain: Entry, required: Entry): Entry {
  const order = Object.keys({ ...required, ...plain }).filter((key) => key !== 'destination');
  const rank = (key: string): number =>
    key === 'destination' ? order.length + 1 : order.includes(key) ? order.indexOf(key) : order.length;
  const keys = Object.keys(entry).sort((a, b) => rank(a) - rank(b));
  return Object.fromEntries(
    keys.flatMap((key) => {
      const [value, default_] = [entry[key], plain[key]];
      if (key === 'destination' && isObject(value) && isObject(default_))
        return [[key, without(value, default_, isObject(required.destination) ? required.destination : {})]];
      if (Object.hasOwn(required, key) || value instanceof Hidden) return [[key, value]];
      return isDeepStrictEqual(value, default_) || isEmpty(value) ? [] : [[key, value]];
    }),
  );
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
