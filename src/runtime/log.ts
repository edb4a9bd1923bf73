/**
 * pino's one door. Json lines, or short readable ones on a terminal. No secret and no row value leaves through here:
 * fields with a telling name are masked at any depth, of an error only known fields are taken (Postgres' detail, where
 * and parameters can hold rows), and credentials inside addresses are cut out of the finished line.
 */
import pino from 'pino';
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
  /** Receives whole lines; standard output by default. */
  write?: (line: string) => void;
}

/** Makes the log of a process; parts of it take `log.child({ service })`. */
export function createLog(options: LogOptions): Log {
  const write = options.write ?? standardOutput();
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
  return `${[...head, ...fields, ...errorText(err)].filter((part) => part !== '').join(' ')}\n`;
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

let outputGuarded = false;

/** A reader that went away (`| head`) must not end the process. */
function standardOutput(): (line: string) => void {
  if (!outputGuarded) process.stdout.on('error', () => undefined);
  outputGuarded = true;
  return (line) => {
    process.stdout.write(line);
  };
}
