/**
 * A process that does the same as another one at the same moment: `bun cash-process.ts DATABASE_URL CHANGE ID…`, where a
 * change is `hold`, `capture`, `release`, `refund` or `promote`. An id is that of a purchase; to hold, `PURCHASE/FAN/AMOUNT`.
 * Prints the outcome of each as JSON.
 */
import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { realSources } from '../../../src/core/sources.ts'
import { captureHold, findHold, holdCash, refundHold, releaseHold } from '../../../src/economy/cash/holds.ts'
import { givePromotion } from '../../../src/economy/cash/promotions.ts'
import { openPatiently } from '../../support/patience.ts'

const [url = '', change = '', ...ids] = process.argv.slice(2)
const db = openPatiently(url, realSources)

const changes: Record<string, (tx: Transaction, id: string) => Promise<unknown>> = {
  hold(tx, id) {
    const [purchaseId = '', userId = '', amount] = id.split('/')
    const expiresAt = new Date(tx.now().getTime() + 900_000)
    return holdCash(tx, { purchaseId, userId, currency: 'EUR', amount: Number(amount), expiresAt })
  },
  async capture(tx, id) {
    const hold = await findHold(tx, id)
    return hold !== undefined && captureHold(tx, id, hold)
  },
  release: releaseHold,
  refund: refundHold,
  promote(tx, id) {
    const [ref = '', userId = '', amount] = id.split('/')
    const given = { currency: 'EUR', expiresAt: null, source: 'operator', note: null }
    return givePromotion(tx, { ...given, ref, userId, amount: Number(amount) })
  },
}

async function outcomeOf(id: string): Promise<unknown> {
  try {
    return (await db.write(async tx => changes[change]?.(tx, id))) ?? null
  } catch (error) {
    if (error instanceof DomainError) return error.code
    throw error
  }
}

const outcomes = await Promise.all(ids.map(outcomeOf))
await db.close()
process.stdout.write(`${JSON.stringify(outcomes)}\n`)
