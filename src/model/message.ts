/** What a consumer sees, and how a change is named. Field names are the wire's. */
export type Action = 'insert' | 'update' | 'delete' | 'read';

/** The four inputs of every user function, as JSON texts, plus the message's id for the answer. */
export interface FunctionInput {
  action: Action;
  record: string;
  changes: string | null;
  metadata: string;
}
