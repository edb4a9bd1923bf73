/**
 * The answer of a `_search` that reads documents, pure. Guarantees: an answer counts only when every shard has given its
 * whole share, and a document's text comes out as the engine keeps it, for a number must not pass through a double.
 */
import { itemsOf, membersOf } from '../../model/json-scan.ts';
import type { HttpReply } from '../../runtime/http-client.ts';
import { decodeSearch } from './decode.ts';

export interface Hit {
  id: string;
  seqNo: number;
  /** Changes with every write of the document. */
  version: string;
  source: string | undefined;
}

export type Found =
  | { kind: 'hits'; hits: Hit[]; characters: number }
  /** More than the engine, a proxy or we ourselves take in one piece. */
  | { kind: 'smaller'; error: string }
  /** An answer that may be better next time. */
  | { kind: 'again'; error: string; retryAfterMs?: number }
  /** No repetition changes it. */
  | { kind: 'refused'; error: string; isMissing: boolean }
  | { kind: 'aborted' };

/** What the engine says of too many hits in one answer. */
const WINDOW = /Result window is too large/;

export function decodeHits(reply: HttpReply): Found {
  if (reply.kind === 'aborted') return reply;
  if (reply.kind === 'lost') return { kind: reply.tooLarge ? 'smaller' : 'again', error: reply.error };
  if (reply.kind === 'unreachable') return { kind: 'again', error: reply.error };
  const { status, text } = reply;
  if (status === 413 || (status === 400 && WINDOW.test(text))) return { kind: 'smaller', error: `HTTP ${status}` };
  if (status !== 200) return decodeRefusal(reply);
  try {
    return readAnswer(text);
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'again', error: `an answer that is ${error.message}` };
    throw error;
  }
}

/** The engine's words for an index, a credential and everything else are judged as those of Test Connection. */
function decodeRefusal(reply: HttpReply): Found {
  const readiness = decodeSearch(reply);
  if (readiness.kind === 'ready' || readiness.kind === 'aborted') return { kind: 'aborted' };
  const { error, reason, retryAfterMs } = readiness.circuit;
  if (readiness.kind !== 'unclear') return { kind: 'refused', error, isMissing: reason === 'index_missing' };
  return { kind: 'again', error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

function readAnswer(text: string): Found {
  const answer = membersOf(text);
  const list = itemsOf(membersOf(answer?.get('hits') ?? '')?.get('hits') ?? '');
  if (answer === undefined || list === undefined) return { kind: 'again', error: 'an answer without hits' };
  const shards = membersOf(answer.get('_shards') ?? '');
  const [total, successful, failed] = ['total', 'successful', 'failed'].map((key) => Number(shards?.get(key)));
  if (answer.get('timed_out') !== 'false' || failed !== 0 || successful !== total) {
    return { kind: 'again', error: `an answer of ${successful} out of ${total} shards` };
  }
  const hits: Hit[] = [];
  for (const item of list) {
    const members = membersOf(item);
    const [id, seqNo] = [members?.get('_id'), members?.get('_seq_no')];
    if (id === undefined || seqNo === undefined) return { kind: 'again', error: 'a hit without _id and _seq_no' };
    const version = `${seqNo}.${members?.get('_primary_term')}`;
    hits.push({ id: String(JSON.parse(id)), seqNo: Number(seqNo), version, source: members?.get('_source') });
  }
  return { kind: 'hits', hits, characters: text.length };
}
