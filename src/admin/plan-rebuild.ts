/**
 * What a rebuild is: a second search sink beside the old one, the same but for its index and perhaps its transform, with a
 * backfill of all its tables. Pure; it is written by the catalog's own apply.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Catalog, CatalogSink } from '../catalog/store.ts';
import type { SinkSettings } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import { nearest } from '../model/finding.ts';
import { Name } from '../model/scalars.ts';
import type { IndexPlace, SinkIndex } from '../sinks/contract.ts';
import { kindOfType } from '../sinks/kinds.ts';
import { titleOf } from './find-sink.ts';
import { noSuch } from './no-such.ts';

export interface RebuildRequest {
  sink: string;
  /** The new index. */
  index: string;
  /** A function's name, or `none`; absent: as before. */
  transform?: string | undefined;
  /** Of the new sink. */
  name?: string | undefined;
}

export interface RebuildPlan {
  old: CatalogSink;
  settings: SinkSettings;
  /** What its kind knows of its indexes, and their names. */
  kind: SinkIndex;
  before: string;
  after: string;
  /** The new sink is there already: an earlier call made it. */
  exists: boolean;
}

const refused = (message: string, remedy: string): MillraceError =>
  new MillraceError('bad_request', message, { remedy });

/** @throws MillraceError not_found, bad_request. */
export function planRebuild(catalog: Catalog, request: RebuildRequest): RebuildPlan {
  const old = catalog.sinks.find(({ name }) => name === request.sink);
  const searches = catalog.sinks.filter(({ traits }) => traits.readable).map(({ name }) => name);
  if (!old) throw noSuch('sink', request.sink, searches);
  const { destination } = old.settings;
  const kind = kindOfType(old.kind)?.index;
  if (!kind || !old.index) {
    const message = `sink ${old.name} is ${titleOf(old)}: only a search index is rebuilt`;
    throw refused(message, `Name one of: ${searches.join(', ') || 'none is declared'}.`);
  }
  if (old.settings.routing !== null) {
    throw refused(
      `sink ${old.name} routes with ${old.settings.routing}: a second one would write into the same indexes`,
      'Declare a second sink with another routing function and `initial_backfill: true` in millrace.yaml.',
    );
  }
  if (old.index.name === request.index)
    throw refused(`${request.index} is the index of ${old.name} already`, 'Name the new index.');
  const settings = {
    ...old.settings,
    name: newName(old, request),
    status: 'active' as const,
    transform: transformOf(catalog, old, request.transform),
    initial_backfill: true as const,
    destination: kind.at(destination, request.index),
  };
  const place = { ...old.index, name: request.index };
  const exists = existing(catalog, { settings, place }, request);
  checkIndexIsFree(catalog, { settings, place });
  return { old, settings, kind, before: old.index.name, after: place.name, exists };
}

interface NewSink {
  settings: SinkSettings;
  place: IndexPlace;
}

function newName(old: CatalogSink, { index, name }: RebuildRequest): string {
  const chosen = name ?? `${old.name}-${index}`;
  if (Name.safeParse(chosen).success && chosen !== old.name) return chosen;
  throw refused(
    `${chosen} cannot be the name of the new sink`,
    'Give one with --name: at most 120 letters, digits, `_`, `-` and `.`, another one than the old.',
  );
}

function transformOf(catalog: Catalog, old: CatalogSink, wanted: string | undefined): string | null {
  if (wanted === undefined) return old.settings.transform;
  if (wanted === 'none' || wanted === '') return null;
  const fitting = catalog.functions.filter(({ type }) => type === 'transform' || type === 'path');
  const found = catalog.functions.find(({ name }) => name === wanted);
  if (found && fitting.includes(found)) return wanted;
  const names = fitting.map(({ name }) => name);
  const close = nearest(wanted, names);
  throw refused(
    found ? `function ${wanted} is of type ${found.type}` : `there is no function ${wanted}`,
    `${close === undefined ? '' : `Did you mean ${close}? `}Transforms: ${names.join(', ') || 'none'}. Declare it in millrace.yaml first.`,
  );
}

function existing(catalog: Catalog, { settings, place }: NewSink, request: RebuildRequest): boolean {
  const sink = catalog.sinks.find(({ name }) => name === settings.name);
  if (!sink) return false;
  const found = sink.settings;
  const isIt =
    isDeepStrictEqual(sink.index, place) &&
    found.database === settings.database &&
    isDeepStrictEqual(found.source, settings.source) &&
    (request.transform === undefined || found.transform === settings.transform);
  if (isIt) return true;
  throw refused(
    `there is a sink ${settings.name} already, and it is not this rebuild`,
    `Give another name with --name, or remove it: bin/millrace sink remove ${settings.name}`,
  );
}

/** Two sinks that write the same documents of one index would overwrite each other. */
function checkIndexIsFree(catalog: Catalog, { settings, place }: NewSink): void {
  const other = catalog.sinks.find(({ name, index }) => name !== settings.name && isDeepStrictEqual(index, place));
  if (other)
    throw refused(`sink ${other.name} writes into ${place.name}`, 'Name an index that no other sink writes into.');
}
