/**
 * Transaction annotations: `select pg_logical_emit_message(true, 'millrace:annotations', '{"user":"ann"}')` marks the
 * following changes of its transaction. Sequin's prefixes `sequin:transaction_annotations.set` and
 * `.clear` are understood too.
 */
const SET = new Set([
  'millrace:annotations',
  'sequin:transaction_annotations.set',
  'sequin.transaction_annotations.set',
]);
const CLEAR = new Set(['sequin:transaction_annotations.clear', 'sequin.transaction_annotations.clear']);

/** Every message of the transaction carries them. */
const MOST_BYTES = 65_536;

/** The annotations after a logical message: JSON text on one line, or null. What is not JSON, or too long, changes nothing. */
export function annotationsAfter(
  before: string | null,
  message: { prefix: string; content: Uint8Array },
): string | null {
  if (CLEAR.has(message.prefix)) return null;
  if (!SET.has(message.prefix) || message.content.length > MOST_BYTES) return before;
  const text = Buffer.from(message.content).toString('utf8');
  try {
    JSON.parse(text);
  } catch {
    return before;
  }
  return text.replace(/[\r\n]+/g, ' ');
}
