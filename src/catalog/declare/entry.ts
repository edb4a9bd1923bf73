/** The entries of a declaration, before they are checked against each other. */
import type { Path } from '../../model/finding.ts';
import type { DatabaseDeclared } from './database.ts';
import type { FunctionDeclared } from './function.ts';
import type { SinkDeclared } from './sink.ts';
import type { TokenDeclared } from './token.ts';
import type { UserDeclared } from './user.ts';

/** An entry where it stands. `value` is undefined when it has faults of its own; its name may still be referred to. */
export interface Entry<Value> {
  path: Path;
  name: string | undefined;
  value: Value | undefined;
  /** As it was written, for what it refers to when it has faults. */
  raw: unknown;
}

export interface Entries {
  api_tokens: Entry<TokenDeclared>[];
  databases: Entry<DatabaseDeclared>[];
  functions: Entry<FunctionDeclared>[];
  sinks: Entry<SinkDeclared>[];
  users?: Entry<UserDeclared>[];
}
