/** An index compared with its tables, document by document, and repaired. */
import { useState } from 'react';
import { useCall, useGet } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Section } from '../../parts/page.tsx';
import { Empty, ErrorNote, Loaded, Note } from '../../parts/places.tsx';
import { say } from '../../parts/toast.tsx';
import { kindOf } from '../sinks/kinds.ts';
import { useSink } from '../sinks/use-sink.ts';
import { Differences } from './differences.tsx';
import { OperationTable } from './table.tsx';

export function SinkVerify() {
  const { name, kind } = useSink();
  const [asked, setAsked] = useState(false);
  const verify = useCall('post', '/api/sinks/{sink}/verifications');
  const query = useGet('/api/operations', { query: { sink: name, kind: 'verify', limit: 20 } }, { every: 2_000 });
  if (!kindOf(kind).isIndex) return <Note tone="idle">Only a search index can be compared with its tables.</Note>;
  const begin = (repair: boolean): void =>
    verify.mutate(
      { path: { sink: name }, body: { repair } },
      {
        onSuccess: () => {
          say(repair ? 'Verification and repair started' : 'Verification started');
          setAsked(false);
        },
      },
    );
  const last = query.data?.data.find(({ state }) => state === 'done');
  return (
    <>
      <Section
        title="Verifications"
        actions={
          <>
            <Button needs="operate" onClick={() => setAsked(true)}>
              Verify and repair…
            </Button>
            <Button look="primary" needs="operate" busy={verify.isPending} onClick={() => begin(false)}>
              Verify
            </Button>
          </>
        }
      >
        {verify.error && !asked && <ErrorNote error={verify.error} />}
        <Loaded query={query}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="Never verified">
                A verification reads the index and the tables and lists documents that are missing, different or without
                a row. It changes nothing unless you ask it to repair.
              </Empty>
            ) : (
              <OperationTable rows={data} label="Verifications" />
            )
          }
        </Loaded>
      </Section>
      {last && <Differences key={last.id} id={last.id} isWhole />}
      <Confirm
        title={`Verify and repair ${name}?`}
        open={asked}
        onClose={() => setAsked(false)}
        action="Verify and repair"
        look="primary"
        busy={verify.isPending}
        error={verify.error}
        onConfirm={() => begin(true)}
      >
        Rows whose document is missing or different are sent again. <strong>Documents without a row are deleted</strong>
        {last && ', as listed by the last verification below'}.
      </Confirm>
    </>
  );
}
