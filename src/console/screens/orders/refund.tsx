/** Refunds a payment to its source, once. */
import { api } from '../../api.ts'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { formatMoney } from '../../parts/format.ts'
import { toast } from '../../parts/toast.tsx'
import type { Order } from './words.tsx'

interface RefundDialogProps {
  purchaseId: string
  price: { amount: number; currency: string }
  of?: Order['refund']
  onClose: () => unknown
  onDone: () => unknown
}

const WHERE = {
  points: 'The points go back to the ledger of the fan.',
  cash: 'The cash goes back to the balance of the fan.',
  gateway: 'The gateway that took the payment gives it back.',
}

export function RefundDialog({ purchaseId, price, of, onClose, onDone }: RefundDialogProps) {
  const amount = formatMoney(price.amount, price.currency)
  return (
    <ReasonDialog
      title={`Refund ${amount}`}
      action="Refund"
      tone="danger"
      onConfirm={async reason => {
        const { refunded } = await api.refundPurchase({ purchaseId, reason })
        toast(refunded ? `${amount} were refunded.` : 'It was already refunded: nothing has changed.')
        onDone()
      }}
      onClose={onClose}
    >
      <p>{of ? WHERE[of.paidBy] : 'It goes where the payment came from.'} It cannot be undone.</p>
      {of && (
        <ul class="nested">
          {of.consequences.map(({ item, consequence }) => (
            <li key={item}>
              <span class="quiet">{item}: </span>
              <bdi>{consequence}</bdi>
            </li>
          ))}
        </ul>
      )}
    </ReasonDialog>
  )
}
