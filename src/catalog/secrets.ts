/**
 * Secrets of databases and sinks are sealed at rest: AES-256-GCM with a fresh nonce, under a key drawn from SECRET_KEY.
 * Each is bound to its place (the thing, the field, and the server that it is told to), so that one that is moved, or whose
 * server is changed behind our back, does not open. It names its key by id, so that another key is told apart from that.
 * An opened secret is never logged.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Destination } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import type { KeyRing, SealingKey } from '../runtime/secret-key.ts';
import { kindNamed } from '../sinks/kinds.ts';

export interface SecretPlace {
  /** For people: `sink products-index`. A rename changes nothing. */
  label: string;
  /** The id of the database or sink, for good. */
  id: string;
  field: 'address' | 'auth_value';
  /** Whom it is told to. */
  server: string;
}

const VERSION = 'v2';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = /^v2:([0-9a-f]{8}):([\w-]+)$/;

/** The place of a database's address. Its port is sealed with the rest of it. */
export function addressPlace(database: { id: string; name: string; hostname: string }): SecretPlace {
  const { id, name, hostname } = database;
  return { label: `database ${name}`, id, field: 'address', server: `postgres://${hostname}` };
}

/** The place of a sink's credential: bound to the server that its kind tells it to. */
export function credentialPlace(sink: { id: string; name: string; destination: Destination }): SecretPlace {
  const { id, name, destination } = sink;
  const server = kindNamed(destination.type)?.server?.(destination) ?? '';
  return { label: `sink ${name}`, id, field: 'auth_value', server };
}

/** `v2:<key id>:` and nonce, ciphertext and tag in base64url. */
export function seal({ current }: KeyRing, place: SecretPlace, plain: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', current.bytes, nonce).setAAD(boundTo(current, place));
  const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${VERSION}:${current.id}:${sealed.toString('base64url')}`;
}

/** The id of the key that sealed it; undefined: it has another form than ours. */
export const keyIdOf = (sealed: string): string | undefined => FORM.exec(sealed)?.[1];

/**
 * Do we have the key? @throws MillraceError bad_setting when the text is of a release that nobody has, or sealed with a key
 * that this process was not given.
 */
export function keyOf(keys: KeyRing, place: SecretPlace, sealed: string): SealingKey {
  const id = keyIdOf(sealed);
  if (id === undefined) {
    throw new MillraceError(
      'bad_setting',
      'The message database holds secrets in a form that this release does not read',
      {
        remedy:
          'Empty it (drop schema millrace, millrace_private, millrace_jobs cascade; the embedded server: remove .millrace) ' +
          'and start again, which applies millrace.yaml again.',
      },
    );
  }
  const key = keys.byId.get(id);
  if (key !== undefined) return key;
  const message =
    `did not seal the secrets in the message database: that of ${place.label} is sealed with the key ${id}, and ` +
    `SECRET_KEY is the key ${keys.current.id}`;
  const remedy =
    'Give every role the same SECRET_KEY; when it was changed, the former one goes into SECRET_KEY_PREVIOUS until ' +
    '`bin/millrace secret rotate` has run.';
  throw new MillraceError('bad_setting', `SECRET_KEY ${message}`, {
    faults: [{ field: 'SECRET_KEY', message }],
    remedy,
  });
}

/** @throws MillraceError as `keyOf` does; bad_configuration when it was sealed for another place, or changed. */
export function unseal(keys: KeyRing, place: SecretPlace, sealed: string): string {
  const key = keyOf(keys, place, sealed);
  const bytes = Buffer.from(FORM.exec(sealed)![2]!, 'base64url');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(boundTo(key, place)).setAuthTag(bytes.subarray(-TAG_BYTES));
    const plain = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(plain).toString('utf8');
  } catch {
    const what = place.field === 'address' ? 'address' : 'credential';
    const message = `The ${what} of ${place.label} does not open: it was sealed for another place or server, or changed`;
    throw new MillraceError('bad_configuration', message, {
      remedy: 'Start the role migrate (or all) with millrace.yaml: it seals again what is declared there.',
    });
  }
}

/**
 * Undefined when it was sealed for another place, or changed: whoever compares it with a declaration finds that it differs, and
 * seals it again.
 * @throws MillraceError as `keyOf` does: a declaration overwrites nothing with a key that is only this process's own.
 */
export function openIfOurs(keys: KeyRing, place: SecretPlace, sealed: string): string | undefined {
  try {
    return unseal(keys, place, sealed);
  } catch (error) {
    if (error instanceof MillraceError && error.code === 'bad_configuration') return undefined;
    throw error;
  }
}

/** What a secret is bound to: other bytes, and it does not open. */
function boundTo({ id: keyId }: SealingKey, { id, field, server }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([VERSION, keyId, id, field, server]));
}
