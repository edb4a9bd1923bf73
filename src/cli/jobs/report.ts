/** The report of a verification that is done, with the differences that it found. */
import type { Finding } from '../../admin/operations.ts';
import { MillraceError } from '../../model/errors.ts';
import type { Client } from '../client/client.ts';
import { readJson } from '../table/json.ts';
import { at, rowsOf, textAt } from '../table/tell.ts';
import { reportOf, tellReport } from './tell-verification.ts';

/** At once. */
const PAGE = 500;

/** `show`: how many differences are listed. @throws MillraceError */
export async function reportText(client: Client, operation: unknown, show: number): Promise<string> {
  const found = await differences(client, textAt(operation, 'id'), show).catch(withoutScope);
  return tellReport(reportOf(Object(operation), found), { show });
}

async function differences(client: Client, id: string, most: number): Promise<Finding[]> {
  const found: Finding[] = [];
  let cursor: string | undefined;
  while (found.length < most) {
    const query = { limit: String(Math.min(PAGE, most - found.length)), cursor };
    const answer = readJson(
      (await client.ask({ route: 'GET /api/operations/:id/differences', params: { id }, query })).text,
    );
    found.push(...rowsOf(answer).map((row): Finding => Object(row)));
    const next = at(answer, 'next_cursor');
    if (typeof next !== 'string') break;
    cursor = next;
  }
  return found;
}

/** A token without the scope is told how many there are. */
function withoutScope(error: unknown): Finding[] {
  if (!(error instanceof MillraceError) || error.code !== 'forbidden') throw error;
  process.stderr.write('The differences are not shown: the token does not have the scope read:data\n');
  return [];
}
