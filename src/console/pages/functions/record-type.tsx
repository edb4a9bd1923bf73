/** The type of a table's rows, for whoever writes functions in an editor of their own. */
import { useState } from 'react';
import { useGet } from '../../api/queries.ts';
import { tablePart } from '../../lib/sql.ts';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/code.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loaded } from '../../parts/places.tsx';

interface RecordTypeProps {
  database: string;
  /** With its schema. */
  table: string;
}

export function RecordType({ database, table }: RecordTypeProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        As TypeScript
      </Button>
      <Dialog title={`Rows of ${table} as TypeScript`} open={open} onClose={() => setOpen(false)}>
        <p>The types of record and changes, for your own editor. Functions may be written in TypeScript.</p>
        {open && <Text database={database} table={table} />}
        <div className="mt-3 flex justify-end">
          <Button onClick={() => setOpen(false)}>Close</Button>
        </div>
      </Dialog>
    </>
  );
}

function Text({ database, table }: RecordTypeProps) {
  const query = useGet('/api/postgres_databases/{database}/tables/{table}/record_type', {
    path: { database, table: tablePart(table) },
  });
  return <Loaded query={query}>{({ typescript }) => <Code text={typescript} name="TypeScript" copy="Copy" />}</Loaded>;
}
