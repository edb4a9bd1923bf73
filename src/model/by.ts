/** Who acts, as the audit log has it. */
export interface By {
  /** A token, a person who logged in, the command line, a configuration file. */
  kind: 'token' | 'user' | 'cli' | 'file';
  name: string;
}

/** `token ci`. */
export const actorOf = ({ kind, name }: By): string => `${kind} ${name}`;
