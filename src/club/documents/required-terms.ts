/** The terms that every fan must accept: the current document of the purpose `terms`, if it is `required`. */
import { and, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'

/** The purpose of the terms of the club. */
export const TERMS = 'terms'

/** The stated settings as JSON. `termsVersion` is that of the required terms, unless the club states another one. */
export const withRequiredTerms =
  (readStated: (reader: Reader) => Promise<string | null>) =>
  async (reader: Reader): Promise<string | null> => {
    const stated = await readStated(reader)
    const required = await selectRequired(reader, TERMS)
    if (!required) return stated
    const members: object = JSON.parse(stated ?? '{}')
    return JSON.stringify({ termsVersion: required.version, ...members })
  }

const selectRequired = preparedRow((reader: Reader, purpose: string) => {
  const { documents } = reader.tables
  return reader
    .select({ version: documents.version })
    .from(documents)
    .where(and(eq(documents.active, true), eq(documents.purpose, purpose), eq(documents.required, true)))
})
