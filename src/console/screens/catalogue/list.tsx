/** The entries of a kind, with search, states, and a link to create one. */
import { api } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { ButtonLink } from '../../parts/button.tsx'
import { formatCount } from '../../parts/format.ts'
import { Page, Toolbar } from '../../parts/page.tsx'
import { usePages } from '../../parts/resource.ts'
import { SearchField } from '../../parts/special-fields.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, DataTable } from '../../parts/table.tsx'
import { Choice } from '../../parts/tabs.tsx'
import { None, Time } from '../../parts/values.tsx'
import { addressOf, Link, useChoice, useParameter } from '../../router.tsx'
import { may } from '../../session.ts'
import { type Kind, type ListedEntry, STATES, type State, titleOf } from './kinds.ts'

const COLUMNS: Column<ListedEntry>[] = [
  {
    id: 'title',
    title: 'Entry',
    cell: ({ id, title }) => (
      <span class="entry-name">
        <bdi>{title}</bdi>
        <code class="quiet">{id}</code>
      </span>
    ),
  },
  { id: 'state', title: 'State', width: '8rem', cell: ({ state }) => <StateBadge state={state} /> },
  { id: 'starts', title: 'Starts', width: '12rem', hide: 'middle', cell: ({ startsAt }) => timeOf(startsAt) },
  { id: 'ends', title: 'Ends', width: '12rem', hide: 'narrow', cell: ({ endsAt }) => timeOf(endsAt) },
]

const timeOf = (at: string | null) => (at === null ? <None why="No limit" /> : <Time at={at} />)

export const StateBadge = ({ state }: { state: State }) => (
  <Badge tone={STATES[state].tone}>{STATES[state].title}</Badge>
)

export function EntriesScreen({ of, kinds }: { of: Kind; kinds: Kind[] }) {
  const { kind, list } = of
  const [search, setSearch] = useParameter('search')
  const [state, setState] = useChoice<State | 'all'>('state', ['all', 'live', 'scheduled', 'over', 'off'])
  const filter = { search: search || undefined, state: state === 'all' ? undefined : state }
  const pages = usePages<ListedEntry>(`catalogue ${kind} ${search} ${state}`, async (cursor, signal) => {
    const page = await api.listCatalogueEntries({ kind, ...filter, cursor, limit: 100 }, { signal })
    return { items: page.entries, nextCursor: page.nextCursor }
  })
  const isFiltered = search !== '' || state !== 'all'
  return (
    <Page
      title={`Catalogue: ${list}`}
      head="Catalogue"
      about="What fans see and earn. Changes take effect when they are saved, at the start and end of an entry."
      actions={
        may('catalogue.write') && (
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
            ...(Object.keys(STATES) as State[]).map(value => ({ value, title: STATES[value].title })),
          ]}
          onChange={setState}
        />
      </Toolbar>
      <DataTable
        label={titleOf(of)}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        pages={pages}
        href={({ id }) => addressOf('catalogue', kind, 'entry', id)}
        empty={
          <Empty icon="catalogue" title={isFiltered ? 'Nothing is like this' : `There are no ${list} yet`}>
            <p>
              {isFiltered ? (
                'Change the search or the state.'
              ) : (
                <>
                  Create one here, or import a file with <code>bun run import-catalog</code>.
                </>
              )}
            </p>
          </Empty>
        }
      />
    </Page>
  )
}

/** Links, so that each kind has an address and opens in a tab. */
function Kinds({ kinds, current }: { kinds: Kind[]; current: string }) {
  return (
    <nav class="kinds" aria-label="Kinds of entries">
      {kinds.map(one => (
        <Link
          key={one.kind}
          to={addressOf('catalogue', one.kind)}
          title={one.about}
          aria-current={one.kind === current ? 'page' : undefined}
        >
          {titleOf(one)}
          <span class="tab-count">{formatCount(one.entries)}</span>
        </Link>
      ))}
    </nav>
  )
}
