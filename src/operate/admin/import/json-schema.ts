import { Catalogue } from '../../src/operate/admin/import/catalogue-schema.ts'
import { isObject, type Json, mapValues } from '../../src/platform/docs/json-schema.ts'

/** The schema that the import validates with, as JSON Schema draft 7. */
export function catalogJsonSchema(): Json {
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...(standardKeywords(Catalogue) as Json) }
}

/** Removes the keywords of the application. */
function standardKeywords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(standardKeywords)
  if (!isObject(value)) return value
  if (isObject(value.documentedAs)) return value.documentedAs
  const { errorNoun: _, ...schema } = value
  return mapValues(schema, standardKeywords)
}
