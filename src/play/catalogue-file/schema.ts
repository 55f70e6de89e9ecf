/** The file of a catalogue: one JSON document, or one entry with its `kind` per line (NDJSON). */

import { Closed } from '../../core/schemas.ts'
import { type TObject, Type } from '../../core/typebox.ts'
import { fileSchemaOf, kinds, type RecordKind } from './kinds.ts'

/** Records of a kind that the file omits do not change. */
export const Catalogue = Closed(
  {
    $schema: Type.Optional(Type.String({ description: 'For editors.' })),
    ...Object.fromEntries(
      kinds.map(({ kind, list, only }) => {
        const entry = fileSchemaOf(kind)
        return [list, Type.Optional(only === undefined ? Type.Array(entry) : entry)]
      }),
    ),
  },
  { title: 'Catalogue', description: 'The input of `bun run import-catalog`.' },
)

/** A line of NDJSON with the members of the entry. None for a kind whose entries have a `kind` of their own. */
export function flatLineOf(kind: RecordKind): TObject | undefined {
  const { properties } = fileSchemaOf(kind)
  return 'kind' in properties ? undefined : Closed({ kind: Type.Literal(kind), ...properties })
}

/** A line of NDJSON with the entry as a member. */
export const wrappedLineOf = (kind: RecordKind): TObject =>
  Closed({ kind: Type.Literal(kind), entry: fileSchemaOf(kind) })
