/** Fans with cash. */
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { readCashBalances } from '../../../src/economy/cash/balances.ts'
import { givePromotion } from '../../../src/economy/cash/promotions.ts'
import type { Client } from '../../support/client.ts'
import type { Fan, World } from '../../support/world.ts'
import { expectStatus, receipt } from '../packs/packs-world.ts'
import { userIdOf } from '../quests/quests-world.ts'

export const cashEnv = { CASH_CURRENCIES: 'EUR,GBP' }

export const startTopUp = (fan: Client, amount: number, currency = 'EUR') =>
  fan.post('/api/cash/top-ups', { amount, currency })

export const completeTopUp = (fan: Client, topUpId: string, paymentReference: string) =>
  fan.put('/api/cash/top-ups', { topUpId, paymentReference })

/** Answers the completed top-up. */
export async function topUp(fan: Client, amount: number, currency = 'EUR') {
  const { id } = expectStatus(201, await startTopUp(fan, amount, currency))
  return expectStatus(200, await completeTopUp(fan, id, await receipt(fan, id)))
}

/** Holds cash for the purchase of a pack. */
export const holdForPack = (fan: Client, purchaseId: string) =>
  fan.post('/api/packs/purchase/payment', { purchaseId, method: 'cash' })

export const promote = (
  world: World,
  userId: string,
  amount: number,
  { ref = crypto.randomUUID() as string, expiresAt = null as Date | null, currency = 'EUR' } = {},
) =>
  world.db.write(tx =>
    givePromotion(tx, { userId, currency, amount, ref, expiresAt, source: 'operator', note: null }),
  )

/** `[available, held]` in euros. */
export async function cashOf(world: World, fan: Fan | string): Promise<[number, number]> {
  const userId = typeof fan === 'string' ? fan : await userIdOf(world, fan)
  const euros = (await readCashBalances(world.db.read, userId)).find(({ currency }) => currency === 'EUR')
  return [euros?.available ?? 0, euros?.held ?? 0]
}

/** `[reason, delta]` of each entry in euros, oldest first. */
export async function cashEntriesOf(fan: Client): Promise<[string, number][]> {
  const { entries } = expectStatus(200, await fan.get('/api/cash/EUR/entries'))
  return entries.map(({ reason, delta }: { reason: string; delta: number }) => [reason, delta]).toReversed()
}

export async function findingsOf({ db }: Pick<World, 'db'>): Promise<Finding[]> {
  const found: Finding[] = []
  await verifyLedger(db, { onFinding: finding => found.push(finding) })
  return found
}
