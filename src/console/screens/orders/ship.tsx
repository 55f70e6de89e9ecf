/** Entry of the carrier and the tracking number of a line. */
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Dialog, DialogFoot } from '../../parts/dialog.tsx'
import { Form, TextField } from '../../parts/form.tsx'
import { type Resource, useAction } from '../../parts/resource.ts'
import { toast } from '../../parts/toast.tsx'
import type { Order, OrderLine } from './words.tsx'

interface ShipDialogProps {
  orderId: string
  of: OrderLine
  order: Resource<Order>
  onClose: () => unknown
}

/** Stores the carrier of the previous parcel, which is usually the same. */
const CARRIER_KEY = 'matchday console carrier'

export function ShipDialog({ orderId, of, order, onClose }: ShipDialogProps) {
  const [carrier, setCarrier] = useState(of.carrier ?? localStorage.getItem(CARRIER_KEY) ?? '')
  const [tracking, setTracking] = useState(of.tracking ?? '')
  const send = useAction(async (shipping: { carrier: string; tracking?: string }) => {
    order.set(await api.changeConsoleOrderLine({ orderId, number: of.number, state: 'shipped', ...shipping }))
    localStorage.setItem(CARRIER_KEY, shipping.carrier)
    toast(`Line ${of.number} is on its way.`)
  })
  const submit = async () => {
    const number = tracking.trim()
    const shipping = { carrier: carrier.trim(), ...(number === '' ? {} : { tracking: number }) }
    if (await send.run(shipping)) onClose()
  }
  return (
    <Dialog title={`Ship line ${of.number}`} busy={send.isBusy} onClose={onClose}>
      <Form
        action={send}
        onSubmit={submit}
        foot={
          <DialogFoot
            busy={send.isBusy}
            blocked={carrier.trim() === '' && 'Write the carrier first.'}
            onClose={onClose}
          >
            On its way
          </DialogFoot>
        }
      >
        <TextField
          label="Carrier"
          pointer="/carrier"
          required
          max={200}
          value={carrier}
          onChange={setCarrier}
        />
        <TextField
          label="Tracking number"
          pointer="/tracking"
          hint="The fan sees it. A link works as well."
          max={200}
          autofocus
          value={tracking}
          onChange={setTracking}
        />
      </Form>
    </Dialog>
  )
}
