/** The entries of a kind as a table: search, filters, order, and edits of stock and activity in place. */
import { useMemo, useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { formatCount } from '../../parts/format.ts'
import { Page, Toolbar } from '../../parts/page.tsx'
import { usePages } from '../../parts/resource.ts'
import { SearchField } from '../../parts/special-fields.tsx'
import { Empty } from '../../parts/states.tsx'
import { useStrip } from '../../parts/strip.ts'
import { DataTable } from '../../parts/table.tsx'
import { Choice } from '../../parts/tabs.tsx'
import { addressOf, Link, useChoice, useParameter } from '../../router.tsx'
import { may } from '../../session.ts'
import { columnsOf, titleOfState } from './columns.tsx'
import { type Kind, type ListedEntry, SORTS, type SortKey, STATES, type State, titleOf } from './kinds.ts'
import { ActivationDialog, StockDialog } from './quick-edits.tsx'

export function EntriesScreen({ of, kinds }: { of: Kind; kinds: Kind[] }) {
  const { kind, list } = of
  const [search, setSearch] = useParameter('search')
  const [state, setState] = useChoice<State | 'all'>('state', ['all', 'live', 'scheduled', 'over', 'off'])
  const [left, setLeft] = useChoice<'all' | 'few' | 'none'>('left', ['all', 'few', 'none'])
  const [sort, setSort] = useChoice<'id' | SortKey>('sort', ['id', ...SORTS])
  const [order, setOrder] = useChoice<'asc' | 'desc'>('order', ['asc', 'desc'])
  const filter = {
    search: search || undefined,
    state: state === 'all' ? undefined : state,
    left: left === 'all' ? undefined : left,
    ...(sort === 'id' ? {} : { sort, order }),
  }
  const key = `catalogue ${JSON.stringify([kind, filter])}`
  const pages = usePages<ListedEntry>(key, async (cursor, signal) => {
    const page = await api.listCatalogueEntries({ kind, ...filter, cursor, limit: 100 }, { signal })
    return { items: page.entries, nextCursor: page.nextCursor }
  })
  const [edit, setEdit] = useState<{ what: 'stock' | 'activation'; entry: ListedEntry } | null>(null)
  const mayWrite = may('catalogue.write')
  const columns = useMemo(
    () =>
      columnsOf(
        of,
        mayWrite
          ? {
              onStock: entry => setEdit({ what: 'stock', entry }),
              onActivation: entry => setEdit({ what: 'activation', entry }),
            }
          : null,
      ),
    [of, mayWrite],
  )
  /** Up, then down, then the order of the list. */
  const onSort = (by: string) => {
    const next = SORTS.find(one => one === by)
    if (next === undefined) return
    const isAgain = sort === next
    setOrder(isAgain && order === 'asc' ? 'desc' : 'asc')
    setSort(isAgain && order === 'desc' ? 'id' : next)
  }
  const isFiltered = search !== '' || state !== 'all' || left !== 'all'
  const Edit = edit?.what === 'stock' ? StockDialog : ActivationDialog
  return (
    <Page
      title={`Catalogue: ${list}`}
      head="Catalogue"
      about="What fans see and earn. Changes take effect as soon as you save them."
      actions={
        mayWrite && (
          <ButtonLink to={addressOf('catalogue', kind, 'new')} kind="primary" icon="add">
            New {kind}
          </ButtonLink>
        )
      }
    >
      <Kinds kinds={kinds} current={kind} />
      <Toolbar>
        <SearchField
          label={`Search ${list}`}
          placeholder="Id or text, in any language"
          value={search}
          onChange={setSearch}
        />
        <Choice
          label="State"
          value={state}
          options={[
            { value: 'all', title: 'All' },
            // Guarantee of the cast: the keys of the constant.
            ...(Object.keys(STATES) as State[])
              .filter(value => of.columns.includes('ends') || value === 'live' || value === 'off')
              .map(value => ({ value, title: titleOfState(of, value) })),
          ]}
          onChange={setState}
        />
        {of.columns.includes('stock') && (
          <Choice
            label="Stock"
            value={left}
            options={[
              { value: 'all', title: 'Any stock' },
              { value: 'few', title: 'Few left' },
              { value: 'none', title: 'None left' },
            ]}
            onChange={setLeft}
          />
        )}
      </Toolbar>
      <DataTable
        label={titleOf(of)}
        columns={columns}
        sorting={{ by: sort === 'id' ? null : sort, isDescending: order === 'desc', onSort }}
        rowKey={({ id }) => id}
        pages={pages}
        href={({ id }) => addressOf('catalogue', kind, 'entry', id)}
        empty={
          <Empty icon="catalogue" title={isFiltered ? 'No entries match' : `There are no ${list} yet`}>
            <p>
              {isFiltered
                ? 'Change the search or the filters.'
                : 'Create one here, or import a file under Jobs.'}
            </p>
          </Empty>
        }
      />
      {edit && <Edit kind={kind} entry={edit.entry} onDone={pages.reload} onClose={() => setEdit(null)} />}
    </Page>
  )
}

/** Links, so that each kind has an address and opens in a tab. */
function Kinds({ kinds, current }: { kinds: Kind[]; current: string }) {
  const strip = useStrip<HTMLElement>(current)
  return (
    <nav class="kinds" aria-label="Kinds of entries" ref={strip}>
      {kinds.map(one => (
        <Link
          key={one.kind}
          to={addressOf('catalogue', one.kind)}
          title={one.about}
          aria-current={one.kind === current ? 'page' : undefined}
        >
          {titleOf(one)}
          {one.only === null && <span class="tab-count">{formatCount(one.entries)}</span>}
        </Link>
      ))}
    </nav>
  )
}
