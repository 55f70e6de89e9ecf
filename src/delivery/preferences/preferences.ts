/** Which messages fans want, and how. A fan without a row has the defaults. */
import { eq } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { CATEGORIES, type Category, MARKETING } from '../../club/notifications/categories.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { refuseField, transportProblems } from '../../core/transport-problems.ts'
import { lacksGuardian } from '../../identity/users/age.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'
import type { NotificationPreferences, NotificationPreferencesChange } from './schema.ts'

type PreferenceRow = Tables['notificationPreferences']['$inferSelect']
type StatedPreferences = Omit<PreferenceRow, 'userId'>

const DEFAULTS: StatedPreferences = {
  accountPush: true,
  ordersPush: true,
  rewardsPush: true,
  rewardsInbox: true,
  matchPush: true,
  matchInbox: true,
  socialPush: true,
  socialInbox: true,
  marketingPush: false,
  marketingInbox: false,
  quietFrom: null,
  quietTo: null,
  timeZone: null,
}

/** Which messages a fan wants, by category. */
export type Switches = Pick<Preferences, 'push' | 'inbox'>

/** What holds for a fan: their choice, the consent to marketing, and the zone of the club. */
export interface Preferences {
  push: Record<Category, boolean>
  inbox: Record<Category, boolean>
  /** Minutes of the day in `timeZone`: from inclusive, to exclusive. `to` is of the next day if it is less. */
  quiet: { from: number; to: number } | null
  timeZone: string
}

/** Each fan has an entry. */
export async function readPreferences(reader: Reader, userIds: string[]): Promise<Map<string, Preferences>> {
  const ids = [...new Set(userIds)]
  if (ids.length === 0) return new Map()
  const rows = new Map((await selectPreferences(reader, toList(ids))).map(row => [row.userId, row]))
  const wanting = ids.filter(id => rows.get(id)?.marketingPush || rows.get(id)?.marketingInbox)
  const consenting =
    wanting.length === 0 ? none : await reader.spine.preferences.readConsenting(reader, wanting, MARKETING)
  const clubZone = await timeZoneOf(reader)
  return new Map(ids.map(id => [id, inForce(rows.get(id) ?? DEFAULTS, consenting.has(id), clubZone)]))
}

const none: ReadonlySet<string> = new Set()

const selectPreferences = prepared((reader: Reader, userIds: string) => {
  const { notificationPreferences: preferences } = reader.tables
  return reader
    .select()
    .from(preferences)
    .where(isListed(reader, preferences.userId, userIds))
})

function inForce(row: StatedPreferences, consents: boolean, clubZone: string): Preferences {
  const { push, inbox } = switchesOf(row)
  const marketing = { push: push.marketing && consents, inbox: inbox.marketing && consents }
  return {
    push: { ...push, marketing: marketing.push },
    inbox: { ...inbox, marketing: marketing.inbox },
    quiet: row.quietFrom === null || row.quietTo === null ? null : { from: row.quietFrom, to: row.quietTo },
    timeZone: row.timeZone ?? clubZone,
  }
}

const switchesOf = (row: StatedPreferences) => ({
  push: {
    account: row.accountPush,
    orders: row.ordersPush,
    rewards: row.rewardsPush,
    match: row.matchPush,
    social: row.socialPush,
    marketing: row.marketingPush,
  },
  inbox: {
    account: true as const,
    orders: true as const,
    rewards: row.rewardsInbox,
    match: row.matchInbox,
    social: row.socialInbox,
    marketing: row.marketingInbox,
  },
})

/** Of a fan who has chosen nothing. */
export const DEFAULT_SWITCHES = switchesOf(DEFAULTS)

/** What the fan has chosen. */
export async function readOwnPreferences(
  reader: Reader,
  { userId }: Viewer,
): Promise<NotificationPreferences> {
  const [row = DEFAULTS] = await selectPreferences(reader, toList([userId]))
  const { push, inbox } = switchesOf(row)
  const of = <const Name extends Category>(name: Name) => ({ push: push[name], inbox: inbox[name] })
  return {
    account: of('account'),
    orders: of('orders'),
    rewards: of('rewards'),
    match: of('match'),
    social: of('social'),
    marketing: of('marketing'),
    quiet:
      row.quietFrom === null || row.quietTo === null
        ? null
        : { from: timeOf(row.quietFrom), to: timeOf(row.quietTo) },
    timeZone: row.timeZone,
  }
}

/** One statement, so that concurrent changes of different members both count. */
export async function changePreferences(
  tx: Transaction,
  { userId }: Caller,
  change: NotificationPreferencesChange,
): Promise<NotificationPreferences> {
  const set = columnsOf(change)
  if (Object.keys(set).length > 0) {
    if (await lacksGuardian(tx, userId)) await requireOnlyLess(tx, userId, set)
    const { notificationPreferences: preferences } = tx.tables
    await tx
      .insert(preferences)
      .values({ ...DEFAULTS, ...set, userId })
      .onConflictDoUpdate({ target: preferences.userId, set })
    if (change.quiet !== undefined || change.timeZone !== undefined)
      await tx.spine.preferences.decideAgain(tx, userId)
  }
  return readOwnPreferences(tx, { userId })
}

/** They may switch messages off, and set quiet hours if they have none. @throws DomainError `guardian_consent_required` */
async function requireOnlyLess(tx: Transaction, userId: string, set: Partial<StatedPreferences>) {
  const [before = DEFAULTS] = await selectPreferences(tx, toList([userId]))
  // Guarantee of the cast: `columnsOf` names columns.
  const names = Object.keys(set) as (keyof StatedPreferences)[]
  const isLess = (name: keyof StatedPreferences) =>
    set[name] === false || set[name] === before[name] || (name !== 'timeZone' && before[name] === null)
  if (!names.every(isLess)) throw new DomainError(transportProblems.guardian_consent_required)
}

function columnsOf({
  quiet,
  timeZone,
  ...switches
}: NotificationPreferencesChange): Partial<StatedPreferences> {
  if (quiet && quiet.from === quiet.to)
    refuseField({ pointer: '/quiet/to', message: 'must not be the same as from' })
  const chosen = CATEGORIES.flatMap(category => {
    const { push, inbox } = switches[category] ?? {}
    return [
      ...(push === undefined ? [] : [[`${category}Push`, push] as const]),
      // The schema accepts only true for those without a column.
      ...(inbox === undefined || !(`${category}Inbox` in DEFAULTS)
        ? []
        : [[`${category}Inbox`, inbox] as const]),
    ]
  })
  return {
    ...Object.fromEntries(chosen),
    ...(quiet === undefined
      ? {}
      : { quietFrom: quiet && minuteOf(quiet.from), quietTo: quiet && minuteOf(quiet.to) }),
    ...(timeZone === undefined ? {} : { timeZone }),
  }
}

const timeOf = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

/** Of a time that the schema accepts. */
const minuteOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** For `export-user`. */
export async function exportPreferences(reader: Reader, userId: string) {
  const rows = await selectPreferences(reader, toList([userId]))
  return rows.length === 0 ? null : readOwnPreferences(reader, { userId })
}

/** For an erasure. */
export async function deletePreferences(tx: Transaction, userId: string): Promise<void> {
  const { notificationPreferences: preferences } = tx.tables
  await tx.delete(preferences).where(eq(preferences.userId, userId))
}
