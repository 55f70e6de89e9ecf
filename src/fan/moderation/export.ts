import { asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { presentReport } from './reports.ts'

/** The reports that a fan has filed, in their order. */
export async function exportReports(reader: Reader, userId: string) {
  const { reports } = reader.tables
  const rows = await reader
    .select()
    .from(reports)
    .where(eq(reports.reporterId, userId))
    .orderBy(asc(reports.createdAt), asc(reports.id))
  return rows.map(presentReport)
}
