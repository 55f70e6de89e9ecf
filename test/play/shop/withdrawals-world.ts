/** Withdrawals, and what the gateway of a test was asked to refund. */
import { expect } from 'bun:test'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { payOutOrder } from '../../../src/play/shop/pay-out.ts'
import type { Client } from '../../support/client.ts'
import type { World } from '../../support/world.ts'

export const withdraw = (fan: Pick<Client, 'post'>, orderId: string, lines?: number[]) =>
  fan.post(`/api/user/orders/${orderId}/withdrawal`, lines ? { lines } : undefined)

export const changeLine = (warehouse: Client, orderId: string, line: number, state: string) =>
  warehouse.put(`/api/orders/${orderId}/lines/${line}`, {
    state,
    ...(state === 'shipped' ? { carrier: 'CTT' } : {}),
  })

/** The sandbox, which notes each refund once by its id, as gateways do by their key. */
export function countingPayments({ deps }: World) {
  const refunds = new Map<string, number>()
  const { sandbox } = deps.payments
  if (!sandbox) throw new Error('the world has no sandbox')
  const counting = {
    ...sandbox,
    async refund(charge: Parameters<typeof sandbox.refund>[0], reference: string) {
      await sandbox.refund(charge, reference)
      expect(refunds.get(charge.purchaseId) ?? charge.amount).toBe(charge.amount)
      refunds.set(charge.purchaseId, charge.amount)
    },
  }
  return { payments: { sandbox: counting }, refunds }
}

export async function payOut(world: World, orderId: string): Promise<Map<string, number>> {
  const { payments, refunds } = countingPayments(world)
  await payOutOrder({ ...world.deps, payments }, orderId)
  return refunds
}

export async function expectSound({ db }: Pick<World, 'db'>): Promise<void> {
  const found: unknown[] = []
  await verifyLedger(db, { onFinding: finding => found.push(finding) })
  expect(found).toEqual([])
}
