/** The receipt of an order and its credit notes, each as a page to print. */
import { addressOfRead, api, type Data } from '../../api.ts'
import { Section } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Loaded } from '../../parts/states.tsx'
import { Money, Time } from '../../parts/values.tsx'
import type { Order } from './words.tsx'

const KINDS: Record<Data<'listConsoleReceipts'>['receipts'][number]['kind'], string> = {
  receipt: 'Receipt',
  credit_note: 'Credit note',
}

export function ReceiptsSection({ of: { id: orderId, status, refunded } }: { of: Order }) {
  // A refund issues a credit note: what is refunded is a part of the key.
  const found = useResource(`receipts ${orderId} ${status} ${refunded.amount}`, signal =>
    api.listConsoleReceipts({ orderId }, { signal }),
  )
  return (
    <Section title="Receipts" about="Pages to print, in the language of the fan.">
      <Loaded of={found}>
        {({ receipts }) =>
          receipts.length === 0 ? (
            <p class="quiet">The order is not paid, or was paid before there were receipts.</p>
          ) : (
            <ul class="order-receipts">
              {receipts.map(({ number, kind, issuedAt, gross, currency }) => (
                <li key={number}>
                  <a
                    href={addressOfRead('printConsoleReceipt', { orderId, number: String(number) })}
                    target="_blank"
                    rel="noreferrer"
                  >
                    {KINDS[kind]} {number}
                  </a>
                  <Money amount={kind === 'credit_note' ? -gross : gross} currency={currency} />
                  <span class="quiet">
                    <Time at={issuedAt} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}
