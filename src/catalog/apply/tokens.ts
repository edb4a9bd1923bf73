/**
 * Decides what becomes of declared tokens. A token under a new name is renamed, because a hash stands once. One that was
 * revoked stays so until its entry has a new token: a restart must not bring it back.
 */
import { statement } from '../../db/statement.ts';
import type { Fault } from '../../model/errors.ts';
import { MASK } from '../../model/masked.ts';
import type { Declared } from '../declare/declaration.ts';
import { tokenEntry } from '../declare/written.ts';
import { type Decided, type ManagedBy, type Step, standingAfter, type Taking, withStanding } from './step.ts';

const putToken = statement('catalog/put-token');
const renameToken = statement('catalog/rename-token');

export interface TokenRow {
  name: string;
  hash: Buffer;
  scopes: string[];
  weak: boolean;
  revoked: boolean;
  managed_by: ManagedBy;
}

type DeclaredToken = Declared['tokens'][number];

export function decideTokens(
  rows: readonly TokenRow[],
  declared: readonly DeclaredToken[],
  { taking, decided }: { taking: Taking; decided: Decided },
): void {
  const existing = new Map(rows.map((row) => [row.name, row]));
  const declaredNames = new Set(declared.map(({ name }) => name));
  for (const token of declared) {
    const { name, hash } = token;
    const row = existing.get(name);
    const holder = rows.find((one) => hash?.equals(one.hash) === true && existing.get(one.name) === one);
    if (hash === null && row === undefined) decided.faults.push(nothingKept(name));
    else if (holder !== undefined && holder.name !== name && (row !== undefined || declaredNames.has(holder.name)))
      decided.faults.push(taken(name));
    else {
      if (holder !== undefined && holder.name !== name) existing.delete(holder.name);
      decided.steps.push(stepOf(token, row ?? holder, taking));
    }
  }
}

/** `row`: of its name, or the one that becomes it. */
function stepOf({ name, hash, prefix, scopes, weak }: DeclaredToken, row: TokenRow | undefined, taking: Taking): Step {
  const kept = { hash: hash ?? row!.hash, weak: hash === null ? row!.weak : weak };
  const same =
    row?.name === name &&
    row.hash.equals(kept.hash) &&
    row.scopes.join('\n') === scopes.join('\n') &&
    row.weak === kept.weak;
  const entry = (of: { name: string; hash: Buffer; scopes: string[] }) =>
    tokenEntry({ ...of, identity: of.hash.toString('hex') });
  const { isSame, ...entries } = withStanding(row && { entry: entry(row), standing: { managed_by: row.managed_by } }, {
    entry: entry({ name, scopes, hash: kept.hash }),
    standing: standingAfter(row, taking, true),
  });
  return {
    type: 'token',
    name,
    action: row === undefined ? 'create' : same && isSame ? 'keep' : 'update',
    ...entries,
    async write(tx) {
      if (row !== undefined && row.name !== name) await tx.query(renameToken, [row.name, name]);
      await tx.query(putToken, [name, kept.hash, scopes, kept.weak, prefix]);
    },
  };
}

const taken = (name: string): Fault => ({
  field: `api_tokens ${name}`,
  message: `has a token that already belongs to another name`,
  remedy: 'Make a new token for it.',
});

const nothingKept = (name: string): Fault => ({
  field: `api_tokens ${name}`,
  message: `has the token ${MASK}, and none is stored that it could keep`,
  remedy: 'Write the token.',
});
