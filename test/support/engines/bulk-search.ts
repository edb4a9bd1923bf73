/** What the scripted engine finds: `ids` and a range of `_seq_no`, as real engines answer them; another query is refused. */

export interface Answer {
  status: number;
  text: string;
}

export interface Stored {
  version: number;
  /** Of the write, in its shard. */
  seqNo: number;
  /** Undefined for a tombstone. */
  source: string | undefined;
}

interface Query {
  size?: number;
  sort?: { _seq_no: { order: 'asc' | 'desc' } }[];
  query?: { ids?: { values: string[] }; range?: { _seq_no: { gte: number; lte: number } } };
  _source?: boolean;
  track_total_hits?: boolean;
  seq_no_primary_term?: boolean;
}

const KNOWN = new Set(['size', 'sort', 'query', '_source', 'track_total_hits', 'seq_no_primary_term']);

export function findHits(
  { index, mostHits }: { index: string; mostHits: number },
  documents: ReadonlyMap<string, Stored>,
  body: string,
): Answer {
  const asked = JSON.parse(body) as Query;
  const strange = Object.keys(asked).find((key) => !KNOWN.has(key));
  if (strange !== undefined)
    return { status: 400, text: `{"error":{"type":"parsing_exception","reason":"${strange}"}}` };
  const size = asked.size ?? 10;
  if (size > mostHits) {
    const reason = `Result window is too large, from + size must be less than or equal to: [${mostHits}] but was [${size}]`;
    return {
      status: 400,
      text: JSON.stringify({ error: { type: 'illegal_argument_exception', reason }, status: 400 }),
    };
  }
  let found = candidates(documents, asked).filter(([, { source }]) => source !== undefined);
  const order = asked.sort?.[0]?._seq_no.order;
  if (order) found = found.toSorted(([, a], [, b]) => (order === 'asc' ? a.seqNo - b.seqNo : b.seqNo - a.seqNo));
  const hits = found.slice(0, size).map(([id, { seqNo, source }]) => {
    const number = asked.seq_no_primary_term ? `,"_seq_no":${seqNo},"_primary_term":1` : '';
    const text = asked._source === false ? '' : `,"_source":${source}`;
    return `{"_index":${JSON.stringify(index)},"_id":${JSON.stringify(id)},"_score":null${number}${text}}`;
  });
  const shards = '"_shards":{"total":1,"successful":1,"skipped":0,"failed":0}';
  const total = asked.track_total_hits === false ? '' : `"total":{"value":${found.length},"relation":"eq"},`;
  return {
    status: 200,
    text: `{"took":1,"timed_out":false,${shards},"hits":{${total}"max_score":null,"hits":[${hits}]}}`,
  };
}

function candidates(documents: ReadonlyMap<string, Stored>, { query }: Query): [string, Stored][] {
  if (query?.ids) {
    return query.ids.values.flatMap((id): [string, Stored][] => {
      const found = documents.get(id);
      return found ? [[id, found]] : [];
    });
  }
  const range = query?.range?._seq_no;
  const all = [...documents];
  return range ? all.filter(([, { seqNo }]) => seqNo >= range.gte && seqNo <= range.lte) : all;
}
