/** Accounts with tiers, seasons of a hundred days, and rules that pay into an account. */

import { eq } from 'drizzle-orm'
import { seasonKind } from '../../../src/club/seasons/season-kind.ts'
import { accountKind } from '../../../src/economy/accounts/account-kind.ts'
import { ruleKind, upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import type { World } from '../../support/world.ts'

export const DAY = 86_400_000

type Account = Parameters<typeof accountKind.upsert>[1]

let made = 0

/** The current season has begun ten days ago, the previous one a hundred days earlier. */
export async function addSeasons(world: World, names: string[] = ['last', 'this', 'next']): Promise<void> {
  const begin = world.clock.ms - 110 * DAY
  const at = (index: number) => new Date(begin + index * 100 * DAY).toISOString()
  for (const [index, id] of names.entries())
    await world.db.write(tx =>
      seasonKind.upsert(tx, { id, name: id, startsAt: at(index), endsAt: at(index + 1) }),
    )
}

const TIERS = [
  { id: 'silver', name: { en: 'Silver', pt: 'Prata' }, from: 100, benefits: ['Early entry'], graceDays: 10 },
  { id: 'gold', name: 'Gold', from: 200 },
]

export async function addAccount(world: World, entry: Partial<Account> = {}): Promise<string> {
  const id = entry.id ?? `account-${++made}`
  await world.db.write(tx =>
    accountKind.upsert(tx, {
      ...{ id, name: `Account ${id}`, unit: 'points', window: { seasons: 1 }, public: true, tiers: TIERS },
      ...entry,
    }),
  )
  return id
}

/** A rule that pays `/points` of each event into the account. Returns the type of the events. */
export async function addAccountRule(world: World, account: string): Promise<string> {
  const nth = ++made
  const eventType = `status.event-${nth}`
  await world.db.write(tx =>
    upsertRule(tx, {
      ...{ id: `status-rule-${nth}`, name: 'Attended', eventType, account },
      points: { per: '/points', every: 1, points: 1 },
    }),
  )
  return eventType
}

/** Switches off the rule of `addAccountRule` with this type of event. */
export async function endAccountRule({ db }: World, eventType: string): Promise<void> {
  const [rule] = await db.read.select().from(db.tables.rules).where(eq(db.tables.rules.eventType, eventType))
  await db.write(tx => ruleKind.deactivate(tx, rule?.id ?? ''))
}
