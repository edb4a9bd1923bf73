/** What every page knows: the overview, asked each two seconds by whoever looks, once for all that show it. */
import type { Schemas } from './client.ts';
import { askAhead, useGet } from './queries.ts';

export type Attention = Schemas['Attention'];
export type OverviewSink = Schemas['OverviewSink'];
export type OverviewDatabase = Schemas['OverviewDatabase'];

const PATH = '/api/overview';
const EVERY_MS = 2_000;

export const useOverview = (enabled = true) => useGet(PATH, {}, { every: EVERY_MS, enabled });
export const askOverview = (): void => askAhead(PATH, EVERY_MS);
