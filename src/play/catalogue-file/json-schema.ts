/** The schemas of the catalogue as JSON Schema draft 7, for editors: of files, and of the console. */
import type { Overridden } from '../../club/catalogue/kind.ts'
import { withNullMembers } from '../../club/catalogue/null-members.ts'
import type { TSchema } from '../../core/typebox.ts'
import { isObject, type Json, mapValues } from '../../platform/docs/json-schema.ts'
import { fileSchemaOf, kindNamed, type RecordKind } from './kinds.ts'
import { Catalogue } from './schema.ts'

const DRAFT = { $schema: 'http://json-schema.org/draft-07/schema#' }

/** The schema of a file. Guarantee of the casts here: our schemas are of objects. */
export function catalogJsonSchema(): Json {
  const properties = mapValues(Catalogue.properties, of => withNullMembers(of as TSchema))
  return { ...DRAFT, ...(standardKeywords({ ...Catalogue, properties }) as Json) }
}

/** The schema of an entry, for forms. Members that cannot change once the entry exists, or have no effect, are `readOnly`. */
export function entryJsonSchema(kind: RecordKind, overridden: Overridden[] = []): Json {
  const { fixed } = kindNamed(kind)
  const { properties, ...json } = standardKeywords(fileSchemaOf(kind)) as Json
  const isFixed = (name: string) => name === 'id' || fixed.some(member => member === name)
  const members = Object.entries(properties as Record<string, Json>).map(([name, member]) => {
    const found = overridden.find(other => other.member === name)
    const description = found && `Set by ${found.by}, which wins: ${JSON.stringify(found.value)}.`
    return [
      name,
      { ...member, ...(description && { description }), ...((found || isFixed(name)) && { readOnly: true }) },
    ]
  })
  return { ...DRAFT, ...json, properties: Object.fromEntries(members) }
}

/** Removes the keywords of the application. */
function standardKeywords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(standardKeywords)
  if (!isObject(value)) return value
  if (isObject(value.documentedAs)) return value.documentedAs
  const { errorNoun: _, ...schema } = value
  return mapValues(schema, standardKeywords)
}
