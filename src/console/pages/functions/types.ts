/** What functions are for, and how one begins. */
import type { Schemas } from '../../api/client.ts';

export type Fn = Schemas['Function'];
export type FnType = Fn['type'];

export const TYPES: Record<FnType, { title: string; sentence: string; code: string }> = {
  transform: {
    title: 'Transform',
    sentence: 'Makes the document, or what clients receive, from a row',
    code: '(action, record, changes, metadata) => ({\n  ...record,\n})\n',
  },
  filter: {
    title: 'Filter',
    sentence: 'Decides whether a row is sent: true or false',
    code: "(action, record) => action === 'delete' || record.status !== 'draft'\n",
  },
  routing: {
    title: 'Routing',
    sentence: 'Chooses the index of a row, for a search index',
    code: '(action, record, changes, metadata) => ({ index_name: metadata.table_name })\n',
  },
  path: { title: 'Path', sentence: 'Takes one part of a row, without code', code: 'record.id' },
};

export const TYPE_NAMES = Object.keys(TYPES) as FnType[];
