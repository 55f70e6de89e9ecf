/** Notices of illegal content as moderators read them: without who sent them. */
import { and, asc, desc, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { readHandles } from '../../identity/users/handles.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'
import type { NoticeCategory, NoticeSubject } from './notice-kinds.ts'
import { wordsFor } from './notice-page/words.ts'
import type { Notice } from './notices.ts'

export type NoticeState = 'open' | 'decided'

/** Open ones, the oldest first, or decided ones, newest first. @throws DomainError `invalid_cursor` */
export async function listNotices(
  reader: Reader,
  cursors: Cursors,
  state: NoticeState,
  { limit, cursor }: Page,
) {
  const { contentNotices: notices } = reader.tables
  const list = `console notices ${state}`
  const after = cursors.decodeTimed(list, cursor)
  const { id, createdAt, decidedAt } = notices
  const position = after && sql`(${sql.param(after.at, createdAt)}, ${after.id})`
  const rows = await reader
    .select()
    .from(notices)
    .where(
      state === 'open'
        ? and(isNull(decidedAt), position && sql`(${createdAt}, ${id}) > ${position}`)
        : and(isNotNull(decidedAt), position && sql`(${decidedAt}, ${id}) < ${position}`),
    )
    .orderBy(...(state === 'open' ? [asc(createdAt), asc(id)] : [desc(decidedAt), desc(id)]))
    .limit(limit + 1)
  const { shown, nextCursor } = cutPage(rows, limit, row =>
    cursors.encodeTimed(list, { at: row.decidedAt ?? row.createdAt, id: row.id }),
  )
  const handles = await readHandles(
    reader,
    shown.flatMap(({ fanId }) => fanId ?? []),
  )
  const timeZone = await timeZoneOf(reader)
  return {
    notices: shown.map(row => ({
      id: row.id,
      // Guarantee of the casts: only `fileNotice` writes them.
      category: row.category as NoticeCategory,
      subjectKind: row.subjectKind as NoticeSubject | null,
      fan: row.fanId === null ? null : { id: row.fanId, handle: handles.get(row.fanId) ?? null },
      reference: row.reference,
      location: row.location,
      explanation: row.explanation,
      evidence: row.evidence === null ? null : JSON.parse(row.evidence),
      repeats: row.repeats,
      hasNotifier: row.email !== null,
      createdAt: row.createdAt.toISOString(),
      decidedAt: row.decidedAt?.toISOString() ?? null,
      actionTaken: row.actionTaken,
      decidedBy: row.decidedBy,
      reply: replyTo(row, timeZone),
    })),
    nextCursor,
  }
}

/** What the notifier is told (Article 16 (5) and (6)), in their language. Null while nothing is decided, and once it was deleted. */
function replyTo({ id, language, createdAt, actionTaken, answer }: Notice, timeZone: string): string | null {
  if (answer === null) return null
  const { lang, reply } = wordsFor([language])
  const day = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone }).format(createdAt)
  const fill = (text: string) => text.replace('{receipt}', id).replace('{day}', day)
  const { subject, received, acted, refused, manual, redress } = reply
  return [
    fill(subject),
    `${fill(received)} ${actionTaken ? acted : refused}`,
    answer,
    `${manual} ${redress}`,
  ].join('\n\n')
}
