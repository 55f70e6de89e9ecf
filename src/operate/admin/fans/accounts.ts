/** A fan's accounts with their tiers, and how the tiers changed. */
import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { dataOf } from '../../../economy/events/event.ts'
import type { ApplicationEventType } from '../../../economy/events/types.ts'
import { listAccounts } from '../../../fan/status/accounts.ts'

const CHANGES = ['tier.reached', 'tier.at_risk', 'tier.lost'] as const satisfies ApplicationEventType[]
/** The timeline has all. */
const SHOWN = 50

export async function readFanAccounts(reader: Reader, fanId: string) {
  const { events } = reader.tables
  const rows = await reader
    .select()
    .from(events)
    .where(and(eq(events.userId, fanId), inArray(events.type, [...CHANGES])))
    .orderBy(desc(events.sequence))
    .limit(SHOWN)
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  const { accounts } = await listAccounts(reader, { userId: fanId })
  return {
    accounts,
    changes: rows.map(row => {
      const { accountId, tierId, toTierId, reason } = dataOf(row)
      return {
        type: CHANGES.find(type => type === row.type) ?? 'tier.lost',
        accountId: text(accountId),
        tierId: text(tierId),
        toTierId: text(toTierId),
        reason: text(reason),
        at: row.recordedAt.toISOString(),
      }
    }),
  }
}
