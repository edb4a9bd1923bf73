/** What every page knows: the overview, asked each two seconds by whoever looks, once for all that show it. */
import type { Schemas } from './client.ts';
import { useGet } from './queries.ts';

export type Attention = Schemas['Attention'];
export type OverviewSink = Schemas['OverviewSink'];
export type OverviewDatabase = Schemas['OverviewDatabase'];

export const useOverview = (enabled = true) => useGet('/api/overview', {}, { every: 2_000, enabled });
