/** What the stream says of a row, and of the table that it is a row of. A row that was read is told in the same words. */
import type { Tuple } from './tuple.ts';

export interface RelationColumn {
  name: string;
  typeOid: number;
  typmod: number;
  /** Part of the replica identity (with identity `full` every column is). */
  key: boolean;
  /** Part of the primary key, where whoever tells the change knows; absent: that is not known. */
  primary?: true;
}

export type ReplicaIdentity = 'default' | 'nothing' | 'full' | 'index';

export interface RelationMessage {
  tag: 'relation';
  oid: number;
  schema: string;
  name: string;
  identity: ReplicaIdentity;
  columns: RelationColumn[];
}

export interface InsertMessage {
  tag: 'insert';
  oid: number;
  new: Tuple;
}

/** `old` is sent with identity full, or when the replica identity's columns changed (`key`: its other columns read NULL). */
export interface UpdateMessage {
  tag: 'update';
  oid: number;
  new: Tuple;
  old: Tuple | null;
  oldKind: 'key' | 'full' | null;
}

export interface DeleteMessage {
  tag: 'delete';
  oid: number;
  old: Tuple;
  oldKind: 'key' | 'full';
}

export type RowMessage = InsertMessage | UpdateMessage | DeleteMessage;
