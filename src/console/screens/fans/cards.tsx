import { api } from '../../api.ts'
import { usePages } from '../../parts/resource.ts'
import { Empty } from '../../parts/states.tsx'
import { DataTable } from '../../parts/table.tsx'

/** The collectibles that a fan owns. */
export function CardsTab({ fanId }: { fanId: string }) {
  const pages = usePages(`fan ${fanId} cards`, (cursor, signal) =>
    api.listFanCards({ fanId, cursor, limit: 100 }, { signal }),
  )
  return (
    <DataTable
      label="Collectibles"
      pages={pages}
      rowKey={({ id }) => id}
      columns={[
        { id: 'name', title: 'Collectible', cell: ({ name }) => <bdi title={name}>{name}</bdi> },
        { id: 'rarity', title: 'Rarity', width: '7rem', cell: ({ rarity }) => rarity, hide: 'narrow' },
        {
          id: 'serials',
          title: 'Serial numbers',
          cell: ({ serialNumbers }) => serialNumbers.map(number => `#${number}`).join(', '),
        },
        { id: 'count', title: 'Copies', width: '5rem', align: 'end', cell: ({ count }) => count },
      ]}
      empty={<Empty icon="pack" title="The fan owns no collectibles" />}
    />
  )
}
