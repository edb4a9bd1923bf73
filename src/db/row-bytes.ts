/**
 * What a statement answers, in bytes: large texts that are only passed on need not become strings of JavaScript first, which are
 * copied, measured, encoded again and collected. pg makes strings of all rows, so rows are taken out of the stream before pg
 * reads it; the rest of the protocol is left to pg.
 */
import type { Duplex } from 'node:stream';

/** A message of the protocol: its kind, and how many bytes there are from here on. */
const HEAD = 5;
const DATA_ROW = 'D'.charCodeAt(0);
/** Of a row with one column: how many columns it has, and how long the text is. */
const ROW_HEAD = 6;

type Read = (bytes: Buffer) => void;

/**
 * The rows that come on `stream` while `ask` runs: of statements with one column, each text in the pieces in which it came. Without a
 * piece: null, or empty. Nobody else may use the connection meanwhile. Throws what `ask` throws.
 */
export async function rowBytes(stream: Duplex, ask: () => Promise<unknown>): Promise<Buffer[][]> {
  const readers = stream.listeners('data') as Read[];
  const rows: Buffer[][] = [];
  const pass: Read = (bytes) => {
    for (const read of readers) read.call(stream, bytes);
  };
  const taking = takeRows(rows, pass, () => {
    for (const read of readers) stream.on('data', read);
    stream.off('data', taking.read);
  });
  stream.on('data', taking.read);
  for (const read of readers) stream.off('data', read);
  try {
    await ask();
    return rows;
  } finally {
    taking.stop();
  }
}

/** Fills `rows`, and passes on all that is none. `stopped`: called where a message ends, for pg would take the rest of one for another. */
function takeRows(rows: Buffer[][], pass: Read, stopped: () => void): { read: Read; stop(): void } {
  const head = Buffer.alloc(HEAD);
  let had = 0;
  let left = 0;
  let skip = 0;
  let row: Buffer[] | undefined;
  let stopping = false;
  const begin = (): void => {
    left = head.readUInt32BE(1) - (HEAD - 1);
    skip = ROW_HEAD;
    row = head[0] === DATA_ROW ? [] : undefined;
    if (row === undefined) pass(Buffer.from(head));
    else rows.push(row);
  };
  const take = (bytes: Buffer): void => {
    left -= bytes.length;
    const skipped = Math.min(skip, bytes.length);
    skip -= skipped;
    if (row === undefined) pass(bytes);
    else if (bytes.length > skipped) row.push(bytes.subarray(skipped));
  };
  return {
    read(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const from = at;
        if (had < HEAD) {
          at += chunk.copy(head, had, at);
          had += at - from;
          if (had === HEAD) begin();
        } else {
          at += Math.min(left, chunk.length - at);
          take(chunk.subarray(from, at));
        }
        if (had < HEAD || left > 0) continue;
        had = 0;
        if (!stopping) continue;
        stopped();
        if (at < chunk.length) pass(chunk.subarray(at));
        return;
      }
    },
    stop() {
      stopping = true;
      if (had === 0) stopped();
    },
  };
}
