/** What a sink is, in short. */
import { Link } from '@tanstack/react-router';
import { changer, configurationFile } from '../../../lib/declared.ts';
import { plural } from '../../../lib/format.ts';
import { Mono } from '../../../parts/code.tsx';
import { Fact, Facts } from '../../../parts/page.tsx';
import { Ago } from '../../../parts/time.tsx';
import type { SinkEntry } from '../form/entry.ts';
import { kindOf } from '../kinds.ts';
import type { Sink } from '../use-sink.ts';

const SHOWN = 5;

function tablesOf({ include_tables, include_schemas, exclude_tables, exclude_schemas }: SinkEntry['source']): string {
  const listed = (names: readonly string[]): string =>
    names.length <= SHOWN ? names.join(', ') : `${names.slice(0, SHOWN).join(', ')} and ${names.length - SHOWN} more`;
  const base =
    include_tables != null
      ? listed(include_tables)
      : include_schemas != null
        ? `all tables in ${plural(include_schemas.length, 'schema')}: ${listed(include_schemas)}`
        : 'all published tables';
  const left = [...(exclude_schemas ?? []).map((schema) => `schema ${schema}`), ...(exclude_tables ?? [])];
  return left.length === 0 ? base : `${base}, except ${listed(left)}`;
}

export function About({ sink }: { sink: Sink }) {
  const { actions = [], filters } = sink as { actions?: string[]; filters?: unknown[] };
  const kind = kindOf(sink.kind);
  const functions = (['filter', 'transform', 'routing'] as const).filter((key) => sink[key] !== 'none');
  return (
    <Facts>
      <Fact label="Kind">{kind.title}</Fact>
      <Fact label="Destination">
        <Mono>{kind.whereOf(sink.destination)}</Mono>
      </Fact>
      <Fact label="Database">
        <Link to="/databases/$database" params={{ database: sink.database }} className="text-accent hover:underline">
          {sink.database}
        </Link>
      </Fact>
      <Fact label="Tables">
        <Mono>{tablesOf((sink.source ?? {}) as SinkEntry['source'])}</Mono>
      </Fact>
      <Fact label="Changes">
        {actions.join(', ')}
        {filters !== undefined && filters.length > 0 && `, ${plural(filters.length, 'filter')}`}
      </Fact>
      <Fact label="Functions">
        {functions.length === 0
          ? 'none: rows are sent as they are'
          : functions.map((key) => `${key} ${sink[key]}`).join(', ')}
      </Fact>
      <Fact label="Managed by">{sink.managed_by === 'file' ? configurationFile(sink.declared_from) : 'the API'}</Fact>
      <Fact label="Changed">
        <Ago at={sink.updated_at} />
        {sink.updated_by !== null && ` by ${changer(sink.updated_by)}`}
      </Fact>
    </Facts>
  );
}
