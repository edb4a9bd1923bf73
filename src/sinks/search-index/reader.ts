/**
 * Reads an index back through `_search` alone. By `ids`, and all of it by walking `_seq_no`, which every engine numbers its
 * writes with, searches and sorts: no scroll and no point in time is opened, and nothing is left behind in the engine. A
 * document that nobody writes keeps its number, so the walk finds it whatever is written meanwhile.
 * Guarantees: an answer that lacks a shard is never taken for the whole; pieces are small enough for the engine, proxies
 * and our memory; a passing fault is waited for, a lasting one is an error with the engine's own words.
 */
import { MillraceError } from '../../model/errors.ts';
import type { IndexedDocument, IndexedIds, IndexReader } from '../../model/index-reader.ts';
import { joinedKey } from '../../model/joined-key.ts';
import { type Backoff, backoffMs } from '../../runtime/backoff.ts';
import { type ClientOptions, type ClientSettings, openSearchClient, type SearchClient } from './client.ts';
import { decodeHits, type Hit } from './hits.ts';

export interface ReaderParts {
  /** Rejects when the signal says so. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  random(): number;
}

/** The engines' limit of hits in one answer (`index.max_result_window`); where it is lower, we learn. */
const MOST_HITS = 10_000;
const FIRST_DOCUMENTS = 500;
/** Of an answer with documents. */
const WANTED_CHARACTERS = 8 * 1024 * 1024;
const TRIES = 6;
const AGAIN: Backoff = { firstMs: 500, maxMs: 5_000, jitter: [0.8, 1.2] };

interface Reading {
  client: SearchClient;
  parts: ReaderParts;
  indexName: string;
}

/** Throws MillraceError `bad_destination` when endpoint or credential cannot be used; connects only when asked. */
export function openSearchReader(
  parts: ReaderParts,
  settings: ClientSettings,
  options: ClientOptions = {},
): IndexReader {
  const client = openSearchClient(settings, options);
  const reading: Reading = { client, parts, indexName: settings.destination.index_name };
  const documents = { size: FIRST_DOCUMENTS, most: MOST_HITS };
  const ids = { size: MOST_HITS, most: MOST_HITS };
  return {
    indexName: reading.indexName,
    documentId: joinedKey,
    fetch: (index, wanted, signal) => fetchAll(reading, { index, ids: wanted, page: documents }, signal),
    list: (index, signal) => walk(reading, { index, page: ids }, signal),
    close: () => client.close(),
  };
}

/** Hits in one answer; it shrinks when that is too much, and grows back while it goes well. */
interface Page {
  size: number;
  /** What was too much is not tried again. */
  most: number;
}

async function fetchAll(
  reading: Reading,
  wanted: { index: string; ids: readonly string[]; page: Page },
  signal: AbortSignal,
): Promise<Map<string, IndexedDocument>> {
  const { index, ids, page } = wanted;
  const found = new Map<string, IndexedDocument>();
  for (let from = 0; from < ids.length; ) {
    let count = 0;
    const body = (size: number): object => {
      const values = ids.slice(from, from + size);
      count = values.length;
      return { size: count, track_total_hits: false, seq_no_primary_term: true, query: { ids: { values } } };
    };
    const answer = await ask(reading, { index, page, body }, signal);
    for (const { id, version, source } of answer.hits) {
      // It may have taken the place of another one in the answer.
      if (found.has(id)) throw severalOf(index);
      found.set(id, { version, source });
    }
    from += count;
    const each = answer.characters / Math.max(1, answer.hits.length);
    page.size = Math.max(1, Math.min(page.most, page.size * 2, Math.floor(WANTED_CHARACTERS / each)));
  }
  return found;
}

/**
 * Windows of `_seq_no`, each read in order. Several shards number their writes alike, so a window that has more hits than
 * an answer goes on *at* the last number, which brings at most a hit a shard again.
 */
async function* walk(
  reading: Reading,
  { index, page }: { index: string; page: Page },
  signal: AbortSignal,
): AsyncGenerator<IndexedIds> {
  const newest = await ask(
    reading,
    { index, page: { size: 1, most: 1 }, body: (size) => listBody(size, 'desc') },
    signal,
  );
  const last = newest.hits[0]?.seqNo ?? -1;
  let from = 0;
  let width = MOST_HITS;
  while (from <= last) {
    const to = Math.min(last, from + width - 1);
    let size = page.size;
    const body = (now: number): object => {
      size = now;
      return { ...listBody(now, 'asc'), query: { range: { _seq_no: { gte: from, lte: to } } } };
    };
    const { hits } = await ask(reading, { index, page, body }, signal);
    const end = hits.at(-1)?.seqNo ?? to;
    const isFull = hits.length >= size;
    if (isFull && end === from) {
      throw unreadable(index, `more than ${size} documents have one number`);
    }
    from = isFull ? end : to + 1;
    page.size = Math.min(page.most, page.size * 2);
    width = isFull ? Math.max(1, width >> 1) : hits.length < size / 2 ? width * 2 : width;
    yield { documents: hits.map(({ id, version }) => ({ id, version })), part: Math.min(1, from / (last + 1)) };
  }
}

/** `unmapped_type`: an index that nothing was ever written to has no field of that name. */
function listBody(size: number, order: 'asc' | 'desc'): object {
  const sort = [{ _seq_no: { order, unmapped_type: 'long' } }];
  return { size, sort, _source: false, track_total_hits: false, seq_no_primary_term: true };
}

interface Question {
  index: string;
  page: Page;
  body(size: number): object;
}

/** Asks until there is a whole answer: in smaller pieces, later again. */
async function ask(
  reading: Reading,
  { index, page, body }: Question,
  signal: AbortSignal,
): Promise<{ hits: Hit[]; characters: number }> {
  for (let failures = 0; ; ) {
    signal.throwIfAborted();
    const found = decodeHits(await reading.client.query(index, Buffer.from(JSON.stringify(body(page.size))), signal));
    if (found.kind === 'hits') return found;
    if (found.kind === 'aborted') throw signal.reason ?? closed();
    if (found.kind === 'refused' && found.isMissing && index !== reading.indexName) return NOTHING;
    const canShrink = page.size > 1;
    page.size = Math.max(1, page.size >> 1);
    if (found.kind === 'smaller' && canShrink) {
      page.most = page.size;
      continue;
    }
    failures += 1;
    if (found.kind !== 'again' || failures >= TRIES) throw unreadable(index, found.error);
    await reading.parts.sleep(found.retryAfterMs ?? backoffMs(failures, AGAIN, reading.parts.random()), signal);
  }
}

/** A routed index that was not made yet holds nothing. */
const NOTHING = { hits: [], characters: 0 };

const closed = (): MillraceError => new MillraceError('unavailable', 'the reader of the search index is closed');

const severalOf = (index: string): MillraceError =>
  new MillraceError(
    'bad_destination',
    `index ${index} has several documents of one _id, as an alias of several indexes may`,
    {
      remedy:
        'Let index_name be one index, or an alias of one, without documents of the same rows elsewhere; then verify again.',
    },
  );

function unreadable(index: string, error: string): MillraceError {
  return new MillraceError('bad_destination', `index ${index} cannot be read: ${error}`, {
    remedy: 'Check endpoint_url, index_name and that the credential may search; then verify again.',
  });
}
