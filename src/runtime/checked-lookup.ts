/**
 * The names of servers, resolved once for each connection: every address is checked, and the connection goes to the
 * addresses that were checked and no others. So a name that leads elsewhere the next time leads nobody past the check.
 */
import dns, { type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { UnsafeConnection } from '../model/connection-fault.ts';
import { type PrivateAllowed, refusalOf } from './addresses.ts';

/** Why not to connect to an address; undefined when nothing is wrong with it. */
export type AddressGuard = (address: string) => Error | undefined;

/** All addresses of a name, as `dns.lookup` gives them. */
export type Resolver = (
  name: string,
  options: dns.LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

const system: Resolver = (name, options, done) => dns.lookup(name, options, done);

/** Where connections may go, and how names are resolved (by the system, if absent). */
export interface Reach {
  allowed: PrivateAllowed;
  resolver?: Resolver;
}

/** By the rule of addresses.ts. */
export function guardOf({ allowed }: Reach): AddressGuard {
  return (address) => {
    const refusal = refusalOf(address, allowed);
    return (
      refusal && new UnsafeConnection('MR_ADDRESS', `${refusal.message}: it is not connected to`, `${refusal.remedy}.`)
    );
  };
}

/** For sockets: fails when any address of the name is refused. */
export function checkedLookup(guard: AddressGuard, resolver: Resolver = system): LookupFunction {
  return (name, options, done) => {
    resolver(name, { ...options, all: true }, (error, found) => {
      const fault = error ?? found.map(({ address }) => guard(address)).find((one) => one !== undefined);
      const first = found?.[0];
      if (fault) done(fault, []);
      else if (first === undefined) done(Object.assign(new Error(`no address of ${name}`), { code: 'ENOTFOUND' }), []);
      else if (options.all) done(null, found);
      else done(null, first.address, first.family);
    });
  };
}

/** An address needs no look-up, and is checked all the same. `[::1]` as in a URL, too. */
export function literalFault(host: string, guard: AddressGuard): Error | undefined {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? undefined : guard(address);
}
