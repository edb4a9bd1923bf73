/** One entry: the row as it was then, what was changed, and the way to the rest of its row's history. */
import { Link } from '@tanstack/react-router';
import { JsonText } from '../../api/json-text.ts';
import { useGet } from '../../api/queries.ts';
import { buttonLook } from '../../parts/button.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { Json } from '../../parts/json.tsx';
import { Loaded } from '../../parts/places.tsx';
import { At } from '../../parts/time.tsx';
import type { Entry } from './use-entries.ts';

interface EntryProps {
  name: string;
  seq: string;
  onClose: () => void;
}

export function EntryDrawer({ name, seq, onClose }: EntryProps) {
  const query = useGet('/api/change_retentions/{sink}/entries', {
    path: { sink: name },
    query: { from_seq: seq, to_seq: seq },
  });
  const first = query.data?.data[0];
  return (
    <Drawer
      title={
        first ? (
          <>
            <bdi>
              {first.source_table_schema}.{first.source_table_name}
            </bdi>{' '}
            <bdi>{first.record_pk}</bdi>, {first.action}
          </>
        ) : (
          `Entry ${seq}`
        )
      }
      subject={seq}
      onClose={onClose}
      actions={
        first && (
          <Link
            to="/change-retentions/$retention/entries"
            params={{ retention: name }}
            search={{ record_pk: first.record_pk }}
            className={buttonLook('plain')}
          >
            All entries of this row
          </Link>
        )
      }
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-muted">This entry does not exist, or no longer does.</p>
          ) : (
            data.map((entry) => <Known key={entry.id} entry={entry} />)
          )
        }
      </Loaded>
    </Drawer>
  );
}

function Known({ entry: { id, seq, record, changes, committed_at, inserted_at } }: { entry: Entry }) {
  return (
    <div className="space-y-3">
      <p className="text-sm text-muted">
        Committed <At at={committed_at} />, kept <At at={inserted_at} />, seq <span className="font-mono">{seq}</span>
      </p>
      {changes instanceof JsonText && (
        <section>
          <h3 className="mb-1 text-sm font-medium">Previous values</h3>
          <Json text={changes.text} name="Changes" file={`entry-${id}-changes.json`} />
        </section>
      )}
      {record instanceof JsonText && (
        <section>
          <h3 className="mb-1 text-sm font-medium">Record</h3>
          <Json text={record.text} name="Record" file={`entry-${id}.json`} />
        </section>
      )}
    </div>
  );
}
