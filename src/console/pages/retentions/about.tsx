/** What a change retention is, in short. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { changer, configurationFile } from '../../lib/declared.ts';
import { plural } from '../../lib/format.ts';
import { Mono } from '../../parts/code.tsx';
import { Fact, Facts } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { destinationOf, type Retention, sourceOf } from './use-retention.ts';

export function About({ retention }: { retention: Retention }) {
  const { actions = [], filters, managed_by, declared_from, updated_at, updated_by } = retention;
  return (
    <Facts>
      <Fact label="Changes of">
        <Mono>{sourceOf(retention)}</Mono> in <Database name={retention.source_database} />
      </Fact>
      <Fact label="Kept in">
        <Mono>{destinationOf(retention)}</Mono> in <Database name={retention.destination_database} />
      </Fact>
      <Fact label="Actions">
        {actions.join(', ')}
        {Array.isArray(filters) && filters.length > 0 && `, ${plural(filters.length, 'filter')}`}
      </Fact>
      <Fact label="Managed by">{managed_by === 'file' ? configurationFile(declared_from) : 'the API'}</Fact>
      <Fact label="Changed">
        <Ago at={updated_at} />
        {updated_by !== null && ` by ${changer(updated_by)}`}
      </Fact>
    </Facts>
  );
}

const Database = ({ name }: { name: string }): ReactNode => (
  <Link to="/databases/$database" params={{ database: name }} className="text-accent underline">
    {name}
  </Link>
);
