/** Everything about a fan in one list, newest first. */
import type { Reader } from '../../../../../db/index.ts'
import type { Cursors } from '../../../../core/pagination.ts'
import { DomainError } from '../../../../core/problems.ts'
import { transportProblems } from '../../../../core/transport-problems.ts'
import type { Fact, TimelineItem } from './item.ts'
import type { TimelineKind } from './kinds.ts'
import { mergePage, type Positions } from './merge.ts'
import { createNames } from './names.ts'
import { type Presenting, presentRow, wantOfRow } from './present-row.ts'
import { readRelated } from './related.ts'
import { sourcesOf, type TimelineEntry } from './sources.ts'

export interface TimelinePage extends Pick<Presenting, 'personal' | 'moderation' | 'money'> {
  fanId: string
  /** Undefined: all. */
  kind: TimelineKind | undefined
  limit: number
  cursor: string | undefined
}

/**
 * Rows that exist at the first page are on exactly one page; newer rows are in the next timeline. A page with a cursor may
 * be short or empty. @throws DomainError `invalid_cursor`
 */
export async function readTimeline(
  reader: Reader,
  cursors: Cursors,
  { fanId, kind, limit, cursor, ...access }: TimelinePage,
): Promise<{ items: TimelineItem[]; nextCursor: string | null }> {
  const list = JSON.stringify(['console timeline', fanId, kind])
  const before = positionsOf(cursors.decode(list, cursor))
  const sources = await sourcesOf(reader, { fanId, kind })
  const { items: rows, positions } = await mergePage(sources, before, limit)
  return {
    items: await presentRows(reader, fanId, rows, access),
    nextCursor: positions === null ? null : cursors.encode(list, JSON.stringify(positions)),
  }
}

function positionsOf(position: string | undefined): Positions | null {
  if (position === undefined) return null
  try {
    // Guarantee of the cast: the MAC of a cursor lets through only what `readTimeline` has written.
    return JSON.parse(position) as Positions
  } catch {
    throw new DomainError(transportProblems.invalid_cursor)
  }
}

async function presentRows(
  reader: Reader,
  fanId: string,
  rows: TimelineEntry[],
  access: Pick<Presenting, 'personal' | 'moderation' | 'money'>,
): Promise<TimelineItem[]> {
  const related = await readRelated(reader, fanId, rows)
  const wanted = createNames()
  for (const row of rows) wantOfRow(row, fanId, related, wanted)
  const names = await wanted.read(reader)
  const context = { fanId, now: reader.now(), names, related, ...access }
  return rows.map(row => {
    const { kind = 'events', facts = [], ...shown } = presentRow(row, context)
    return {
      id: idOf(row),
      at: timeOf(row).toISOString(),
      kind,
      detail: null,
      tone: 'neutral' as const,
      state: null,
      points: null,
      money: null,
      event: null,
      isBare: false,
      purchaseId: null,
      otherFanId: null,
      ...shown,
      facts: facts.filter((one): one is Fact => one !== null),
    }
  })
}

function idOf({ table, row }: TimelineEntry): string {
  if (table === 'events') return `events ${row.sequence}`
  if (table === 'webhookDeliveries') return `webhooks ${row.endpointId} ${row.sequence}`
  return `${table} ${table === 'consoleAudit' ? row.seq : row.id}`
}

function timeOf({ table, row }: TimelineEntry): Date {
  if (table === 'events') return row.recordedAt
  return table === 'consoleAudit' ? row.at : row.createdAt
}
