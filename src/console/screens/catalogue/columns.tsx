/** The columns of the table of a kind: those that its entries have values for. */
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { formatCount, formatMoney, nameOfLanguage } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { Picture } from '../../parts/picture.tsx'
import type { Column } from '../../parts/table.tsx'
import { Money, None, Points, Time } from '../../parts/values.tsx'
import { addressOf, Link } from '../../router.tsx'
import { type Kind, type ListedEntry, STATES, type State } from './kinds.ts'

export const StateBadge = ({ state, title = STATES[state].title }: { state: State; title?: string }) => (
  <Badge tone={STATES[state].tone}>{title}</Badge>
)

/** Entries without a schedule are active or off. */
export const titleOfState = ({ columns }: Kind, state: State) =>
  state === 'live' && !columns.includes('ends') ? 'Active' : STATES[state].title

const wordsOf = (points: number | null) => points !== null && formatMoney(points, 'POINTS')

/** What a row asks the screen to do. */
export interface RowEdits {
  onStock: (entry: ListedEntry) => void
  onActivation: (entry: ListedEntry) => void
}

/** `edits`: null for those who may only read. */
export function columnsOf(of: Kind, edits: RowEdits | null): Column<ListedEntry>[] {
  const { kind, columns } = of
  const has = (name: Kind['columns'][number]) => columns.includes(name)
  const all: (Column<ListedEntry> | false)[] = [
    {
      id: 'title',
      title: 'Entry',
      sorts: true,
      cell: ({ id, title, pictures, state, price, points }) => (
        <span class="entry-cell">
          {(has('picture') ? [pictures[0] ?? null] : pictures).map(address => (
            <Picture key={address} address={address} />
          ))}
          <span class="entry-name">
            <bdi>{title}</bdi>
            <code class="quiet hide-narrow">{id}</code>
            <span class="quiet only-narrow">
              {[titleOfState(of, state), price ? formatMoney(price.amount, price.currency) : wordsOf(points)]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </span>
        </span>
      ),
    },
    has('price') && {
      id: 'price',
      title: 'Price',
      width: '6.5rem',
      align: 'end',
      hide: 'narrow',
      sorts: true,
      cell: ({ price }) => (price ? <Money {...price} /> : <None />),
    },
    has('points') && {
      id: 'points',
      title: 'Points',
      width: '5.5rem',
      align: 'end',
      hide: 'narrow',
      sorts: true,
      cell: ({ points }) => (points === null ? <None /> : <Points value={points} />),
    },
    has('stock') && {
      id: 'left',
      title: 'Left',
      width: '8rem',
      align: 'end',
      sorts: true,
      cell: entry => <Units entry={entry} onEdit={edits?.onStock} />,
    },
    has('claimed') && {
      id: 'claimed',
      title: 'Claimed',
      width: '6.25rem',
      align: 'end',
      hide: 'middle',
      sorts: true,
      cell: ({ claimed }) => formatCount(claimed ?? 0),
    },
    has('sold') && {
      id: 'sold',
      title: 'Sold',
      width: '5rem',
      align: 'end',
      hide: 'middle',
      sorts: true,
      cell: ({ sold }) => formatCount(sold ?? 0),
    },
    {
      id: 'state',
      title: 'State',
      width: '6.5rem',
      hide: 'narrow',
      sorts: true,
      cell: ({ state }) => <StateBadge state={state} title={titleOfState(of, state)} />,
    },
    has('ends') && {
      id: 'ends',
      title: 'Active until',
      width: '10.5rem',
      hide: 'middle',
      sorts: true,
      cell: ({ endsAt }) => (endsAt === null ? <None why="No limit" /> : <Time at={endsAt} />),
    },
    {
      id: 'missing',
      title: 'Missing texts',
      width: '10.5rem',
      hide: 'wide',
      cell: ({ missing }) => <Missing of={missing} />,
    },
    edits !== null && {
      id: 'actions',
      title: 'Actions',
      width: '5.5rem',
      align: 'end',
      hide: 'narrow',
      cell: entry => <RowActions kind={kind} entry={entry} onActivation={edits.onActivation} />,
    },
  ]
  return all.filter(column => column !== false)
}

/** A tenth is few, as the filter says. */
const FEW = 0.1

/** What is left of the stock. A press changes the stock. */
function Units({ entry, onEdit }: { entry: ListedEntry; onEdit: RowEdits['onStock'] | undefined }) {
  const { stock, claimed, sold, title } = entry
  const left = stock === null ? null : Math.max(0, stock - (claimed ?? sold ?? 0))
  const tone = left === 0 ? 'out' : left !== null && left <= Math.ceil((stock ?? 0) * FEW) ? 'low' : undefined
  return (
    <span class="units">
      {left === null ? (
        <span class="quiet">No limit</span>
      ) : (
        <span>
          <span class={tone}>{formatCount(left)}</span>
          <span class="quiet"> / {formatCount(stock ?? 0)}</span>
        </span>
      )}
      {onEdit && (
        <Button
          small
          kind="quiet"
          icon="edit"
          label={`Change the stock of ${title}`}
          onClick={() => onEdit(entry)}
        />
      )}
    </span>
  )
}

const Missing = ({ of }: { of: ListedEntry['missing'] }) =>
  of.length === 0 ? (
    <None why="No text is missing" />
  ) : (
    <span class="languages-missing">
      {of.map(({ language, texts }) => (
        <span
          key={language}
          class="badge warn"
          title={`${texts} ${texts === 1 ? 'text is' : 'texts are'} missing in ${nameOfLanguage(language)}`}
        >
          {language} {texts}
        </span>
      ))}
    </span>
  )

interface RowActionsProps {
  kind: Kind['kind']
  entry: ListedEntry
  onActivation: RowEdits['onActivation']
}

const RowActions = ({ kind, entry, onActivation }: RowActionsProps) => {
  const { id, title, state } = entry
  return (
    <span class="row-actions">
      <Link
        to={`${addressOf('catalogue', kind, 'new')}?from=${encodeURIComponent(id)}`}
        class="button quiet bare small"
        title="Duplicate"
        aria-label={`Duplicate ${title}`}
      >
        <Icon name="copy" />
      </Link>
      <Button
        small
        kind="quiet"
        icon={state === 'off' ? 'play' : 'pause'}
        label={`${state === 'off' ? 'Activate' : 'Deactivate'} ${title}`}
        onClick={() => onActivation(entry)}
      />
    </span>
  )
}
