/**
 * Which servers of a declaration nothing may connect to as things are set: said when it is planned or applied, not only when
 * the first delivery fails. Names are looked up for that; who does not answer in time, or at all, is left to the connection.
 */
import type { ChangedThing } from '../catalog/apply/change-thing.ts';
import type { NamedServer } from '../catalog/apply/step.ts';
import { UnsafeConnection } from '../model/connection-fault.ts';
import type { PrivateAllowed } from '../runtime/addresses.ts';
import { checkedLookup, guardOf, literalFault, type Reach } from '../runtime/checked-lookup.ts';

const PATIENCE_MS = 1_500;
/** Each name keeps a thread of ours for as long as its server is silent. */
const MOST_NAMES = 20;

/** Sentences. `reach`: of this process; the others are set alike. */
export async function deniedWarnings(reach: Reach | undefined, servers: readonly NamedServer[]): Promise<string[]> {
  if (reach === undefined || servers.length === 0) return [];
  const looked = new Map<string, Promise<UnsafeConnection | undefined>>();
  const look = ({ host, privateOk }: NamedServer): Promise<UnsafeConnection | undefined> => {
    const allowed: PrivateAllowed = reach.allowed === 'declared' ? privateOk : reach.allowed;
    const key = `${privateOk} ${host}`;
    const known = looked.get(key);
    if (known !== undefined) return known;
    const looking = looked.size < MOST_NAMES ? faultOf({ ...reach, allowed }, host) : Promise.resolve(undefined);
    looked.set(key, looking);
    return looking;
  };
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, PATIENCE_MS, undefined);
  const found = await Promise.all(
    servers.map(async (server) => ({ ...server, fault: await Promise.race([look(server), late.promise]) })),
  );
  clearTimeout(timer);
  return found.flatMap(({ thing, host, fault }) =>
    fault === undefined ? [] : [`${thing}: ${host} is refused: ${fault.message}. ${fault.remedy ?? ''}`],
  );
}

/** What was made or changed, with the sentences about where it leads. */
export async function withDenied(reach: Reach | undefined, thing: ChangedThing): Promise<ChangedThing> {
  return { ...thing, warnings: [...thing.warnings, ...(await deniedWarnings(reach, thing.servers))] };
}

function faultOf(reach: Reach, host: string): Promise<UnsafeConnection | undefined> {
  const guard = guardOf(reach);
  const asFault = (error: Error | null | undefined) => (error instanceof UnsafeConnection ? error : undefined);
  const literal = asFault(literalFault(host, guard));
  // A path is a socket.
  if (literal !== undefined || host.startsWith('/')) return Promise.resolve(literal);
  const lookup = checkedLookup(guard, reach.resolver);
  return new Promise((resolve) => lookup(host, { all: true }, (error) => resolve(asFault(error))));
}
