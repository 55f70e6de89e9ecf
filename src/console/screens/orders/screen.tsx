/** Orders by the next work to do, and due refunds. */
import { useState } from 'preact/hooks'
import { api, type Data, download } from '../../api.ts'
import { Button, Copy } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/form.tsx'
import { formatMoney } from '../../parts/format.ts'
import { Page, Section, Toolbar } from '../../parts/page.tsx'
import { usePages, useResource } from '../../parts/resource.ts'
import { Empty, Note } from '../../parts/states.tsx'
import { type Column, DataTable } from '../../parts/table.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { toast } from '../../parts/toast.tsx'
import { FanName, Money, None, Time } from '../../parts/values.tsx'
import { addressOf, Link, route, useChoice, useParameter } from '../../router.tsx'
import { may } from '../../session.ts'
import { OrderScreen } from './order.tsx'
import { RefundDialog } from './refund.tsx'
import { KINDS, LISTS, type RefundDue, StatusBadge, stateTitle } from './words.tsx'

type ListedOrder = Data<'listConsoleOrders'>['orders'][number]

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
    <Page title="Orders" about="What is to be packed, shipped and given back.">
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
  const pages = usePages<ListedOrder>(`orders ${chosen}`, async (cursor, signal) => {
    const page = await api.listConsoleOrders({ list: chosen, cursor, limit: 100 }, { signal })
    return { items: page.orders, nextCursor: page.nextCursor }
  })
  const state = chosen === 'to_pack' ? 'none' : chosen === 'to_ship' ? 'ready' : null
  return (
    <>
      <Toolbar>
        <SelectField label="Show" required value={chosen} options={LISTS} onChange={setList} />
        {state !== null && (
          <Button
            icon="download"
            blocked={!may('orders.write') && 'Your role does not ship orders.'}
            onClick={() => setExporting(true)}
          >
            Packing list
          </Button>
        )}
      </Toolbar>
      <DataTable
        label="Orders"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        pages={pages}
        href={({ id }) => addressOf('orders', id)}
        empty={
          <Empty icon="check" title={state === null ? 'No such order' : 'Nothing is waiting'}>
            <p>{state === null ? 'Choose another list.' : 'Paid orders with parcels appear here.'}</p>
          </Empty>
        }
      />
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
    cell: ({ fan }) => <bdi class="strong">{fan.displayName ?? 'Without a name'}</bdi>,
  },
  {
    id: 'products',
    title: 'Products',
    cell: ({ products, units }) => (
      <>
        {units} × <bdi>{products.join(', ')}</bdi>
      </>
    ),
  },
  {
    id: 'status',
    title: 'Status',
    width: '8.5rem',
    hide: 'narrow',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    id: 'parcel',
    title: 'Parcel',
    width: '9rem',
    hide: 'middle',
    cell: ({ states }) => states.map(stateTitle).join(', ') || '–',
  },
  {
    id: 'total',
    title: 'Total',
    width: '8rem',
    align: 'end',
    hide: 'narrow',
    cell: ({ total }) => <Money {...total} />,
  },
  {
    id: 'paid',
    title: 'Paid',
    width: '9rem',
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
  const columns: Column<RefundDue>[] = [
    {
      id: 'fan',
      title: 'Fan',
      cell: ({ fan }) =>
        may('fans.read') ? <FanName fan={fan} /> : <bdi class="strong">{fan.displayName ?? 'No name'}</bdi>,
    },
    {
      id: 'kind',
      title: 'For',
      width: '8rem',
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
      width: '9rem',
      align: 'end',
      cell: ({ price }) => <Money {...price} />,
    },
    {
      id: 'age',
      title: 'Waiting',
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
          blocked={!may('refunds.write') && 'Finance and owners refund.'}
          onClick={() => setRefunding(due)}
        >
          Refund
        </Button>
      ),
    },
  ]
  return (
    <Section title="Refunds due" about="Payments that came too late, or that the club gives back." flush>
      {rows && rows.total > rows.refunds.length && (
        <Note tone="warn">
          The oldest {rows.refunds.length} of {rows.total} are shown.
        </Note>
      )}
      <DataTable
        label="Refunds due"
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
