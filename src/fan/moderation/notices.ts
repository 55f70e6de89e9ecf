/** Notices of illegal content, by people without an account (Regulation (EU) 2022/2065, Article 16). */
import { hash } from 'node:crypto'
import { and, asc, count, eq, inArray, isNotNull, isNull, lt, min, sql } from 'drizzle-orm'
import { inBatches } from '../../../db/batches.ts'
import type { Database, Reader, Tables, Transaction } from '../../../db/index.ts'
import { NOBODY } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import type { Moderator } from '../../identity/sanctions/decisions.ts'
import { lockHandle } from '../../identity/users/locks.ts'
import { readShownProfile } from '../../identity/users/public-profile.ts'
import { readShelves } from '../../play/lockers/lockers.ts'
import type { NoticeSubject } from './notice-kinds.ts'
import type { NewNotice, NoticeReceipt } from './notice-schema.ts'
import { noticeProblems } from './problems.ts'

export type Notice = Tables['contentNotices']['$inferSelect']

/** Open notices about the same content that are kept. A constraint of the table has the same number. */
export const MAX_OPEN = 20

/** Days after the decision: the notifier can ask about it for six months, as Article 20 has it for complaints. */
export const CLEARED_AFTER_DAYS = 184

/** Addresses of content that everyone can read. */
const ADDRESSES: { pattern: RegExp; kind: NoticeSubject }[] = [
  { pattern: /^\/lockers\/(\w{3,20})\/?$/, kind: 'locker' },
  { pattern: /^\/fans\/(\w{3,20})\/?$/, kind: 'fan' },
  { pattern: /^\/shared\/predictions\/[^/]{1,200}\/(\w{3,20})\/?$/, kind: 'fan' },
]

/** The subject that the notifier names, or whose address they give. */
function subjectOf({ subject, location }: Pick<NewNotice, 'subject' | 'location'>) {
  if (subject) return subject
  const path = URL.parse(location?.trim() ?? '', 'http://localhost')?.pathname ?? ''
  for (const { pattern, kind } of ADDRESSES) {
    const [, id] = pattern.exec(path) ?? []
    if (id !== undefined) return { kind, id }
  }
  return undefined
}

/**
 * Files a notice. The answer does not tell whether the content exists. Beyond `MAX_OPEN` open notices about the same content it is
 * counted with one of them. `language`: in which the notifier is told the decision.
 */
export const fileNotice = (db: Database, notice: NewNotice, language: string): Promise<NoticeReceipt> =>
  db.write(tx => recordNotice(tx, notice, language))

/** As `fileNotice`. */
export async function recordNotice(
  tx: Transaction,
  notice: NewNotice,
  language: string,
): Promise<NoticeReceipt> {
  const { category, location, explanation, name, email } = notice
  const subject = subjectOf(notice)
  // An erasure of the fan waits, and clears the notice as well.
  const fan = subject && (await lockHandle(tx, subject.id.toLowerCase()))
  const known = subject && fan && { ...subject, fanId: fan.id }
  const content = known ? `${known.kind} ${known.fanId}` : `place ${placeOf(subject?.id ?? location ?? '')}`
  const evidence = known && JSON.stringify(await readEvidence(tx, known))
  const row = {
    content,
    category,
    subjectKind: subject?.kind ?? null,
    fanId: known?.fanId ?? null,
    reference: subject?.id ?? null,
    location: location ?? null,
    explanation,
    evidence: evidence ?? null,
    name: name ?? null,
    email: email ?? null,
    language,
    createdAt: tx.now(),
  }
  // Each repetition follows a notice of another unit of work, or a decision.
  for (;;) {
    const place = await findPlace(tx, content)
    const filed =
      place === undefined ? await countWithOther(tx, content) : await insertAt(tx, { ...row, place })
    if (filed) return { receipt: filed.id, createdAt: tx.now().toISOString(), merged: place === undefined }
  }
}

/** Of the same text in other capitals or spaces, the same. */
const placeOf = (text: string) =>
  hash(
    'sha256',
    text
      .trim()
      .toLowerCase()
      .replace(/\s{1,2000}/g, ' '),
  )

async function readEvidence(tx: Transaction, { kind, fanId }: { kind: NoticeSubject; fanId: string }) {
  const profile = await readShownProfile(tx, fanId)
  return kind === 'fan' ? profile : { ...profile, locker: await readShelves(tx, NOBODY, fanId) }
}

/** The first place that no open notice about the content has. */
async function findPlace(tx: Transaction, content: string): Promise<number | undefined> {
  const { contentNotices: notices } = tx.tables
  const taken = await tx
    .select({ place: notices.place })
    .from(notices)
    .where(and(eq(notices.content, content), isNull(notices.decidedAt)))
  const places = new Set(taken.map(({ place }) => place))
  return Array.from({ length: MAX_OPEN }, (_, index) => index + 1).find(place => !places.has(place))
}

/** Undefined if another unit of work has taken the place. */
async function insertAt(tx: Transaction, row: Omit<Notice, 'id' | 'repeats' | UndecidedMember>) {
  const { contentNotices } = tx.tables
  const [filed] = await tx
    .insert(contentNotices)
    .values({ ...row, id: tx.newId(), repeats: 0 })
    .onConflictDoNothing()
    .returning({ id: contentNotices.id })
  return filed
}

type UndecidedMember =
  | 'decidedAt'
  | 'actionTaken'
  | 'answer'
  | 'decidedBy'
  | 'decidedById'
  | 'decisionId'
  | 'clearedAt'

/** Undefined if its last place is free by now. */
async function countWithOther(tx: Transaction, content: string) {
  const { contentNotices: notices } = tx.tables
  const [counted] = await tx
    .update(notices)
    .set({ repeats: sql`${notices.repeats} + 1` })
    .where(and(eq(notices.content, content), eq(notices.place, MAX_OPEN), isNull(notices.decidedAt)))
    .returning({ id: notices.id })
  return counted
}

export interface NoticeDecision extends Moderator {
  actionTaken: boolean
  /** What the notifier is told, in their language. */
  answer: string
  decisionId?: string | undefined
}

/** Once, if several decide at the same time. @throws DomainError `notice_not_open` */
export async function decideNotice(
  tx: Transaction,
  noticeId: string,
  decision: NoticeDecision,
): Promise<Notice> {
  const { contentNotices: notices } = tx.tables
  const [decided] = await tx
    .update(notices)
    .set({ ...decision, decidedAt: tx.now() })
    .where(and(eq(notices.id, noticeId), isNull(notices.decidedAt)))
    .returning()
  if (!decided) throw new DomainError(noticeProblems.notice_not_open)
  return decided
}

export async function findNotice(reader: Reader, noticeId: string): Promise<Notice | undefined> {
  const { contentNotices: notices } = reader.tables
  const [found] = await reader.select().from(notices).where(eq(notices.id, noticeId))
  return found
}

/** `since`: when the oldest was filed. */
export async function countOpenNotices(reader: Reader): Promise<{ open: number; since: Date | null }> {
  const { contentNotices: notices } = reader.tables
  const [row] = await reader
    .select({ open: count(), since: min(notices.createdAt) })
    .from(notices)
    .where(isNull(notices.decidedAt))
  return row ?? { open: 0, since: null }
}

export interface Notifier {
  name: string | null
  email: string | null
}

/** @throws DomainError `notice_not_found` */
export async function readNotifier(reader: Reader, noticeId: string): Promise<Notifier> {
  const notice = await findNotice(reader, noticeId)
  if (!notice) throw new DomainError(noticeProblems.notice_not_found)
  const { name, email } = notice
  return { name, email }
}

/** For notifiers who ask for it. The notice stays. @throws DomainError `notice_not_found` */
export async function deleteNotifier(tx: Transaction, noticeId: string): Promise<void> {
  const { contentNotices: notices } = tx.tables
  const [found] = await tx.update(notices).set(NO_NOTIFIER).where(eq(notices.id, noticeId)).returning()
  if (!found) throw new DomainError(noticeProblems.notice_not_found)
}

/** Deletes the texts and the notifiers of notices that were decided long ago. What reports of a year count stays. */
export function clearOldNotices(db: Database): Promise<number> {
  const { contentNotices: notices } = db.tables
  return inBatches(db, async (tx, size) => {
    const before = new Date(tx.now().getTime() - CLEARED_AFTER_DAYS * 86_400_000)
    const due = tx
      .select({ id: notices.id })
      .from(notices)
      .where(and(isNull(notices.clearedAt), isNotNull(notices.decidedAt), lt(notices.decidedAt, before)))
      .orderBy(asc(notices.decidedAt))
      .limit(size)
    const cleared = await tx
      .update(notices)
      .set({ ...NO_TEXTS, ...NO_NOTIFIER, clearedAt: tx.now() })
      .where(inArray(notices.id, due))
      .returning({ id: notices.id })
    return cleared.length
  })
}

const NO_TEXTS = { reference: null, location: null, explanation: null, evidence: null, answer: null }
const NO_NOTIFIER = { name: null, email: null }
