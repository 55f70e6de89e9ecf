/** The next step of several orders at once. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { BulkDialog } from '../../parts/bulk.tsx'
import { TextField } from '../../parts/form.tsx'
import { formatMoney } from '../../parts/format.ts'
import type { OrderLine, RefundDue } from './words.tsx'

export type ListedOrder = Data<'listConsoleOrders'>['orders'][number]

/** By list: from which state of a line to which. */
const STEPS = {
  to_pack: { from: 'none', to: 'ready', action: 'Mark as packed' },
  to_ship: { from: 'ready', to: 'shipped', action: 'Mark as on its way' },
  shipped: { from: 'shipped', to: 'delivered', action: 'Mark as delivered' },
} as const satisfies Record<string, { from: OrderLine['state']; to: OrderLine['state']; action: string }>

export type SteppedList = keyof typeof STEPS

export const stepOf = (list: string) => (list in STEPS ? STEPS[list as SteppedList] : null)

interface StepProps {
  list: SteppedList
  orders: ListedOrder[]
  onDone: () => unknown
  onClose: () => unknown
}

export function StepDialog({ list, orders, onDone, onClose }: StepProps) {
  const [carrier, setCarrier] = useState('')
  const { from, to, action } = STEPS[list]
  const asksCarrier = to === 'shipped'
  const items = orders.map(order => ({
    key: order.id,
    name: `${order.fan.displayName ?? 'Without a name'}: ${order.units} × ${order.products.join(', ')}`,
  }))
  return (
    <BulkDialog
      title={`${action}: ${orders.length} ${orders.length === 1 ? 'order' : 'orders'}`}
      action={action}
      items={items}
      blocked={asksCarrier && carrier.trim() === '' && 'Write the carrier first.'}
      fields={
        asksCarrier && (
          <TextField
            label="Carrier"
            hint="The same for all. Add tracking numbers in each order."
            required
            max={200}
            value={carrier}
            onChange={setCarrier}
          />
        )
      }
      send={async ({ key: orderId }, reason) => {
        const { lines } = await api.readConsoleOrder({ orderId })
        for (const { number, state } of lines)
          if (state === from)
            await api.changeConsoleOrderLine({
              orderId,
              number,
              state: to,
              reason,
              ...(asksCarrier ? { carrier: carrier.trim() } : {}),
            })
      }}
      onDone={onDone}
      onClose={onClose}
    />
  )
}

interface RefundsProps {
  refunds: RefundDue[]
  onDone: () => unknown
  onClose: () => unknown
}

export const RefundsDialog = ({ refunds, onDone, onClose }: RefundsProps) => (
  <BulkDialog
    title={`Refund ${refunds.length} ${refunds.length === 1 ? 'payment' : 'payments'}`}
    action="Refund"
    tone="danger"
    items={refunds.map(({ purchaseId, price, fan }) => ({
      key: purchaseId,
      name: `${formatMoney(price.amount, price.currency)} to ${fan.displayName ?? 'a fan without a name'}`,
    }))}
    send={({ key: purchaseId }, reason) => api.refundPurchase({ purchaseId, reason })}
    onDone={onDone}
    onClose={onClose}
  />
)
