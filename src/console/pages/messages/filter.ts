/** What the list of messages is narrowed to, as its address has it. */
import { flag, oneOf, searchOf, text } from '../../lib/search.ts';

export const STATES = ['waiting', 'leased', 'retrying', 'held', 'parked'] as const;
export const ACTIONS = ['insert', 'update', 'delete', 'read'] as const;
export const TABS = ['data', 'document', 'attempts', 'group'] as const;

const CONDITIONS = {
  state: oneOf(...STATES),
  table: text,
  key: text,
  action: oneOf(...ACTIONS),
  error: text,
  group: text,
  since: text,
  until: text,
};

/** Else the oldest come first. */
const ORDER = oneOf('newest');

export const messagesSearch = searchOf({ ...CONDITIONS, order: ORDER, tab: oneOf(...TABS), ungrouped: flag });
export type MessagesSearch = ReturnType<typeof messagesSearch>;

/** What the API is asked for. */
export const filterOf = searchOf(CONDITIONS);
export type Order = MessagesSearch['order'];
export type MessageFilter = ReturnType<typeof filterOf>;

export const isNarrowed = (filter: MessageFilter): boolean => Object.keys(filter).length > 0;
