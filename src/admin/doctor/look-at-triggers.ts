/** A source whose changes triggers note, as it is now. */
import { checkConnections } from '../../checks/capacity.ts';
import { passed } from '../../checks/finding.ts';
import { checkNotedContinuity, NOTED } from '../../checks/noted-continuity.ts';
import { checkPrepared } from '../../checks/prepared.ts';
import { checkPublication } from '../../checks/publication.ts';
import { checkReadable } from '../../checks/readable.ts';
import { checkServer } from '../../checks/server.ts';
import { checkLeftSlots } from '../../checks/slot.ts';
import { checkSwitching } from '../../checks/switching.ts';
import { checkTriggers } from '../../checks/triggers.ts';
import { wellOf } from '../../checks/well.ts';
import { readPlan } from '../../messages/plan.ts';
import { readPosition } from '../../messages/position.ts';
import { UNIDENTIFIED } from '../../source/identify.ts';
import { readPublication } from '../../source/publication-facts.ts';
import { readCapacity, readLeftSlots, readPrepared, readSource, readUnreadable } from '../../source/server-facts.ts';
import { readTables } from '../../source/tables.ts';
import { readTriggerFacts } from '../../source/triggers/for-checks.ts';
import { readNotedNow } from '../../source/triggers/noted-now.ts';
import { readEmptied } from '../../source/triggers/truncate-read.ts';
import {
  formerSlots,
  inPlace,
  type LookedAt,
  missingPublication,
  type Reached,
  roomOf,
  type SourceLook,
  takenIn,
  wantedTables,
  wellFacts,
} from './parts-of-source.ts';

/** The same where triggers note its changes: the slot of before, if there is one, is all that there is to say of slots. */
export async function lookAtTriggers(on: Pick<Reached, 'source' | 'messages'>, looked: LookedAt): Promise<SourceLook> {
  const { source, messages } = on;
  const { database, sinks } = looked;
  const { settings } = database;
  // Before what was read: what was emptied by then was.
  const emptied = await readEmptied(source);
  const plan = await readPlan(messages, database.no);
  const stored = await readPosition(messages, database.no);
  const facts = await readSource(source, async () => UNIDENTIFIED);
  const found = await readPublication(source, settings.publication.name, facts.version);
  const publication = found && { ...found, byTriggers: true };
  const listed = publication ? await readTables(source, publication.name) : [];
  const triggers = await readTriggerFacts(source, settings.publication.name, {
    onError: settings.trigger_errors ?? 'fail',
  });
  const isRead = looked.isSource ?? sinks.length > 0;
  const slotName = stored?.identity?.slotName;
  const switches = isRead ? checkSwitching('triggers', slotName) : [];
  // The one that is read until it has gone over is needed.
  const former = formerSlots(stored).filter((name) => switches.length === 0 || name !== slotName);
  const { identity } = stored ?? {};
  const of = { database: settings.name, isUnnoticed: looked.state !== 'needs_resync' };
  const findings = [
    ...switches,
    ...(isRead && identity?.slotName === NOTED
      ? checkNotedContinuity(
          { identity, snapshot: plan?.to },
          { ...facts, ...(await readNotedNow(source)), emptied },
          of,
        )
      : []),
    ...(looked.isSource === false ? [] : checkServer(facts, 'triggers')),
    ...(isRead ? await missingPublication(source, settings, { ...looked, source: facts, publication }) : []),
    ...checkTriggers(triggers, { database: settings.name, isRead: isRead || looked.isSource === false }),
    ...checkConnections({ facts: await readCapacity(source, ''), room: await roomOf(source), isRead }),
    ...checkLeftSlots(await readLeftSlots(source, former, '')),
    ...checkPrepared(await readPrepared(source)),
    ...(publication ? checkPublication(publication, settings.name) : []),
    ...checkReadable(await readUnreadable(source, takenIn(listed, sinks)), facts.roleName),
  ];
  const major = Math.floor(facts.version / 10_000);
  if (looked.whole)
    findings.push(...wellOf(findings, await wellFacts({ source }, looked, { source: facts, publication, triggers })));
  return {
    findings:
      findings.length > 0
        ? findings
        : [
            passed(
              'source',
              `Postgres ${major}; ${inPlace('triggers', triggers.schemaVersion !== null && publication, isRead)}`,
            ),
          ],
    tables:
      publication &&
      (await wantedTables(
        on,
        { ...publication, tables: listed, locked: [], refused: new Map(), triggers: triggers.tables },
        { database, sinks },
      )),
  };
}
