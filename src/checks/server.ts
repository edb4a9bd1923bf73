/** Can this server be captured from at all? Facts of the server and of our role there. */
import type { CaptureWay } from '../model/declared.ts';
import { quoteIdentifier, quoteLiteral } from '../model/quote.ts';
import { byHand, type Finding, fault, inSource } from './finding.ts';

export interface SourceFacts {
  systemIdentifier: string;
  timeline: number;
  databaseOid: number;
  version: number;
  /** Of the database, as Postgres names it. */
  encoding: string;
  walLevel: string;
  /** Our role; of two, the one that may not replicate. */
  roleName: string;
  mayReplicate: boolean;
  inRecovery: boolean;
  /** Where it writes; null on a standby. */
  walLsn: string | null;
  /** 0: the server never times us out. */
  walSenderTimeoutMs: number;
  /** max_slot_wal_keep_size in bytes; negative: no limit. */
  keepBytes: number | null;
  /** Which output plugins the server loads; null: it does not have the setting, or our role may not read it. */
  outputPluginLibraries: string | null;
}

/** `way`: how its changes are to be read; triggers need neither WAL of a kind nor a role that may replicate. */
export function checkServer(facts: SourceFacts, way: CaptureWay = 'replication'): Finding[] {
  return [...checkPrimary(facts), ...(way === 'triggers' ? [] : checkReplication(facts))];
}

/** Where a server, or who runs it, allows no logical replication. */
const OR_TRIGGERS = 'or, where the server does not allow that, declare `capture: triggers` for this database';

function checkPrimary(facts: SourceFacts): Finding[] {
  const found: Finding[] = [];
  const refuse = (...what: Parameters<typeof fault>) => found.push(fault(...what));
  if (facts.version < 140000) refuse('too_old', 'the source is older than Postgres 14', byHand('Upgrade the source.'));
  if (facts.inRecovery)
    refuse(
      'standby',
      'the source is a standby: it can be read only',
      byHand('Set hostname to the address of its primary.'),
    );
  return found;
}

function checkReplication(facts: SourceFacts): Finding[] {
  const found: Finding[] = [];
  const refuse = (...what: Parameters<typeof fault>) => found.push(fault(...what));
  if (facts.walLevel !== 'logical')
    refuse(
      'wal_level',
      `wal_level is ${facts.walLevel}; it must be logical`,
      inSource("alter system set wal_level = 'logical'", `then restart the server; ${OR_TRIGGERS}`),
    );
  const role = quoteIdentifier(facts.roleName);
  if (!facts.mayReplicate)
    refuse(
      'may_not_replicate',
      `role ${facts.roleName} may not replicate`,
      inSource(`alter role ${role} replication`, `on Amazon RDS: grant rds_replication to ${role}; ${OR_TRIGGERS}`),
    );
  const plugins = facts.outputPluginLibraries?.split(',').map((name) => name.trim().replaceAll('"', ''));
  if (plugins && !plugins.includes('pgoutput')) {
    const all = [...plugins.filter(Boolean), 'pgoutput'].join(', ');
    refuse(
      'output_plugin',
      'output_plugin_libraries does not list pgoutput: the server will not decode for us',
      inSource(`alter system set output_plugin_libraries = ${quoteLiteral(all)}; select pg_reload_conf()`),
    );
  }
  return found;
}
