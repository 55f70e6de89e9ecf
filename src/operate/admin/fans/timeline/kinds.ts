/** The filters of the timeline, and the events of each kind. */
import { type Column, not, or, type SQL, sql } from 'drizzle-orm'
import type { ApplicationEventType } from '../../../../economy/events/types.ts'

export const TIMELINE_KINDS = [
  'events',
  'points',
  'cash',
  'quests',
  'rewards',
  'packs',
  'trades',
  'orders',
  'memberships',
  'moderation',
  'webhooks',
  'console',
] as const
export type TimelineKind = (typeof TIMELINE_KINDS)[number]

/** Events of the application by namespace; all others have the kind `events`. */
const NAMESPACES = {
  points: ['points'],
  quests: ['quest', 'set'],
  rewards: ['reward', 'code'],
  packs: ['pack', 'purchase'],
  trades: ['trade'],
  orders: ['order'],
  memberships: ['membership'],
  moderation: ['report', 'appeal'],
} satisfies Partial<Record<TimelineKind, string[]>>

/** Types that are not shown, since rows of other tables say more: ledger entries, decisions, trades and orders. */
export const TOLD_BY_ROWS = [
  'points.changed',
  'cash.changed',
  'sanction.applied',
  'sanction.lifted',
  'trade.offered',
  'order.created',
] as const satisfies ApplicationEventType[]

export function kindOfEvent(type: string): TimelineKind {
  const [namespace = ''] = type.split('.', 1)
  // Guarantee of the cast: a key of the constant.
  for (const [kind, namespaces] of Object.entries(NAMESPACES))
    if (namespaces.includes(namespace)) return kind as keyof typeof NAMESPACES
  return 'events'
}

const namespacesOf = (kind: TimelineKind): string[] | undefined =>
  (NAMESPACES as Partial<Record<TimelineKind, string[]>>)[kind]

/** `shop.purchase` of another system as “Shop purchase”. */
export function typeInWords(type: string): string {
  const words = type.replaceAll(/[._-]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Whether a kind has events. */
export const hasEvents = (kind: TimelineKind | undefined): boolean =>
  kind === undefined || kind === 'events' || namespacesOf(kind) !== undefined

/** SQL: whether an event of this type is shown for a filter. */
export function isShownType(type: Column, kind: TimelineKind | undefined): SQL | undefined {
  const shown = sql`${type} not in (${sql.raw(TOLD_BY_ROWS.map(name => `'${name}'`).join(', '))})`
  if (kind === undefined) return shown
  // `/` follows `.` in the order of bytes.
  const within = (namespaces: string[]) =>
    or(
      ...namespaces.map(
        name => sql`(${type} >= ${sql.raw(`'${name}.'`)} and ${type} < ${sql.raw(`'${name}/'`)})`,
      ),
    ) ?? sql`false`
  const own = namespacesOf(kind)
  const condition = own ? within(own) : not(within(Object.values(NAMESPACES).flat()))
  return sql`${shown} and ${condition}`
}
