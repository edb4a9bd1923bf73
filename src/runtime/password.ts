/**
 * Passwords are kept as argon2id, 19 MiB and 2 passes: some 40 ms each. Two at a time in a process, so that logins take neither its
 * memory nor its threads; whoever finds too many waiting is sent away.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { MillraceError } from '../model/errors.ts';
import { createSemaphore } from './concurrency/semaphore.ts';

const MEMORY_KIB = 19 * 1024;
const PASSES = 2;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const AT_ONCE = 2;
const MAX_WAITING = 50;
const HEAD = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$`;
const FORM = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;
/** Of nobody: takes as long as any other, and fits no password. */
const NOBODYS = HEAD + [SALT_BYTES, TAG_BYTES].map((bytes) => inBase64(Buffer.alloc(bytes))).join('$');

const derive = promisify(argon2);
const inTurn = createSemaphore(AT_ONCE);
let waiting = 0;

/** @throws MillraceError too_many_requests */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await tagOf(password, salt);
  return `${HEAD}${inBase64(salt)}$${inBase64(tag)}`;
}

/** Null: nobody's, which no password fits. Takes the same time in any case. @throws MillraceError too_many_requests */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const known = stored !== null && FORM.test(stored) ? stored : NOBODYS;
  const [salt, tag] = known
    .slice(HEAD.length)
    .split('$')
    .map((text) => Buffer.from(text, 'base64'));
  const given = await tagOf(password, salt!);
  return timingSafeEqual(given, tag!) && known === stored;
}

async function tagOf(password: string, nonce: Buffer): Promise<Buffer> {
  if (waiting >= MAX_WAITING) {
    throw new MillraceError('too_many_requests', 'Too many people log in at once', {
      remedy: 'Try again after a moment.',
    });
  }
  waiting += 1;
  try {
    return await inTurn(() =>
      derive('argon2id', {
        // The same letters, however a keyboard writes them.
        message: Buffer.from(password.normalize('NFKC')),
        nonce,
        ...{ parallelism: 1, tagLength: TAG_BYTES, memory: MEMORY_KIB, passes: PASSES },
      }),
    );
  } finally {
    waiting -= 1;
  }
}

function inBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
