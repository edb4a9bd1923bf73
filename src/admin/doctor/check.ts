/** A finding, said of something, for people and programs: what `millrace doctor` and the API show. */
import { type Answered, type Finding, STATUSES, type Status } from '../../checks/finding.ts';

export interface Subject {
  kind: 'message_database' | 'processes' | 'database' | 'sink';
  /** Of a database or a sink. */
  name: string | null;
}

export interface Check {
  id: string;
  /** Of this one alone, and the same as long as it lasts: subject, id and item. */
  key: string;
  /** Which one, where several are said of one subject: a table, an operation, a slot. */
  item: string | null;
  subject: Subject;
  status: Status;
  summary: string;
  remedy: string | null;
  sql: string | null;
  /** Where `sql` is run: `message database`, `database shop`. */
  run_on: string | null;
  /** The command of ours that does it. */
  command: string | null;
  /** What the destination said, which may quote a row; null: nothing. */
  answer: string | null;
  /** A page of this project. */
  docs: string;
  /** Its page in the console; null: by which address people come is not known. */
  link: string | null;
}

/** Of whom findings are said, and the declared databases that their statements are for. */
export interface About {
  subject: Subject;
  source?: string;
  destination?: string | undefined;
  link?: string | null;
}

export const MESSAGES: About = { subject: { kind: 'message_database', name: null } };
export const PROCESSES: About = { subject: { kind: 'processes', name: null } };
export const aboutDatabase = (name: string): About => ({ subject: { kind: 'database', name }, source: name });

const DOCS: Record<Subject['kind'], string> = {
  message_database: 'docs/doctor.md#message-database',
  processes: 'docs/doctor.md#processes',
  database: 'docs/operations.md#sources',
  sink: 'docs/operations.md#health',
};

export function checksOf(about: About, findings: readonly (Finding | Answered)[]): Check[] {
  return findings.map((finding) => {
    const { id, status, summary, remedy, sql, item = null, command = null } = finding;
    const { subject } = about;
    return {
      ...{ id, key: [subject.kind, subject.name, id, item].filter((part) => part !== null).join('/'), item, subject },
      ...{ status, summary, remedy, sql, run_on: placeOf(finding, about), command },
      answer: 'answer' in finding ? finding.answer : null,
      docs: DOCS[subject.kind],
      link: about.link ?? null,
    };
  });
}

function placeOf({ runOn }: Finding, { source, destination }: About): string | null {
  if (runOn === 'source') return source === undefined ? null : `database ${source}`;
  if (runOn === 'destination') return destination === undefined ? null : `database ${destination}`;
  if (typeof runOn !== 'object' || runOn === null) return runOn;
  return `database ${runOn.beside} of the server${destination === undefined ? '' : ` of database ${destination}`}`;
}

/** The worst first; what is said of one thing stays together. */
export const worstFirst = (checks: readonly Check[]): Check[] =>
  checks.toSorted((one, other) => STATUSES.indexOf(one.status) - STATUSES.indexOf(other.status));
