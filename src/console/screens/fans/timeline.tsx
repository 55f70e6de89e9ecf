/** Everything about a fan in one list. Details open in place, with the rules that evaluated an event. */
import { useEffect, useId, useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, Copy } from '../../parts/button.tsx'
import type { IconName } from '../../parts/icon.tsx'
import { Facts } from '../../parts/page.tsx'
import { usePages } from '../../parts/resource.ts'
import { Empty, Failed, Skeleton } from '../../parts/states.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { Money, Points, Time } from '../../parts/values.tsx'
import { addressOf, Link, useChoice } from '../../router.tsx'
import { may } from '../../session.ts'
import { Receipts } from '../orders/receipts.tsx'
import { Explanation } from './explanation.tsx'
import type { TimelineItem } from './types.ts'

type Kind = TimelineItem['kind']

const TITLES: Record<Kind, string> = {
  events: 'Events',
  points: 'Points',
  cash: 'Cash',
  quests: 'Quests and sets',
  rewards: 'Rewards',
  packs: 'Packs',
  trades: 'Trades',
  orders: 'Orders',
  memberships: 'Memberships',
  moderation: 'Moderation',
  webhooks: 'Webhooks',
  console: 'Staff',
}
/** Guarantee of the cast: the keys of the constant. */
const CHOICES: ['all', ...Kind[]] = ['all', ...(Object.keys(TITLES) as Kind[])]

const ICONS: Record<Kind, IconName> = {
  events: 'event',
  points: 'points',
  cash: 'card',
  quests: 'quest',
  rewards: 'reward',
  packs: 'pack',
  trades: 'trade',
  orders: 'orders',
  memberships: 'card',
  moderation: 'shield',
  webhooks: 'webhooks',
  console: 'edit',
}

/** `only`: one kind, without the choice. */
export function FanTimeline({ fanId, only }: { fanId: string; only?: Kind }) {
  const id = useId()
  const [chosen, setChosen] = useChoice<'all' | Kind>('kind', CHOICES)
  const kind = only ?? (chosen === 'all' ? undefined : chosen)
  const pages = usePages(`fan ${fanId} timeline ${kind ?? 'all'}`, (cursor, signal) =>
    api.readFanTimeline({ fanId, kind, cursor }, { signal }),
  )
  const items = pages.data ?? []
  // A page may be empty if much is left out. The next one is then read at once.
  useEffect(() => {
    if (items.length === 0 && pages.hasMore && !pages.isLoadingMore && pages.moreError === null)
      void pages.more()
  })
  return (
    <>
      <h2 class="unseen">What happened</h2>
      {only === undefined && (
        <div class="toolbar">
          <label for={id} class="quiet">
            Show
          </label>
          <select
            id={id}
            class="control"
            value={chosen}
            onChange={event => {
              const next = CHOICES.find(value => value === event.currentTarget.value)
              if (next) setChosen(next)
            }}
          >
            {CHOICES.map(value => (
              <option key={value} value={value}>
                {value === 'all' ? 'Everything' : TITLES[value]}
              </option>
            ))}
          </select>
        </div>
      )}
      {pages.error !== null && <Failed error={pages.error} onRetry={pages.reload} busy={pages.isLoading} />}
      {pages.data === null ? (
        pages.error === null && <Skeleton lines={8} />
      ) : items.length === 0 && !pages.hasMore ? (
        <Empty icon="history" title="Nothing has happened yet">
          {kind !== undefined && <p>Nothing of this kind.</p>}
        </Empty>
      ) : (
        <Timeline entries={foldBare(items).map(group => entryOfGroup(group, fanId))} />
      )}
      {pages.moreError !== null && (
        <Failed error={pages.moreError} onRetry={pages.more} busy={pages.isLoadingMore} />
      )}
      {pages.hasMore && pages.moreError === null && (
        <div class="table-foot">
          <Button busy={pages.isLoadingMore} onClick={pages.more}>
            Show older
          </Button>
        </div>
      )}
    </>
  )
}

/** Items whose details are no longer stored are one entry for each sentence, where the newest of them stands. */
function foldBare(items: TimelineItem[]): [TimelineItem, ...TimelineItem[]][] {
  const groups = new Map<string, [TimelineItem, ...TimelineItem[]]>()
  for (const item of items) {
    const key = item.isBare ? `bare ${item.title}` : item.id
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return [...groups.values()]
}

function entryOfGroup([newest, ...older]: [TimelineItem, ...TimelineItem[]], fanId: string) {
  const entry = entryOf(newest, fanId)
  const oldest = older.at(-1)
  if (!oldest) return entry
  return {
    ...entry,
    title: (
      <span class="item-title">
        <span>{newest.title}</span>
        <Badge>{older.length + 1} times</Badge>
      </span>
    ),
    detail: (
      <p>
        From <Time at={oldest.at} /> to <Time at={newest.at} />. Their details are no longer stored.
      </p>
    ),
  }
}

const entryOf = (item: TimelineItem, fanId: string) => ({
  id: item.id,
  at: item.at,
  icon: ICONS[item.kind],
  tone: item.tone,
  title: (
    <span class="item-title">
      <span>{item.title}</span>
      {item.state !== null && <Badge tone={item.tone}>{item.state}</Badge>}
    </span>
  ),
  detail: <ItemDetail item={item} fanId={fanId} />,
  end:
    item.points !== null ? (
      <Points value={item.points} signed />
    ) : item.money !== null ? (
      <Money {...item.money} />
    ) : undefined,
})

function ItemDetail({ item, fanId }: { item: TimelineItem; fanId: string }) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      {item.detail !== null && <p dir="auto">{item.detail}</p>}
      <button
        type="button"
        class="more-button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Hide details' : 'Details'}
        <span class="unseen"> of {item.title}</span>
      </button>
      <div id={id} class="item-details" hidden={!isOpen}>
        {isOpen && (
          <>
            <Facts of={item.facts.map(fact => [fact.name, <FactValue fact={fact} />])} />
            {item.purchaseId !== null && may('orders.read') && (
              <>
                {item.kind === 'orders' && (
                  <Link to={addressOf('orders', item.purchaseId)}>Open the order</Link>
                )}
                <Receipts of={item.purchaseId} version={item.state ?? ''} />
              </>
            )}
            {item.otherFanId !== null && (
              <Link to={addressOf('fans', item.otherFanId)}>Open the other fan</Link>
            )}
            {item.event !== null && <Explanation fanId={fanId} event={item.event} />}
          </>
        )}
      </div>
    </>
  )
}

function FactValue({ fact: { name, value, format } }: { fact: TimelineItem['facts'][number] }) {
  if (format === 'time') return <Time at={value} />
  if (format === 'id') return <Copy value={value} label={`Copy ${name}`} />
  return <bdi class="breaks">{value}</bdi>
}
