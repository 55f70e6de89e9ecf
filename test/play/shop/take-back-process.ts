/**
 * A process that takes back what another one takes back at the same moment: `bun take-back-process.ts DATABASE_URL CHANGE ID…`,
 * where a change is `refund` or `dispute`, of orders, `ready`, `shipped`, `delivered` or `returned`, of their first lines, `undo`, of
 * codes (`FAN/CODE`), or `erase`, of subjects (`PROVIDER/SUBJECT`).
 * Prints the outcome of each as JSON.
 */
import type { Transaction } from '../../../db/index.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { realSources } from '../../../src/core/sources.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { refund, refundByStore } from '../../../src/play/purchases/refund.ts'
import { undoUse } from '../../../src/play/rewards/corrections.ts'
import { changeLine } from '../../../src/play/shop/change-line.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { voucherCodes } from '../../../src/play/shop/vouchers.ts'
import { openPatiently } from '../../support/patience.ts'

const [url = '', change = '', ...ids] = process.argv.slice(2)
const db = openPatiently(url, realSources)

const changes: Record<string, (tx: Transaction, id: string) => Promise<unknown>> = {
  refund: (tx, id) => refund(tx, orderKind, id),
  async dispute(tx, id) {
    const order = await orderKind.find(tx, id)
    return refundByStore(tx, orderKind, id, order?.paymentReference ?? '')
  },
  ready: (tx, id) => changeLine(tx, id, 1, { state: 'ready' }),
  shipped: (tx, id) => changeLine(tx, id, 1, { state: 'shipped', carrier: 'CTT' }),
  delivered: (tx, id) => changeLine(tx, id, 1, { state: 'delivered' }),
  returned: (tx, id) => changeLine(tx, id, 1, { state: 'returned' }),
  undo(tx, id) {
    const [userId = '', code = ''] = id.split('/')
    return undoUse(tx, [voucherCodes], { userId, code })
  },
  erase(tx, id) {
    const [provider = '', subject = ''] = id.split('/')
    return eraseUser(tx, { provider, subject })
  },
}

async function outcomeOf(id: string): Promise<string> {
  try {
    await db.write(async tx => changes[change]?.(tx, id))
    return 'done'
  } catch (error) {
    if (error instanceof DomainError) return error.code
    throw error
  }
}

const outcomes: string[] = []
for (const id of ids) outcomes.push(await outcomeOf(id))
await db.close()
process.stdout.write(`${JSON.stringify(outcomes)}\n`)
