/**
 * The text of an HTTP answer, whatever it comes in. Nobody asks for a compressed one, and some proxies send it all the same.
 * Guarantees: bounded memory, also for what a few bytes unfold to; of an answer that is no success only so much is read
 * as its error can need; bytes that are not valid UTF-8 become U+FFFD.
 */
import { promisify } from 'node:util';
import { brotliDecompress, constants, inflate, unzip, zstdDecompress } from 'node:zlib';
import { messageOf } from '../model/errors.ts';

/** An answer to 10,000 documents, each with a long error, fits well. */
export const LARGEST_ANSWER_BYTES = 64 * 1024 * 1024;
/** Of an answer with another status than 200. */
const LARGEST_ERROR_BYTES = 256 * 1024;

/** A success that is larger than we take. */
export class AnswerTooLarge extends Error {}

interface Decoding {
  maxOutputLength: number;
}

/** What was cut off is read as far as it goes. */
const DECODERS: Record<string, (bytes: Buffer, options: Decoding) => Promise<Buffer>> = {
  gzip: (bytes, options) => promisify(unzip)(bytes, { ...options, finishFlush: constants.Z_SYNC_FLUSH }),
  deflate: (bytes, options) => promisify(inflate)(bytes, { ...options, finishFlush: constants.Z_SYNC_FLUSH }),
  br: (bytes, options) =>
    promisify(brotliDecompress)(bytes, { ...options, finishFlush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: (bytes, options) => promisify(zstdDecompress)(bytes, { ...options, finishFlush: constants.ZSTD_e_flush }),
};

/** Bytes of an answer, and of what they unfold to: beyond, a success is too large, and anything else is cut off. */
export const largestAnswer = (isSuccess: boolean): number => (isSuccess ? LARGEST_ANSWER_BYTES : LARGEST_ERROR_BYTES);

/** The text of what was read of an answer. One that cannot be read is a text that says so. @throws AnswerTooLarge */
export async function answerText(
  body: Buffer,
  { isSuccess, encoding }: { isSuccess: boolean; encoding: string | undefined },
): Promise<string> {
  const most = largestAnswer(isSuccess);
  const raw = body.subarray(0, most);
  const coding = encoding?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity' || raw.length === 0) return raw.toString('utf8');
  const decode = DECODERS[coding.replace(/^x-/, '')];
  if (decode === undefined) return `an answer in content-encoding ${JSON.stringify(coding)}, which was not asked for`;
  try {
    return (await decode(raw, { maxOutputLength: most })).toString('utf8');
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLarge && isSuccess) throw new AnswerTooLarge(`an answer of more than ${most} bytes`);
    return `an answer in content-encoding ${coding}, which was not asked for and cannot be read: ${messageOf(error)}`;
  }
}
