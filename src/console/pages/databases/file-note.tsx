/** The file declares it: the form is to read, until it is released to the API. */
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { say } from '../../parts/toast.tsx';
import type { Database } from './use-database.ts';

export function FileNote({ database: { name, declared_from } }: { database: Database }) {
  const [asked, ask] = useState(false);
  const release = useCall('post', '/api/postgres_databases/{database}/release');
  return (
    <div className="mb-4 flex flex-wrap items-center gap-3 rounded-md border border-line bg-surface px-4 py-3">
      <p className="min-w-0 flex-1 basis-72">
        The configuration file declares it{declared_from === null ? '' : ` (${declared_from})`}: change its entry there,
        or release it to be edited here. “As YAML” has its entry.
      </p>
      <Button needs="admin" onClick={() => ask(true)}>
        Release to the API…
      </Button>
      <Confirm
        title={`Release ${name} to the API?`}
        open={asked}
        onClose={() => ask(false)}
        look="primary"
        action="Release"
        busy={release.isPending}
        error={release.error}
        onConfirm={() =>
          release.mutate(
            { path: { database: name } },
            {
              onSuccess: () => {
                say(`${name} is edited here from now on`);
                ask(false);
              },
            },
          )
        }
      >
        <p>Its entry in the file has no effect any more, until it is adopted again.</p>
      </Confirm>
    </div>
  );
}
