/** The audit log as a file: NDJSON, or CSV for spreadsheets. Rows are read page by page, and never all in memory. */
import { and } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { eachPage } from '../../../../db/keyset.ts'
import { csvLine } from '../../../core/csv.ts'
import { matches, presentAuditRow } from './read.ts'
import type { AuditFilter } from './schema.ts'

export type AuditFormat = 'ndjson' | 'csv'

export const MEDIA_TYPES: Record<AuditFormat, string> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
}

/** The oldest row first, with several rows per chunk. */
export async function* exportAudit(
  reader: Reader,
  filter: Partial<typeof AuditFilter.static>,
  format: AuditFormat,
): AsyncGenerator<string> {
  const { consoleAudit } = reader.tables
  if (format === 'csv') yield csvLine(COLUMNS.map(([name]) => name))
  const pages = eachPage({ seq: consoleAudit.seq }, after =>
    reader
      .select()
      .from(consoleAudit)
      .where(and(after, matches(reader, filter))),
  )
  for await (const page of pages) {
    const entries = page.map(presentAuditRow)
    yield entries
      .map(entry =>
        format === 'csv' ? csvLine(COLUMNS.map(([, value]) => value(entry))) : `${JSON.stringify(entry)}\n`,
      )
      .join('')
  }
}

type Entry = ReturnType<typeof presentAuditRow>

const COLUMNS: [name: string, value: (entry: Entry) => string | number | null | undefined][] = [
  ['seq', ({ seq }) => seq],
  ['at', ({ at }) => at],
  ['staff_id', ({ staff }) => staff.id],
  ['staff_name', ({ staff }) => staff.name],
  ['role', ({ staff }) => staff.role],
  ['operation', ({ operation }) => operation],
  ['subject_kind', ({ subject }) => subject.kind],
  ['subject_id', ({ subject }) => subject.id],
  ['reason', ({ reason }) => reason],
  ['detail', ({ detail }) => detail && JSON.stringify(detail)],
  ['confirmed_by_id', ({ confirmedBy }) => confirmedBy?.id],
  ['confirmed_by_name', ({ confirmedBy }) => confirmedBy?.name],
  ['hash', ({ hash }) => hash],
]
