import { Catalogue } from '../../src/admin/import/catalogue-schema.ts'
import { isObject, type Json, mapValues } from '../../src/docs/json-schema.ts'

/** The schema that the import itself checks by, as JSON Schema (draft 7) has it. */
export function catalogJsonSchema(): Json {
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...(plain(Catalogue) as Json) }
}

/** Without what only our own checks understand. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  const { errorNoun: _, ...schema } = value
  return mapValues(schema, plain)
}
