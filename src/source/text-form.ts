/**
 * How the values of rows are asked for. As text, usually. The client makes U+FFFD of what is no UTF-8, so rows with that
 * character are asked for once more, as bytes. A server that cannot convert a character (22P05) sends none of the rows:
 * then they come as they are stored.
 */
import { isUtf8 } from 'node:buffer';
import { type Transcode, transcoderOf } from '../codec/encoding.ts';
import type { Connection } from '../db/pool.ts';
import { inSavepoint } from '../db/savepoint.ts';
import { quoteIdentifier } from '../model/quote.ts';
import { isUnconvertible } from '../model/sqlstate.ts';

/** The text of each column, null for NULL; bytes where they are no UTF-8. */
export type Texts = readonly (string | Buffer | null)[];

export interface TextForm {
  /** The columns, for a select list. */
  list(columns: readonly { name: string }[]): string;
  /** What an answer's text means. */
  value(text: string): string | Buffer;
  /** A text of ours in a statement: the parameter's value, and the expression of its placeholder. */
  given(text: string): { value: string; sql(placeholder: string): string };
}

const plainly: TextForm['given'] = (text) => ({ value: text, sql: (placeholder) => placeholder });

export const asTexts: TextForm = {
  list: (columns) => columns.map((column) => quoteIdentifier(column.name)).join(', '),
  value: (text) => text,
  given: plainly,
};

/**
 * Twice as long on the wire. Neither converted nor checked where the client's encoding is the server's. `is not null` would be
 * false of a composite value with a field that is null.
 */
export const asBytes: TextForm = {
  list: (columns) =>
    columns
      .map(
        ({ name }) =>
          `case when ${quoteIdentifier(name)} is distinct from null then textsend(format('%s', ${quoteIdentifier(name)})) end`,
      )
      .join(', '),
  value: (text) => wholeOf(Buffer.from(text.slice(2), 'hex')),
  given: plainly,
};

/** What the texts of an answer mean. */
export const meant = (form: TextForm, texts: readonly (string | null)[]): (string | Buffer | null)[] =>
  texts.map((text) => (text === null ? null : form.value(text)));

/** Makes the transaction of `client` send texts as they are stored. What makes UTF-8 of them; undefined where nothing does. */
export async function sendAsStored(client: Connection): Promise<Transcode | undefined> {
  await client.query("set local client_encoding = 'SQL_ASCII'");
  const { rows } = await client.query<{ encoding: string }>("select current_setting('server_encoding') as encoding");
  return transcoderOf(rows[0]!.encoding);
}

export const givenAsStored: TextForm['given'] = (text) => ({
  value: Buffer.from(text).toString('hex'),
  sql: (placeholder) => `convert_from(decode(${placeholder}, 'hex'), 'UTF8')`,
});

/** What the transaction of `client` sends is as it is stored. */
export async function asStored(client: Connection): Promise<TextForm> {
  const transcode = (await sendAsStored(client)) ?? ((bytes: Buffer) => bytes);
  return {
    list: asBytes.list,
    value: (text) => wholeOf(transcode(Buffer.from(text.slice(2), 'hex'))),
    given: givenAsStored,
  };
}

/**
 * Reads in the form that the rows need, in the transaction of `client`. `read` may be called twice; `textsOf` gives what it
 * found. Where texts come as they are stored, they do so until the transaction ends.
 */
export async function inTextForm<Result>(
  client: Connection,
  read: (form: TextForm) => Promise<Result>,
  textsOf: (found: Result) => Iterable<Texts>,
): Promise<Result> {
  let found: Result;
  try {
    found = await inSavepoint(client, () => read(asTexts));
  } catch (error) {
    if (!isUnconvertible(error)) throw error;
    return await read(await asStored(client));
  }
  return [...textsOf(found)].some(isSuspect) ? await read(asBytes) : found;
}

const wholeOf = (bytes: Buffer): string | Buffer => (isUtf8(bytes) ? bytes.toString() : bytes);

/** May a text have been something else than UTF-8? */
export const isSuspect = (texts: Texts): boolean => texts.some((text) => text?.includes('\ufffd'));
