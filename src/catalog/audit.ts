/**
 * Who changed what: a row in the transaction of the change, so that neither is there without the other. Who acts is what the
 * session or the transaction says (`actingSql`), unless the caller knows better.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { actorOf, type By } from '../model/by.ts';
import { quoteLiteral } from '../model/quote.ts';
import { storableJson } from '../model/storable.ts';

const RECORD = statement('catalog/record-change');

export interface AuditedChange {
  /** A verb: `create`, `update`, `delete`, `pause`. */
  action: string;
  /** Kind and name: `sink products-index`. */
  subject: string;
  /** Secrets masked; absent: there is nothing to tell. */
  before?: unknown;
  after?: unknown;
}

/** `tx`: the transaction of the change. */
export async function recordChange(tx: Queryable, change: AuditedChange, by?: By): Promise<void> {
  const { action, subject, before, after } = change;
  await tx.query(RECORD, [
    action,
    subject,
    storableJson(before),
    storableJson(after),
    by === undefined ? null : actorOf(by),
  ]);
}

/** For the rest of a transaction: who acts, and in which HTTP request. */
export const actingSql = (by: By, requestId: string): string =>
  `set local millrace.actor = ${quoteLiteral(actorOf(by))}; set local millrace.request_id = ${quoteLiteral(requestId)}`;
