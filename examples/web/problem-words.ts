/** Words for a fan about a problem, in the language of the texts. */
import type { ProblemCode } from '@matchday/client'
import type { Text } from './lang/en.ts'

/** Codes that have the words of another one. */
const ALIKE: { [Code in ProblemCode]?: keyof Text['problems'] } = {
  request_timeout: 'network_error',
  idempotency_in_progress: 'overloaded',
  purchase_not_pending: 'order_not_pending',
  no_payment_needed: 'order_not_pending',
  purchase_expired: 'order_expired',
  top_up_expired: 'order_expired',
  sold_out: 'out_of_stock',
  joker_not_offered: 'joker_used',
  cash_not_accepted: 'payment_not_confirmed',
  payment_method_not_accepted: 'payment_not_confirmed',
  already_used: 'withdrawal_over',
  not_refundable: 'withdrawal_over',
  withdrawal_waived: 'withdrawal_over',
}

/** Undefined for codes that only a change of the app can prevent. */
export function problemWords(
  text: Text,
  { code, status }: { code: ProblemCode; status: number },
): string | undefined {
  const words: Partial<Record<ProblemCode, string>> = text.problems
  const known = words[ALIKE[code] ?? code]
  if (known !== undefined) return known
  if (code === 'sanction_not_in_force') return text.sanctions.over
  if (code.endsWith('_yourself')) return words.cannot_trade_with_yourself
  if (status === 401) return words.invalid_token
  if (status === 404 || code.endsWith('_not_found')) return text.states.gone
  return status >= 500 ? words.overloaded : undefined
}
