/** A database as a form has it, and as the API takes it. */
import type { components } from '../../api/schema.gen.ts';
import type { Plain } from '../../lib/yaml.ts';
import { type Address, withoutPassword } from './address.ts';

export interface Draft extends Required<Address> {
  name: string;
  /** An address that is sent as it is, because its parts would not say the same. */
  url: string;
  /** How its changes are read. */
  capture: 'replication' | 'triggers';
  slot: string;
  publication: string;
  /** Both are made by capture where they are not there. */
  creates: boolean;
}

export const EMPTY: Draft = {
  ...{ name: '', url: '', hostname: '', port: '5432', database: '', username: '', password: '', ssl: 'prefer' },
  ...{ capture: 'replication', slot: 'millrace', publication: 'millrace', creates: true },
};

export const sslOf = (ssl: Draft['ssl']): 'prefer' | boolean => (ssl === 'prefer' ? ssl : ssl === 'true');

/** As the API takes it: a text that is no number is sent as it is, and refused by name. */
export const numberOf = (text: string): number | string => (/^\d+$/.test(text.trim()) ? Number(text) : text);

/** `isSecret`: the password is left out, for whoever copies it. */
export function entryOf(
  draft: Draft,
  isSecret = false,
): components['schemas']['DatabaseEntry'] & { [key: string]: Plain | undefined } {
  const { name, url, hostname, port, database, username, password, creates } = draft;
  const place =
    url === ''
      ? {
          ...{ hostname, port: numberOf(port), database },
          ...(username === '' ? {} : { username }),
          ...(password === '' ? {} : { password: isSecret ? '...' : password }),
          ssl: sslOf(draft.ssl),
        }
      : { url: isSecret ? withoutPassword(url) : url };
  return {
    name,
    ...place,
    ...(draft.capture === 'triggers'
      ? { capture: draft.capture }
      : { slot: { name: draft.slot, create_if_not_exists: creates } }),
    publication: { name: draft.publication, create_if_not_exists: creates },
  } as components['schemas']['DatabaseEntry'] & { [key: string]: Plain | undefined };
}
