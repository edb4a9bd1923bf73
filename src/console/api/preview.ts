/** Messages of a sink on their way: asking keeps them coming, for a while after the last look. */
import { call, type Schemas } from './client.ts';

export type Recent = Schemas['RecentMessage'];

/** It goes on for so long after the last look. */
const SECONDS = 60;

/** Those behind `after`, newest first. @throws ApiError */
export async function lookAtPreview(sink: string, after: number, signal: AbortSignal): Promise<Recent[]> {
  const path = { sink };
  const looked = await call('get', '/api/sinks/{sink}/preview', { path, query: { after: String(after) }, signal });
  const { data } =
    looked.until === null
      ? await call('post', '/api/sinks/{sink}/preview', { path, body: { seconds: SECONDS }, signal })
      : looked;
  return data.filter(({ id }) => id > after);
}
