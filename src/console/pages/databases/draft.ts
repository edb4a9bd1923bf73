/** A database as a form has it, and as the API takes it. */
import type { components } from '../../api/schema.gen.ts';
import type { Plain } from '../../lib/yaml.ts';
import { type Address, withoutPassword } from './address.ts';

export interface Draft extends Required<Address> {
  name: string;
  /** An address that is sent as it is, because its parts would not say the same. */
  url: string;
  /** A certificate in PEM form by which the server's is verified. */
  ca: string;
  channel_binding: boolean;
  /** How its changes are read. */
  capture: 'replication' | 'triggers';
  slot: string;
  publication: string;
  /** Both are made by capture where they are not there. */
  creates: boolean;
}

export const EMPTY: Draft = {
  ...{ name: '', url: '', hostname: '', port: '5432', database: '', username: '', password: '', ssl: 'prefer' },
  ...{ ca: '', channel_binding: false },
  ...{ capture: 'replication', slot: 'millrace', publication: 'millrace', creates: true },
};

/** What is verified, as `verify` has it. */
const VERIFIED = { true: true, ca: 'ca', unverified: false } as const;

/** Only an encrypted connection has more than a word to say of it. */
export function sslOf({ ssl, ca, channel_binding }: Pick<Draft, 'ssl' | 'ca' | 'channel_binding'>): Ssl {
  if (ssl === 'prefer') return ssl;
  if (ssl === 'false') return false;
  // Without verification a certificate would verify nothing.
  const pem = ssl === 'unverified' || ca.trim() === '' ? {} : { ca };
  if (ssl === 'true' && !('ca' in pem) && !channel_binding) return true;
  return { ...pem, verify: VERIFIED[ssl], ...(channel_binding ? { channel_binding } : {}) };
}

/** The fields that it is edited in. */
export function tlsOf(ssl: Ssl | StoredSsl): Pick<Draft, 'ssl' | 'ca' | 'channel_binding'> {
  if (typeof ssl !== 'object')
    return { ssl: ssl === 'prefer' ? ssl : ssl ? 'true' : 'false', ca: '', channel_binding: false };
  const { ca, verify = true, channel_binding = false } = ssl;
  return { ssl: verify === 'ca' ? verify : verify ? 'true' : 'unverified', ca: ca ?? '', channel_binding };
}

type Ssl = 'prefer' | boolean | { ca?: string; verify: boolean | 'ca'; channel_binding?: boolean };
type StoredSsl = NonNullable<components['schemas']['DatabaseEntry']['ssl']>;

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
          ssl: sslOf(draft),
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
