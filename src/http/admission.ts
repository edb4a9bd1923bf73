/**
 * How many requests, and bytes of their bodies, one consumer or one token may have here at once. What is beyond it is
 * refused before its body is read: it would only wait, in our memory. A long poll that waits for messages is not counted,
 * it has a bound of its own (`max_waiting`).
 */
import { MillraceError } from '../model/errors.ts';

export interface Admission {
  /**
   * Lets a request in that has a body of so many bytes; what it returns lets it out, and may be called twice.
   * @throws MillraceError too_many_requests
   */
  enter(names: readonly string[], bodyBytes: number): () => void;
}

export interface AdmissionOptions {
  /** Of one name; 200. */
  maxRequests?: number;
  /** Of one name; 16 MB. */
  maxBytes?: number;
}

export function createAdmission(options: AdmissionOptions = {}): Admission {
  const { maxRequests = 200, maxBytes = 16 * 1024 * 1024 } = options;
  const inside = new Map<string, { requests: number; bytes: number }>();
  const change = (names: readonly string[], requests: number, bytes: number): void => {
    for (const name of names) {
      const now = inside.get(name) ?? { requests: 0, bytes: 0 };
      if (now.requests + requests === 0) inside.delete(name);
      else inside.set(name, { requests: now.requests + requests, bytes: now.bytes + bytes });
    }
  };
  return {
    enter(names, bodyBytes) {
      for (const name of names) {
        const { requests, bytes } = inside.get(name) ?? { requests: 0, bytes: 0 };
        if (requests >= maxRequests || (requests > 0 && bytes + bodyBytes > maxBytes)) {
          throw new MillraceError('too_many_requests', 'This consumer or token has too many requests under way', {
            remedy: 'Send fewer at once, or try again after a moment.',
          });
        }
      }
      change(names, 1, bodyBytes);
      let left = false;
      return () => {
        if (!left) change(names, -1, -bodyBytes);
        left = true;
      };
    },
  };
}
