/** Reads the types of a source that are not Postgres' own from its catalog, with everything inside them. The usual table asks nothing. */
import { builtIn, KINDS, type TypeAttribute, type TypeInfo } from '../codec/types.ts';
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

interface TypeRow {
  oid: number;
  schema: string;
  name: string;
  typtype: string;
  category: string;
  element_oid: number;
  delimiter: string;
  base_oid: number;
  subtype_oid: number;
  extension: string | null;
  attributes: string;
}

const TYPES = statement('source/types');

/**
 * Reads the types `oids` of the source, and all that they are made of, from its catalog. Asks nothing when every one is
 * Postgres' own. Oids that do not exist (any more) are left out. Call it for each Relation message: attributes of a
 * composite type change without notice.
 */
export async function loadTypes(source: Queryable, oids: Iterable<number>): Promise<Map<number, TypeInfo>> {
  const wanted = [...new Set(oids)].filter((oid) => !builtIn.has(oid));
  if (wanted.length === 0) return new Map();
  const { rows } = await source.query<TypeRow>(TYPES, [wanted]);
  return new Map(rows.map((row) => [Number(row.oid), fromRow(row)]));
}

function fromRow(row: TypeRow): TypeInfo {
  return {
    oid: Number(row.oid),
    schema: row.schema,
    name: row.name,
    kind: KINDS[row.typtype] ?? 'base',
    category: row.category,
    elementOid: Number(row.element_oid) || null,
    delimiter: row.delimiter,
    baseOid: Number(row.base_oid) || null,
    attributes: JSON.parse(row.attributes) as TypeAttribute[],
    subtypeOid: Number(row.subtype_oid) || null,
    extension: row.extension,
  };
}
