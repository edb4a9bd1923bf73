/** Addresses that only this machine reaches. */

const V4 = /^127(\.\d{1,3}){3}$/;

/** Does whoever listens on this host (null: all addresses) hear nobody but this machine? Names are not resolved. */
export function isLoopback(host: string | null): boolean {
  if (host === null) return false;
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^::ffff:/, '');
  return name === 'localhost' || name === '::1' || V4.test(name);
}
