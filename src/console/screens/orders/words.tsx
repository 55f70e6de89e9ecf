/** The words of orders. */
import type { Data } from '../../api.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'

export type Order = Data<'readConsoleOrder'>
export type OrderLine = Order['lines'][number]
export type RefundDue = Data<'listRefundsDue'>['refunds'][number]

export const LISTS = [
  { value: 'to_pack', title: 'To pack' },
  { value: 'to_ship', title: 'To ship' },
  { value: 'shipped', title: 'On its way' },
  { value: 'refund_due', title: 'Refund due' },
  { value: 'paid', title: 'Paid' },
  { value: 'pending', title: 'Not paid' },
  { value: 'refunded', title: 'Refunded' },
  { value: 'cancelled', title: 'Cancelled' },
  { value: 'all', title: 'All' },
] as const

const STATUS: Record<string, [string, Tone]> = {
  pending: ['Not paid yet', 'neutral'],
  paid: ['Paid', 'info'],
  fulfilled: ['Arrived', 'good'],
  expired: ['Expired', 'neutral'],
  cancelled: ['Cancelled', 'neutral'],
  refund_due: ['Refund due', 'bad'],
  refunded: ['Refunded', 'warn'],
}

export function StatusBadge({ status }: { status: string }) {
  const [title, tone] = STATUS[status] ?? [status, 'neutral']
  return <Badge tone={tone}>{title}</Badge>
}

const STATE: Record<OrderLine['state'], [string, Tone]> = {
  none: ['To pack', 'warn'],
  ready: ['To ship', 'info'],
  shipped: ['On its way', 'accent'],
  delivered: ['Delivered', 'good'],
  returned: ['Returned', 'neutral'],
}

// Guarantee of the cast: it is a key of the object.
export const stateTitle = (state: string) => (state in STATE ? STATE[state as OrderLine['state']][0] : state)

export function StateBadge({ state }: { state: OrderLine['state'] }) {
  const [title, tone] = STATE[state]
  return <Badge tone={tone}>{title}</Badge>
}

export const KINDS: Record<RefundDue['kind'], string> = { pack: 'Pack', order: 'Order', top_up: 'Top-up' }
