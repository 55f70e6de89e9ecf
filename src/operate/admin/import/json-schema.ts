/** The schemas of the catalogue as JSON Schema draft 7, for editors: of files, and of the console. */
import { isObject, type Json, mapValues } from '../../../platform/docs/json-schema.ts'
import type { RecordKind } from './catalogue-records.ts'
import { Catalogue, entrySchemas } from './catalogue-schema.ts'

const DRAFT = { $schema: 'http://json-schema.org/draft-07/schema#' }

/** Of a file. */
export const catalogJsonSchema = (): Json => ({ ...DRAFT, ...(standardKeywords(Catalogue) as Json) })

/** Of an entry. */
export const entryJsonSchema = (kind: RecordKind): Json => ({
  ...DRAFT,
  ...(standardKeywords(entrySchemas[kind]) as Json),
})

/** Removes the keywords of the application. */
function standardKeywords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(standardKeywords)
  if (!isObject(value)) return value
  if (isObject(value.documentedAs)) return value.documentedAs
  const { errorNoun: _, ...schema } = value
  return mapValues(schema, standardKeywords)
}
