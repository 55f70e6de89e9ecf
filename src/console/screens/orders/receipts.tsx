/** The receipt of an order or of a pack, and its credit notes, each as a page to print. */
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

export const ReceiptsSection = ({ of: { id, status, refunded } }: { of: Order }) => (
  <Section title="Receipts" about="Pages to print, in the language of the fan.">
    {/* A refund issues a credit note. */}
    <Receipts of={id} version={`${status} ${refunded.amount}`} />
  </Section>
)

interface ReceiptsProps {
  /** Id of the purchase. */
  of: string
  /** Changes with what was refunded. */
  version?: string
}

export function Receipts({ of: orderId, version = '' }: ReceiptsProps) {
  const found = useResource(`receipts ${orderId} ${version}`, signal =>
    api.listConsoleReceipts({ orderId }, { signal }),
  )
  return (
    <Loaded of={found}>
      {({ receipts }) =>
        receipts.length === 0 ? (
          <p class="quiet">No receipt: not paid with money, or before there were receipts.</p>
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
  )
}
