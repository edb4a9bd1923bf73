/**
 * Writes tokens that differ. A token under a new name is renamed, because a hash stands once. One that was revoked stays
 * so until its entry has a new token: a restart must not bring it back.
 */
import type { Transaction } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { MillraceError } from '../../model/errors.ts';
import type { Declared } from '../declare/declaration.ts';
import type { Summary } from './summary.ts';

const listTokens = statement('catalog/list-tokens');
const putToken = statement('catalog/put-token');
const renameToken = statement('catalog/rename-token');

interface Row {
  name: string;
  hash: Buffer;
  scopes: string[];
  weak: boolean;
}

/** @throws MillraceError bad_configuration when two declared names would have to swap tokens. */
export async function applyTokens(tx: Transaction, declared: Declared['tokens'], summary: Summary): Promise<void> {
  const { rows } = await tx.query<Row>(listTokens);
  const existing = new Map(rows.map((row) => [row.name, row]));
  const declaredNames = new Set(declared.map(({ name }) => name));
  for (const { name, hash, scopes, weak } of declared) {
    const holder = [...existing.values()].find((row) => row.hash.equals(hash));
    if (holder !== undefined && holder.name !== name) {
      if (existing.has(name) || declaredNames.has(holder.name)) throw taken(name);
      await tx.query(renameToken, [holder.name, name]);
      existing.delete(holder.name);
    }
    const row = existing.get(name);
    const same = row?.hash.equals(hash) === true && row.scopes.join('\n') === scopes.join('\n') && row.weak === weak;
    if (!summary.add(`token ${name}`, row !== undefined || holder !== undefined, same)) continue;
    await tx.query(putToken, [name, hash, scopes, weak]);
    existing.set(name, { name, hash, scopes, weak });
  }
}

function taken(name: string): MillraceError {
  const message = `the token of \`${name}\` already belongs to another name`;
  const remedy = 'Make a new token for it.';
  return new MillraceError('bad_configuration', `api_tokens: ${message}`, {
    faults: [{ field: `api_tokens ${name}`, message, remedy }],
    remedy,
  });
}
