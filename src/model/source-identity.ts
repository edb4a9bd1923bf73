/** What a source was when its position was recorded. Another one's LSNs mean nothing here. */
export interface SourceIdentity {
  systemIdentifier: string;
  timeline: number;
  databaseOid: number;
  slotName: string;
  /** NO_PUBLICATION: it was not there for a while. */
  publicationOid: number;
}

/** What no publication has as its oid. */
export const NO_PUBLICATION = 0;
