/**
 * pino's one door. Json lines, or short readable ones on a terminal. No secret and no row value leaves through here:
 * fields with a telling name are masked at any depth, of an error only known fields are taken (Postgres' detail, where
 * and parameters can hold rows), and credentials inside addresses are cut out of the finished line.
 */
import type { Writable } from 'node:stream';
import pino from 'pino';
import { printableLine } from '../model/printable.ts';
import { maskAddresses, redact } from './redact.ts';

export interface Log extends Pick<pino.Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'> {
  /** A log whose lines carry these fields too. */
  child(fields: Record<string, unknown>): Log;
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

export interface LogOptions {
  level: LogLevel;
  /** Stands in every line. */
  role?: string;
  /** Readable lines instead of json; by default when standard output is a terminal. */
  readable?: boolean;
  /** Receives whole lines; by default they go to `out`. */
  write?: (line: string) => void;
  /** Standard output by default. */
  out?: Writable;
}

/** Makes the log of a process; parts of it take `log.child({ service })`. */
export function createLog(options: LogOptions): Log {
  const onLeftOut = (lines: number): void =>
    log.warn({ lines }, 'nobody read this log for a while: lines were left out');
  const write = options.write ?? writeTo(options.out ?? standardOutput(), onLeftOut);
  const readable = options.readable ?? (options.write === undefined && process.stdout.isTTY === true);
  const log = pino(
    {
      level: options.level,
      base: options.role === undefined ? {} : { role: options.role },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactAll },
      // Errors are reduced already; pino's own form of them would look for what we left out.
      serializers: { err: (value: unknown) => value },
    },
    { write: (line: string) => write(maskAddresses(readable ? readableLine(line) : line)) },
  );
  return masked(log);
}

/** pino formats the fields of a child only once, and without our formatter: they are masked on the way in. */
function masked(log: pino.Logger): Log {
  return {
    trace: log.trace.bind(log),
    debug: log.debug.bind(log),
    info: log.info.bind(log),
    warn: log.warn.bind(log),
    error: log.error.bind(log),
    fatal: log.fatal.bind(log),
    child: (fields) => masked(log.child(redactAll(fields))),
  };
}

/** `12:00:01.234 warn  worker  service failed service=lane wait_ms=100` from a json line. */
export function readableLine(line: string): string {
  const parsed: unknown = JSON.parse(line);
  if (typeof parsed !== 'object' || parsed === null) return line;
  const { time, level, role, msg, err, ...rest } = parsed as Record<string, unknown>;
  const fields = Object.entries(rest).map(([key, value]) => `${key}=${short(value)}`);
  const head = [String(time).slice(11, 23), String(level).padEnd(5), String(role ?? '').padEnd(7), String(msg ?? '')];
  // Names of tables and the like are others'.
  return `${printableLine([...head, ...fields, ...errorText(err)].filter((part) => part !== '').join(' '))}\n`;
}

function errorText(err: unknown): string[] {
  if (typeof err !== 'object' || err === null || !('message' in err)) return [];
  const code = 'code' in err ? ` (${String(err.code)})` : '';
  return [`error=${JSON.stringify(err.message)}${code}`];
}

function short(value: unknown): string {
  if (typeof value === 'string') return /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value) ?? String(value);
}

function redactAll(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, redact(key, value)]));
}

/** What is kept for a reader that has stopped. A process whose log nobody reads must not fill its memory with it. */
const UNREAD_BYTES = 1_048_576;

let outputGuarded = false;

/** A reader that went away (`| head`) must not end the process. */
function standardOutput(): Writable {
  if (!outputGuarded) process.stdout.on('error', () => undefined);
  outputGuarded = true;
  return process.stdout;
}

/** `onLeftOut` hears how many lines nobody took, before the next one that somebody may. */
function writeTo(out: Writable, onLeftOut: (lines: number) => void): (line: string) => void {
  let leftOut = 0;
  return (line) => {
    if (out.writableLength > UNREAD_BYTES) {
      leftOut += 1;
      return;
    }
    const lines = leftOut;
    leftOut = 0;
    if (lines > 0) onLeftOut(lines);
    out.write(line);
  };
}
