/** Orders by the next work to do, and due refunds. */
import { useState } from 'preact/hooks'
import { api, type Data, download } from '../../api.ts'
import { BulkBar } from '../../parts/bulk.tsx'
import { Button, Copy } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/form.tsx'
import { formatMoney } from '../../parts/format.ts'
import { Page, Section, Toolbar } from '../../parts/page.tsx'
import { usePages, useResource } from '../../parts/resource.ts'
import { SavedViews } from '../../parts/saved-views.tsx'
import { Empty, Note } from '../../parts/states.tsx'
import { type Column, DataTable } from '../../parts/table.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { toast } from '../../parts/toast.tsx'
import { FanName, Money, None, Time } from '../../parts/values.tsx'
import { addressOf, Link, route, useChoice, useParameter } from '../../router.tsx'
import { may } from '../../session.ts'
import { type ListedOrder, RefundsDialog, StepDialog, type SteppedList, stepOf } from './bulk.tsx'
import { OrderScreen } from './order.tsx'
import { RefundDialog } from './refund.tsx'
import { KINDS, LISTS, type RefundDue, StatusBadge, stateTitle } from './words.tsx'

export function Screen() {
  const [, orderId] = route.value
  return orderId === undefined ? <Orders /> : <OrderScreen key={orderId} orderId={orderId} />
}

function Orders() {
  const [tab, setTab] = useChoice('tab', ['orders', 'refunds'])
  const refunds = useResource('refunds due', signal => api.listRefundsDue({}, { signal }), {
    pollMs: 60_000,
  })
  return (
    <Page title="Orders" about="Orders to pack and ship, and refunds that are due.">
      <Tabs
        label="Orders and refunds"
        tabs={[
          { id: 'orders', title: 'Orders' },
          { id: 'refunds', title: 'Refunds due', count: refunds.data?.total ?? null },
        ]}
        current={tab}
        onChange={setTab}
      >
        {tab === 'orders' ? (
          <OrderList />
        ) : (
          <RefundList rows={refunds.data} onChange={refunds.reload} error={refunds.error} />
        )}
      </Tabs>
    </Page>
  )
}

const FEW = LISTS.map(({ value }) => value)

function OrderList() {
  const [list, setList] = useParameter('list', 'to_pack')
  const chosen = FEW.find(value => value === list) ?? 'to_pack'
  const [isExporting, setExporting] = useState(false)
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [isStepping, setStepping] = useState(false)
  const pages = usePages<ListedOrder>(`orders ${chosen}`, async (cursor, signal) => {
    const page = await api.listConsoleOrders({ list: chosen, cursor, limit: 100 }, { signal })
    return { items: page.orders, nextCursor: page.nextCursor }
  })
  const step = may('orders.write') ? stepOf(chosen) : null
  const orders = (pages.data ?? []).filter(({ id }) => picked.has(id))
  const state = chosen === 'to_pack' ? 'none' : chosen === 'to_ship' ? 'ready' : null
  return (
    <>
      <Toolbar>
        <SelectField
          label="Show"
          required
          value={chosen}
          options={LISTS}
          onChange={next => {
            setPicked(new Set())
            setList(next)
          }}
        />
        {state !== null && (
          <Button
            icon="download"
            blocked={!may('orders.write') && 'Your role does not ship orders.'}
            onClick={() => setExporting(true)}
          >
            Packing list
          </Button>
        )}
        <SavedViews area="orders" />
      </Toolbar>
      {step && (
        <BulkBar count={orders.length} noun="orders" onClear={() => setPicked(new Set())}>
          <Button small onClick={() => setStepping(true)}>
            {step.action}
          </Button>
        </BulkBar>
      )}
      <DataTable
        label="Orders"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        pages={pages}
        href={({ id }) => addressOf('orders', id)}
        picked={step ? { keys: picked, onChange: setPicked } : undefined}
        empty={
          <Empty icon="check" title={state === null ? 'No orders in this list' : 'Nothing is waiting'}>
            <p>{state === null ? 'Choose another list.' : 'Paid orders with parcels appear here.'}</p>
          </Empty>
        }
      />
      {isStepping && step && (
        <StepDialog
          // Guarantee of the cast: only these lists have a step.
          list={chosen as SteppedList}
          orders={orders}
          onDone={() => undefined}
          onClose={() => {
            setStepping(false)
            setPicked(new Set())
            void pages.reload()
          }}
        />
      )}
      {isExporting && state !== null && (
        <PackingListDialog state={state} onClose={() => setExporting(false)} />
      )}
    </>
  )
}

const COLUMNS: Column<ListedOrder>[] = [
  {
    id: 'fan',
    title: 'Fan',
    cell: ({ fan }) => <FanName fan={fan} link={false} />,
  },
  {
    id: 'products',
    title: 'Products',
    under: true,
    // One text: the ellipsis would take the place of a second one as a whole.
    cell: ({ products, units }) => <bdi>{`${units} × ${products.join(', ')}`}</bdi>,
  },
  {
    id: 'status',
    title: 'Status',
    width: '8.5rem',
    hide: 'narrow',
    under: true,
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    id: 'parcel',
    title: 'Parcel',
    width: '11rem',
    hide: 'middle',
    cell: ({ states }) => states.map(stateTitle).join(', ') || '–',
  },
  {
    id: 'total',
    title: 'Total',
    width: '7rem',
    align: 'end',
    cell: ({ total }) => <Money {...total} />,
  },
  {
    id: 'paid',
    title: 'Paid',
    width: '8rem',
    hide: 'narrow',
    cell: ({ paidAt, createdAt }) => <Time at={paidAt ?? createdAt} relative />,
  },
]

interface RefundListProps {
  rows: Data<'listRefundsDue'> | null
  error: unknown
  onChange: () => unknown
}

function RefundList({ rows, error, onChange }: RefundListProps) {
  const [refunding, setRefunding] = useState<RefundDue | null>(null)
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [isSeveral, setSeveral] = useState(false)
  const several = (rows?.refunds ?? []).filter(({ purchaseId }) => picked.has(purchaseId))
  const columns: Column<RefundDue>[] = [
    {
      id: 'fan',
      title: 'Fan',
      cell: ({ fan }) => <FanName fan={fan} link={may('fans.read')} />,
    },
    {
      id: 'kind',
      title: 'For',
      under: true,
      width: '9.5rem',
      cell: ({ kind, purchaseId }) =>
        kind === 'order' ? (
          <Link to={addressOf('orders', purchaseId)}>Order {purchaseId.slice(-8)}</Link>
        ) : (
          KINDS[kind]
        ),
    },
    {
      id: 'price',
      title: 'Amount',
      under: true,
      width: '9rem',
      align: 'end',
      cell: ({ price }) => <Money {...price} />,
    },
    {
      id: 'age',
      title: 'Waiting',
      hide: 'narrow',
      width: '9rem',
      cell: ({ since }) => <Time at={since} relative />,
    },
    {
      id: 'reference',
      title: 'Payment',
      hide: 'middle',
      width: '13rem',
      cell: ({ paymentReference }) =>
        paymentReference === null ? (
          <None />
        ) : (
          <Copy value={paymentReference} label="Copy the reference of the payment" short />
        ),
    },
    {
      id: 'actions',
      title: 'Actions',
      width: '7rem',
      cell: due => (
        <Button
          small
          label={`Refund ${formatMoney(due.price.amount, due.price.currency)} to ${due.fan.displayName ?? 'a fan'}`}
          blocked={!may('refunds.write') && 'Only finance and owners can refund.'}
          onClick={() => setRefunding(due)}
        >
          Refund
        </Button>
      ),
    },
  ]
  return (
    <Section title="Refunds due" about="Payments that arrived too late, or that the club pays back." flush>
      {rows && rows.total > rows.refunds.length && (
        <Note tone="warn">
          The oldest {rows.refunds.length} of {rows.total} are shown.
        </Note>
      )}
      {may('refunds.write') && (
        <BulkBar count={several.length} noun="refunds" onClear={() => setPicked(new Set())}>
          <Button small onClick={() => setSeveral(true)}>
            Refund them
          </Button>
        </BulkBar>
      )}
      {isSeveral && (
        <RefundsDialog
          refunds={several}
          onDone={() => undefined}
          onClose={() => {
            setSeveral(false)
            setPicked(new Set())
            void onChange()
          }}
        />
      )}
      <DataTable
        label="Refunds due"
        picked={may('refunds.write') ? { keys: picked, onChange: setPicked } : undefined}
        columns={columns}
        rowKey={({ purchaseId }) => purchaseId}
        {...(rows ? { rows: rows.refunds } : {})}
        empty={<Empty icon="check" title="No refund is due" />}
      />
      {error !== null && rows === null && <Note tone="bad">The refunds cannot be read.</Note>}
      {refunding && (
        <RefundDialog
          purchaseId={refunding.purchaseId}
          price={refunding.price}
          onClose={() => setRefunding(null)}
          onDone={onChange}
        />
      )}
    </Section>
  )
}

/** It has addresses: the audit log keeps who exported it. */
const PackingListDialog = ({ state, onClose }: { state: 'none' | 'ready'; onClose: () => unknown }) => (
  <ReasonDialog
    title="Export the packing list"
    action="Export"
    onConfirm={async reason => {
      const name = `packing-list-${state === 'none' ? 'to-pack' : 'to-ship'}.csv`
      await download('exportPackingList', { state, reason }, name)
      toast('The packing list was exported.')
    }}
    onClose={onClose}
  >
    Up to 2,000 lines with the addresses of fans, as CSV for a spreadsheet. Delete the file when the parcels
    are packed.
  </ReasonDialog>
)
