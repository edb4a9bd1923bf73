/** What a source was when its position was recorded. Another one's LSNs mean nothing here. */
export interface SourceIdentity {
  systemIdentifier: string;
  timeline: number;
  databaseOid: number;
  slotName: string;
  publicationOid: number;
}
