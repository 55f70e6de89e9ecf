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
        {
          id: 'title',
          title: 'For',
          cell: ({ title, note }) => (
            <>
              <bdi>{title}</bdi>
              {note !== null && (
                <>
                  {': '}
                  <bdi class="quiet">{note}</bdi>
                </>
              )}
            </>
          ),
        },
        {
          id: 'at',
          title: 'Booked',
          width: '11rem',
          hide: 'narrow',
          under: true,
          cell: ({ createdAt }) => <Time at={createdAt} />,
        },
        {
          id: 'ref',
          title: 'Reference',
          width: '20%',
          cell: ({ ref }) => <bdi title={ref}>{ref}</bdi>,
          hide: 'middle',
        },
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
          under: true,
          cell: ({ balanceAfter }) => <Points value={balanceAfter} />,
        },
      ]}
      empty={<Empty icon="points" title="No points were booked yet" />}
    />
  )
}
