import { api } from '../../api.ts'
import { usePages } from '../../parts/resource.ts'
import { Empty } from '../../parts/states.tsx'
import { DataTable } from '../../parts/table.tsx'
import { Points } from '../../parts/values.tsx'
import { entryColumns } from './entry-columns.tsx'

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
        ...entryColumns,
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
