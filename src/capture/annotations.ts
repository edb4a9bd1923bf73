/**
 * Transaction annotations: `select pg_logical_emit_message(true, 'millrace:annotations', '{"user":"ann"}')` marks the
 * following changes of its transaction. Sequin's prefixes `sequin:transaction_annotations.set` and
 * `.clear` are understood too.
 */
import { isDeeper } from '../codec/depth.ts';

const SET = new Set([
  'millrace:annotations',
  'sequin:transaction_annotations.set',
  'sequin.transaction_annotations.set',
]);
const CLEAR = new Set(['sequin:transaction_annotations.clear', 'sequin.transaction_annotations.clear']);

/** Every message of the transaction carries them. */
const MOST_BYTES = 65_536;
/** Postgres reads what is nested by going as deep itself, and refuses what is too deep for it: so would every receive. */
const MOST_DEPTH = 100;

/** The annotations after a logical message: JSON text on one line, or null. What is not JSON, too long or too deep changes nothing. */
export function annotationsAfter(
  before: string | null,
  message: { prefix: string; content: Uint8Array },
): string | null {
  if (CLEAR.has(message.prefix)) return null;
  if (!SET.has(message.prefix) || message.content.length > MOST_BYTES) return before;
  const content = Buffer.from(message.content);
  const text = content.toString('utf8');
  try {
    JSON.parse(text);
  } catch {
    return before;
  }
  if (isDeeper({ bytes: content, start: 0, end: content.length }, MOST_DEPTH)) return before;
  return text.replace(/[\r\n]+/g, ' ');
}
