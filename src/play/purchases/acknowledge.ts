/**
 * Confirms deliveries to app stores, which otherwise refund the payment. Pending confirmations are rows of a table, so a
 * restart loses none.
 */

import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import { findGateway, type Payments } from './gateways/create.ts'
import { listUnacknowledged, markAcknowledged } from './payments.ts'

/** Payments per run. The next run or another instance continues. */
const RUN_SIZE = 50

interface AcknowledgeDeps {
  db: Database
  log: Logger
  payments: Payments
}

/**
 * Several instances may run it at the same time, since a repeat changes nothing. @throws DomainError
 * `payment_gateway_unavailable`
 */
export async function acknowledgePayments({ db, log, payments }: AcknowledgeDeps, isStopping = () => false) {
  for (const { reference, purchaseId } of await listUnacknowledged(db.read, RUN_SIZE)) {
    if (isStopping()) return
    const gateway = findGateway(payments, reference)
    // The gateway is not in use at the moment.
    if (!gateway?.acknowledge) continue
    if (!(await gateway.acknowledge(reference)))
      log.error(
        { gateway: gateway.name, purchaseId },
        'a payment needs an operator: its store takes no delivery',
      )
    await db.write(tx => markAcknowledged(tx, reference))
  }
}
