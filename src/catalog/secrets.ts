/**
 * Secrets of sources and sinks are sealed at rest: AES-256-GCM with a fresh nonce, its key drawn from SECRET_KEY by
 * HKDF-SHA256. The format carries a version, so that a later one can be told apart. An opened secret is never logged.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { MillraceError } from '../model/errors.ts';

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MIN_KEY_LENGTH = 32;

/** `v1:` and nonce, ciphertext and tag in base64url. `secretKey`: any text of 32 characters or more. */
export function seal(secretKey: string, plain: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secretKey), nonce);
  const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${VERSION}:${sealed.toString('base64url')}`;
}

/** @throws MillraceError bad_setting when the key is another one, or the text is damaged. */
export function unseal(secretKey: string, sealed: string): string {
  const [version, text] = sealed.split(':', 2);
  const bytes = Buffer.from(text ?? '', 'base64url');
  if (version !== VERSION || bytes.length < NONCE_BYTES + TAG_BYTES) {
    throw new MillraceError('bad_setting', 'A stored secret has a form that this release does not know', {
      remedy: 'Run the newest release that has been used with this database.',
    });
  }
  const key = keyOf(secretKey);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const plain = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(plain).toString('utf8');
  } catch {
    const message = 'does not open the secrets in the message database: they were sealed with another key';
    const remedy = 'Set SECRET_KEY to the value it had when the databases and sinks were declared.';
    throw new MillraceError('bad_setting', `SECRET_KEY ${message}`, {
      faults: [{ field: 'SECRET_KEY', message, remedy }],
      remedy,
    });
  }
}

function keyOf(secretKey: string): Buffer {
  if (secretKey.length < MIN_KEY_LENGTH) {
    const remedy = '`openssl rand -base64 32` makes one.';
    throw new MillraceError('bad_setting', `SECRET_KEY must have ${MIN_KEY_LENGTH} characters or more`, { remedy });
  }
  return Buffer.from(hkdfSync('sha256', secretKey, '', 'millrace secrets v1', 32));
}
