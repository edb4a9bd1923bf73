/** What a person logs in with. */
import { z } from 'zod';

export const PASSWORD_LENGTH = 8;

const ADDRESS = 'must be an e-mail address, or a name of letters, digits, `.`, `_` and `-`';

/** Of any case; kept in lower case. */
export const Email = z
  .string()
  .max(320, 'has more than 320 characters')
  .regex(/^([A-Za-z0-9][\w.-]*|[^\s@"<>]+@[^\s@"<>]+)$/, ADDRESS);
