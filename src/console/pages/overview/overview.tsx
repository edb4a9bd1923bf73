/** Is all well? What is wrong comes first, the worst first. */
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { useOverview } from '../../api/overview.ts';
import { buttonLook } from '../../parts/button.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/places.tsx';
import { Table } from '../../parts/table.tsx';
import { OperationTable } from '../operations/table.tsx';
import { isUnderWay } from '../operations/words.ts';
import { Attentions, type Known } from './attention.tsx';
import { DATABASES, RETENTIONS, SINKS } from './columns.tsx';
import { Connect, Playground } from './first-run.tsx';
import { Totals } from './totals.tsx';

export function Overview() {
  const query = useOverview();
  return (
    <Page title="Overview">
      <Loaded query={query} lines={8}>
        {(all) => <Whole all={all} />}
      </Loaded>
    </Page>
  );
}

function knownOf({ sinks, change_retentions }: Schemas['Overview']): Known {
  const both = [...sinks, ...change_retentions];
  return {
    pending: new Map(both.map(({ name, pending }) => [name, pending])),
    parked: new Map(both.map(({ name, parked }) => [name, parked])),
    retentions: new Set(change_retentions.map(({ name }) => name)),
  };
}

function Whole({ all }: { all: Schemas['Overview'] }) {
  const { attention, attention_count, databases, sinks, change_retentions, operations, totals, at } = all;
  const isEmpty = databases.length === 0;
  const underWay = operations.filter(isUnderWay);
  return (
    <>
      {all.is_playground && <Playground />}
      {(!isEmpty || attention.length > 0) && (
        <Attentions items={attention} all={attention_count} at={at} known={knownOf(all)} />
      )}
      {isEmpty ? <Connect /> : <Totals totals={totals} />}
      {underWay.length > 0 && (
        <Section title="In progress">
          <OperationTable rows={underWay} label="Operations in progress" />
        </Section>
      )}
      {!isEmpty && (
        <>
          <Section title="Databases">
            <Table label="Databases" columns={DATABASES} rows={databases} keyOf={({ id }) => id} />
          </Section>
          <Section title="Sinks">{sinks.length === 0 ? <NoSink /> : <SinkTable sinks={sinks} />}</Section>
        </>
      )}
      {change_retentions.length > 0 && (
        <Section title="Change retentions">
          <Table label="Change retentions" columns={RETENTIONS} rows={change_retentions} keyOf={({ id }) => id} />
        </Section>
      )}
    </>
  );
}

function SinkTable({ sinks }: { sinks: Schemas['Overview']['sinks'] }) {
  return <Table label="Sinks" columns={SINKS} rows={sinks} keyOf={({ id }) => id} />;
}

function NoSink() {
  return (
    <Empty title="No sinks yet">
      <p className="mb-4">
        A sink is where changes are sent: a search index, a webhook, a change table, or clients that pull.
      </p>
      <Link to="/sinks/new" className={buttonLook('primary')}>
        New sink
      </Link>
    </Empty>
  );
}
