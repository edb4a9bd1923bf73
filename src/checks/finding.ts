/**
 * What a check says: facts go in, findings come out, and nothing else happens. Whoever looks decides what follows: capture
 * refuses to run or shows a state, a sink gets a notice, the doctor prints all of them.
 */
import { millrace, remarked } from '../model/quote.ts';

/** The worst first. `skipped`: it could not be looked at. */
export const STATUSES = ['error', 'warning', 'notice', 'skipped', 'ok'] as const;
export type Status = (typeof STATUSES)[number];

/** Where a statement is run. `beside`: another database of the destination's server. */
export type RunOn = 'source' | 'message database' | 'destination' | { beside: string };

/** What to do about it. */
export interface Repair {
  /** In words, or as a command; beside `sql` what else is to be known of that. */
  remedy: string | null;
  /** Statements that are run as they stand. */
  sql: string | null;
  runOn: RunOn | null;
  /** The command of ours that does it, as it is run; `remedy` says it too, or what `sql` does instead. */
  command?: string;
}

export interface Finding extends Repair {
  /** The same for the same cause, in any place and any release. */
  id: string;
  status: Status;
  /** What is so, in a sentence that holds neither a secret nor a value of a row. */
  summary: string;
  /** Which one, where it can be said of several of the same subject: a table, an operation, a slot. */
  item?: string;
}

/** With the destination's own words, which may quote a row: they are not for everybody. */
export interface Answered extends Finding {
  answer: string | null;
}

/** Statements for the source, and what else is to be known of them. */
export const inSource = (sql: string, remedy: string | null = null): Repair => ({ remedy, sql, runOn: 'source' });
/** The same for the message database. */
export const inMessages = (sql: string, remedy: string | null = null): Repair => ({
  ...{ remedy, sql, runOn: 'message database' },
});
/** The same for the database of a change table. */
export const inDestination = (sql: string, remedy: string | null = null): Repair => ({
  ...{ remedy, sql, runOn: 'destination' },
});
/** What no statement does. */
export const byHand = (remedy: string): Repair => ({ remedy, sql: null, runOn: null });
/** A command of ours, in these words. */
export const byCommand = (words: readonly string[], remedy: (command: string) => string): Repair => {
  const command = millrace(...words);
  return { ...byHand(remedy(command)), command };
};
/** A role that runs nowhere, or does nothing. */
export const byStarting = (role: 'capture' | 'worker' | 'web'): Repair =>
  byCommand(['start', role], (command) => `Start one: \`${command}\`. If one is already running, see its log.`);

type Say = (id: string, summary: string, repair: Repair) => Finding;
const says =
  (status: Status): Say =>
  (id, summary, repair) => ({ id, status, summary, ...repair });

export const fault = says('error');
export const warning = says('warning');
export const notice = says('notice');
export const passed = (id: string, summary: string): Finding => ({
  ...{ id, status: 'ok', summary, remedy: null, sql: null, runOn: null },
});
export const skipped = (id: string, summary: string, remedy: string | null = null): Finding => ({
  ...{ id, status: 'skipped', summary, remedy, sql: null, runOn: null },
});

/** As one text, for a view or a log: the statement with what is to be known of it behind, or the words. */
export function repairText({ remedy, sql }: Pick<Repair, 'remedy' | 'sql'>): string {
  if (sql === null) return remedy ?? '';
  return remedy === null ? sql : remarked(sql, remedy);
}

/** The same of several, each on lines of its own: what is to be known of one hides no statement of the next. */
export const repairsText = (findings: readonly Finding[]): string => findings.map(repairText).join(';\n');
