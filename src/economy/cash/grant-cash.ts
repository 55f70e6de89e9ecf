/** Cash that another system or an operator gives to a fan, once per reference. */
import type { Transaction } from '../../../db/index.ts'
import { parseInstant } from '../../core/instant.ts'
import { DomainError } from '../../core/problems.ts'
import { Closed, InstantInput } from '../../core/schemas.ts'
import { refuseField } from '../../core/transport-problems.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { type FanNaming, FanReference, resolveFan } from '../../identity/users/fan-reference.ts'
import { userProblems } from '../../identity/users/problems.ts'
import { readCashBalances } from './balances.ts'
import { cashProblems } from './problems.ts'
import { givePromotion } from './promotions.ts'

/** Keeps balances far from the largest exact integer. */
const MAX_AMOUNT = 1_000_000_000

export const CashPromotion = Closed(
  {
    fan: FanReference,
    amount: Type.Integer({
      minimum: 1,
      maximum: MAX_AMOUNT,
      description: 'Minor units of the currency.',
      examples: [500],
    }),
    currency: Type.String({
      pattern: '^[A-Z]{3}$',
      description: 'ISO 4217; one of `CASH_CURRENCIES`.',
      errorNoun: 'three capital letters, such as EUR',
      examples: ['EUR'],
    }),
    ref: Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'Identifies the promotion among those of all fans and sources. It is stored permanently in the entries, which the fan sees: it must not contain personal data.',
      examples: ['welcome-2026-4711'],
    }),
    expiresAt: Type.Optional(
      InstantInput('Cash that is not spent by then expires. If omitted, the cash does not expire.'),
    ),
    note: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'For operators. It is not part of the ledger, and an erasure deletes it.',
        examples: ['Welcome of new members'],
      }),
    ),
  },
  { title: 'CashPromotion' },
)
export type CashPromotion = Static<typeof CashPromotion>

interface Giver extends FanNaming {
  /** The system that gives. */
  source: string
  /** The currencies of cash. */
  currencies: readonly string[]
}

/**
 * Gives cash once per `ref`. A repeat for the same fan and the same amount changes nothing.
 * @throws LedgerMismatchError; DomainError `validation_failed` for an end that has passed
 */
export async function grantCash(
  tx: Transaction,
  { source, currencies, ...naming }: Giver,
  { fan, amount, currency, ref, expiresAt: end, note }: CashPromotion,
) {
  if (!currencies.includes(currency)) throw new DomainError(cashProblems.cash_not_accepted)
  const expiresAt = end === undefined ? null : parseInstant(end)
  const resolved = await resolveFan(tx, fan, naming)
  if ('missing' in resolved) throw new DomainError(userProblems.fan_not_found)
  const { userId } = resolved
  const promotion = { userId, currency, amount, ref, source, expiresAt, note: note ?? null }
  const created = await givePromotion(tx, promotion)
  // A repeat can arrive after the end of a promotion that was given in time.
  if (created && expiresAt && expiresAt <= tx.now())
    refuseField({ pointer: '/expiresAt', message: 'must be in the future' })
  const balances = await readCashBalances(tx, userId)
  const { available = 0, held = 0 } = balances.find(balance => balance.currency === currency) ?? {}
  return {
    created,
    promotion: { ref, amount, currency, expiresAt: expiresAt?.toISOString() ?? null },
    available,
    held,
  }
}
