/** Who is logged in, and what they may do. */
import { createContext, useContext } from 'react';
import type { Answer } from './client.ts';

export type Who = Answer<'/api/whoami', 'get'>;

export interface Person {
  who: Who | null;
  may(scope: string): boolean;
}

/** By which scopes each is allowed; `read` by any of them. */
const ALLOWED_BY: Record<string, readonly string[]> = {
  admin: ['admin'],
  operate: ['admin', 'operate'],
  'read:data': ['admin', 'read:data'],
  read: ['admin', 'operate', 'read:data', 'read'],
};

export function personOf(who: Who | null): Person {
  const has = who?.scopes ?? [];
  return { who, may: (scope) => has.some((one) => ALLOWED_BY[scope]?.includes(one) ?? one === scope) };
}

export const PersonContext = createContext<Person>(personOf(null));
export const usePerson = (): Person => useContext(PersonContext);
