import { api } from '../../api.ts'
import { usePages } from '../../parts/resource.ts'
import { Empty } from '../../parts/states.tsx'
import { DataTable } from '../../parts/table.tsx'
import { Points, Time } from '../../parts/values.tsx'

/** The ledger of a fan. */
export function PointsTab({ fanId }: { fanId: string }) {
  const pages = usePages(`fan ${fanId} points`, async (cursor, signal) => {
    const page = await api.listFanPoints({ fanId, cursor, limit: 100 }, { signal })
    return { items: page.entries, nextCursor: page.nextCursor }
  })
  return (
    <DataTable
      label="Ledger entries"
      pages={pages}
      rowKey={({ id }) => id}
      columns={[
        { id: 'seq', title: 'No.', width: '4rem', cell: ({ seq }) => seq, hide: 'narrow' },
        { id: 'at', title: 'Booked', width: '11rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
        { id: 'reason', title: 'Reason', cell: ({ reason }) => reason.replaceAll('_', ' ') },
        { id: 'ref', title: 'Reference', cell: ({ ref }) => <bdi title={ref}>{ref}</bdi>, hide: 'middle' },
        {
          id: 'delta',
          title: 'Points',
          width: '6rem',
          align: 'end',
          cell: ({ delta }) => <Points value={delta} signed />,
        },
        {
          id: 'balance',
          title: 'Balance',
          width: '6.5rem',
          align: 'end',
          hide: 'narrow',
          cell: ({ balanceAfter }) => <Points value={balanceAfter} />,
        },
      ]}
      empty={<Empty icon="points" title="No points were booked yet" />}
    />
  )
}
