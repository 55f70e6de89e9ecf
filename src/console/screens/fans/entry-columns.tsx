/** What every ledger entry of a fan shows last: when it was booked, its reference and its points. */
import type { Column } from '../../parts/table.tsx'
import { Points, Time } from '../../parts/values.tsx'

export const entryColumns: Column<{ createdAt: string; ref: string; delta: number }>[] = [
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
    hide: 'middle',
    cell: ({ ref }) => <bdi title={ref}>{ref}</bdi>,
  },
  {
    id: 'delta',
    title: 'Points',
    width: '6rem',
    align: 'end',
    cell: ({ delta }) => <Points value={delta} signed />,
  },
]
