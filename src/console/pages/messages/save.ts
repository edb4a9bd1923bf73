/** Messages as a file, a line each: page by page, and with every digit that they have. */
import { call } from '../../api/client.ts';
import { JsonText } from '../../api/json-text.ts';
import { download } from '../../lib/download.ts';
import type { MessageFilter } from './filter.ts';
import type { Message, Place } from './place.ts';

/** In one file. */
export const MOST_SAVED = 10_000;
const AT_ONCE = 500;

/** `told`: how many there are so far. Returns how many they were in the end. @throws ApiError */
export async function saveMessages(
  { paths, name }: Place,
  filter: MessageFilter,
  { told, signal }: { told: (count: number) => void; signal: AbortSignal },
): Promise<number> {
  const lines: string[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null && lines.length < MOST_SAVED) {
    const query = { ...filter, include: 'message' as const, limit: AT_ONCE };
    const page = await call('get', paths.list, {
      path: { sink: name },
      query: cursor === undefined ? query : { ...query, cursor },
      signal,
    });
    lines.push(...page.data.map(messageLine));
    cursor = page.next_cursor;
    told(lines.length);
  }
  const kept = lines.slice(0, MOST_SAVED);
  download(`${name}-messages.ndjson`, kept.map((line) => `${line}\n`).join(''), 'application/x-ndjson');
  return kept.length;
}

/** What is known of it, then the message itself as it was captured. */
function messageLine({ message, ...known }: Message): string {
  const outline = JSON.stringify(known);
  return message instanceof JsonText ? `${outline.slice(0, -1)},"message":${message.text}}` : outline;
}
