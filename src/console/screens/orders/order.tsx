/** One order: its lines with their states, its address, and its refund. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, Copy } from '../../parts/button.tsx'
import { nameOfCountry } from '../../parts/format.ts'
import { Columns, Facts, Page, Section } from '../../parts/page.tsx'
import { type Resource, useAction, useResource } from '../../parts/resource.ts'
import { Failed, Loaded, Note } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { FanName, Money, None, Time } from '../../parts/values.tsx'
import { addressOf } from '../../router.tsx'
import { may } from '../../session.ts'
import { ReceiptsSection } from './receipts.tsx'
import { RefundDialog } from './refund.tsx'
import { ShipDialog } from './ship.tsx'
import { type Order, type OrderLine, StateBadge, StatusBadge } from './words.tsx'

export function OrderScreen({ orderId }: { orderId: string }) {
  const order = useResource(`order ${orderId}`, signal => api.readConsoleOrder({ orderId }, { signal }))
  const { data } = order
  const [isRefunding, setRefunding] = useState(false)
  return (
    <Page
      title={`Order ${orderId.slice(-8)}`}
      head={
        <>
          Order <span class="amount">{orderId.slice(-8)}</span>
          {data && <StatusBadge status={data.status} />}
        </>
      }
      back={{ to: addressOf('orders'), title: 'Orders' }}
      actions={
        data?.refund && (
          <Button
            // Highlighted only if a refund is due: otherwise it is rarely needed.
            kind={data.status === 'refund_due' ? 'primary' : 'plain'}
            icon="undo"
            blocked={!may('refunds.write') && 'Only finance and owners can refund.'}
            onClick={() => setRefunding(true)}
          >
            Refund
          </Button>
        )
      }
    >
      <Loaded of={order}>{shown => <Shown of={shown} order={order} />}</Loaded>
      {isRefunding && data && (
        <RefundDialog
          purchaseId={data.id}
          price={data.total}
          of={data.refund}
          onClose={() => setRefunding(false)}
          onDone={order.reload}
        />
      )}
    </Page>
  )
}

function Shown({ of, order }: { of: Order; order: Resource<Order> }) {
  const { fan, total, discount, createdAt, expiresAt, paidAt, refundedAt } = of
  return (
    <Columns aside>
      <div class="stack">
        {of.status === 'refund_due' && (
          <Note tone="warn">
            The payment must be refunded. Products that were not shipped are in stock again.
          </Note>
        )}
        <Section title="Lines">
          <ol class="order-lines">
            {of.lines.map(line => (
              <Line key={line.number} of={line} order={order} orderId={of.id} />
            ))}
          </ol>
        </Section>
      </div>
      <div class="stack">
        <Section title="Ship to">
          <Address of={of} />
        </Section>
        <Section title="Order">
          <Facts
            of={[
              [
                'Fan',
                may('fans.read') ? <FanName key="fan" fan={fan} /> : <bdi key="fan">{fan.displayName}</bdi>,
              ],
              ['Total', <Money key="total" {...total} />],
              ...(discount.amount > 0
                ? ([
                    [
                      'Voucher',
                      <Money key="discount" amount={-discount.amount} currency={discount.currency} />,
                    ],
                  ] satisfies [string, ComponentChildren][])
                : []),
              ['Placed', <Time key="made" at={createdAt} />],
              [
                'Paid',
                paidAt === null ? (
                  of.status === 'pending' ? (
                    <span key="paid">
                      not yet, until <Time at={expiresAt} />
                    </span>
                  ) : (
                    <None key="paid" />
                  )
                ) : (
                  <Time key="paid" at={paidAt} />
                ),
              ],
              ...(refundedAt === null
                ? []
                : ([['Refunded', <Time key="refunded" at={refundedAt} />]] satisfies [
                    string,
                    ComponentChildren,
                  ][])),
              ['Id', <Copy key="id" value={of.id} label="Copy the id" short />],
            ]}
          />
        </Section>
        <ReceiptsSection of={of} />
      </div>
    </Columns>
  )
}

function Address({ of: { address, addressHidden } }: { of: Order }) {
  if (addressHidden) return <p class="quiet">Your role does not see addresses.</p>
  if (address === null) return <p class="quiet">The order has no parcels, or the address was deleted.</p>
  const { name, line1, line2, city, region, postalCode, country, phone } = address
  const lines = [
    name,
    line1,
    line2,
    [postalCode, city].filter(Boolean).join(' '),
    region,
    nameOfCountry(country),
    phone,
  ]
  return (
    <address>
      {lines
        .filter(line => line !== null && line !== '')
        .map((line, nth) => (
          <div key={nth}>
            <bdi>{line}</bdi>
          </div>
        ))}
    </address>
  )
}

interface LineProps {
  of: OrderLine
  orderId: string
  order: Resource<Order>
}

function Line({ of: line, orderId, order }: LineProps) {
  const [isShipping, setShipping] = useState(false)
  const change = useAction(async (state: 'ready' | 'delivered' | 'returned') => {
    order.set(await api.changeConsoleOrderLine({ orderId, number: line.number, state }))
    toast(`Line ${line.number} is ${state === 'ready' ? 'packed' : state}.`)
  })
  const isOpen = order.data?.status === 'paid' || line.state === 'shipped'
  const blocked = !may('orders.write') && 'Your role does not ship orders.'
  return (
    <li>
      <div class="order-line">
        <div>
          <strong>
            <span class="amount">{line.quantity}</span> × <bdi>{line.productName}</bdi>
          </strong>{' '}
          <span class="quiet">
            <bdi>{line.variantName}</bdi>
          </span>
        </div>
        <Money {...line.price} />
        {line.kind === 'physical' ? <StateBadge state={line.state} /> : <Badge>{line.kind}</Badge>}
      </div>
      {line.carrier !== null && (
        <p class="quiet">
          <bdi>{line.carrier}</bdi>
          {line.tracking !== null && (
            <>
              , <Copy value={line.tracking} label="Copy the tracking number" />
            </>
          )}
        </p>
      )}
      {line.vouchers.length > 0 && (
        <p class="quiet">
          {line.vouchers.length} {line.vouchers.length === 1 ? 'voucher' : 'vouchers'}:{' '}
          {line.vouchers.map(({ state }) => state).join(', ')}
        </p>
      )}
      {change.error !== null && <Failed error={change.error} />}
      {line.kind === 'physical' && isOpen && (
        <div class="actions">
          {line.state === 'none' && (
            <Button small busy={change.isBusy} blocked={blocked} onClick={() => change.run('ready')}>
              Packed
            </Button>
          )}
          {(line.state === 'ready' || line.state === 'shipped') && (
            <Button
              small
              kind={line.state === 'ready' ? 'primary' : 'plain'}
              blocked={blocked}
              onClick={() => setShipping(true)}
            >
              {line.state === 'ready' ? 'Ship …' : 'Correct the carrier …'}
            </Button>
          )}
          {line.state === 'shipped' && (
            <>
              <Button small busy={change.isBusy} blocked={blocked} onClick={() => change.run('delivered')}>
                Delivered
              </Button>
              <Button small busy={change.isBusy} blocked={blocked} onClick={() => change.run('returned')}>
                Came back
              </Button>
            </>
          )}
        </div>
      )}
      {isShipping && (
        <ShipDialog orderId={orderId} of={line} order={order} onClose={() => setShipping(false)} />
      )}
    </li>
  )
}
