/**
 * What one look at a document proves, pure. A look is: the row (`before`), everything that was committed by then settled by the
 * sink and seen by a search, the document, the row again (`after`). Only a row whose version is the same both times has
 * had one content for all that time, so only then must the document be that content. A document without a row is proven
 * to be left over when nobody has written it since it was first seen: a row that came and went meanwhile would have.
 */
import type { IndexedDocument } from '../model/index-reader.ts';
import { differingKeys, sameJson } from '../model/json-text.ts';

/** What the index should hold for a row. */
export type Expected =
  | { kind: 'document'; index: string; body: string }
  /** The row does not pass the filters. */
  | { kind: 'none' }
  /** A function fails on the row, or capture keeps only its key: its messages are parked. */
  | { kind: 'fault'; reason: string };

export interface Row {
  /** Differs with every write of the row. */
  version: string;
  expected: Expected;
}

export interface Look {
  /** Where the document is looked for. */
  index: string;
  before: Row | undefined;
  after: { version: string } | undefined;
  document: IndexedDocument | undefined;
  /** The document's version when it was first seen without a row; undefined: it was not. */
  seen: string | undefined;
}

/** How the sink treats rows. */
export interface Rules {
  /** A row that leaves the filters is deleted from the index. */
  deleteOnLeave: boolean;
  inserts: boolean;
  updates: boolean;
  deletes: boolean;
}

export type Verdict =
  | { kind: 'fine' }
  | { kind: 'missing' | 'extra' }
  | { kind: 'different'; fields: string[]; reason: string | null }
  /** Look again; `seen`: of the document that has no row now. */
  | { kind: 'again'; seen?: string };

const FINE: Verdict = { kind: 'fine' };

export function judge(look: Look, rules: Rules): Verdict {
  const { before, after, document, index } = look;
  if (before?.version !== after?.version) return { kind: 'again' };
  if (before === undefined) return judgeOrphan(look, rules);
  const { expected } = before;
  if (expected.kind === 'fault') return { kind: 'different', fields: [], reason: expected.reason };
  if (expected.kind === 'document' && expected.index === index) return judgeDocument(expected.body, document, rules);
  // The row has no place here: it does not pass the filters, or it is routed elsewhere.
  if (document === undefined || (expected.kind === 'none' && !rules.deleteOnLeave)) return FINE;
  return rules.updates ? { kind: 'extra' } : FINE;
}

function judgeDocument(body: string, document: IndexedDocument | undefined, rules: Rules): Verdict {
  if (document === undefined) return rules.inserts ? { kind: 'missing' } : FINE;
  if (!rules.updates || document.source === undefined || sameJson(document.source, body)) return FINE;
  return { kind: 'different', fields: differingKeys(document.source, body) ?? [], reason: null };
}

function judgeOrphan({ document, seen }: Look, rules: Rules): Verdict {
  if (document === undefined || !rules.deletes) return FINE;
  if (seen === document.version) return { kind: 'extra' };
  return { kind: 'again', seen: document.version };
}

/**
 * Fields whose value depends on more than the row: those in which the same row, shaped twice with other metadata and another
 * action, differs. Undefined: all of it may.
 */
export function volatileFields(body: string, other: Expected): ReadonlySet<string> | undefined {
  if (other.kind !== 'document') return undefined;
  const differing = differingKeys(body, other.body);
  return differing && new Set(differing);
}
