/** What functions are for, and how one begins. */
import type { Schemas } from '../../api/client.ts';

export type Fn = Schemas['Function'];
export type FnType = Fn['type'];

export const TYPES: Record<FnType, { title: string; sentence: string; code: string }> = {
  transform: {
    title: 'Transform',
    sentence: 'makes the document, or what clients receive, of a row',
    code: '(action, record, changes, metadata) => ({\n  ...record,\n})\n',
  },
  filter: {
    title: 'Filter',
    sentence: 'says whether a row goes on: true or false',
    code: "(action, record) => action === 'delete' || record.status !== 'draft'\n",
  },
  routing: {
    title: 'Routing',
    sentence: 'names the index of a row, in a search index',
    code: '(action, record, changes, metadata) => ({ index_name: metadata.table_name })\n',
  },
  path: { title: 'Path', sentence: 'takes one part of a row, without code', code: 'record.id' },
};

export const TYPE_NAMES = Object.keys(TYPES) as FnType[];
