/** A fan: identity, states and restrictions, and the timeline. */
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Copy } from '../../parts/button.tsx'
import { formatCount, nameOfCountry, nameOfLanguage } from '../../parts/format.ts'
import { Columns, Facts, Figure, Figures, Page, Section } from '../../parts/page.tsx'
import { Face } from '../../parts/picture.tsx'
import { usePages, useResource } from '../../parts/resource.ts'
import { Empty, Failed, Loaded, Note, Skeleton } from '../../parts/states.tsx'
import { DataTable } from '../../parts/table.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Money, None, Points, Time } from '../../parts/values.tsx'
import { addressOf, Link, useChoice } from '../../router.tsx'
import { may } from '../../session.ts'
import { AccountsTab } from './accounts.tsx'
import { FanActions } from './actions/menu.tsx'
import { ConsentsTab } from './consents.tsx'
import { MembershipsTab } from './memberships.tsx'
import { MessagesTab } from './messages.tsx'
import { ModerationTab } from './moderation.tsx'
import { PointsTab } from './points.tsx'
import { RecordTab } from './record.tsx'
import { StateBadges } from './states.tsx'
import { FanTimeline } from './timeline.tsx'
import type { FanHead } from './types.ts'

const TABS = [
  'timeline',
  'points',
  'accounts',
  'cards',
  'orders',
  'memberships',
  'messages',
  'consents',
  'moderation',
  'record',
] as const
const BACK = { to: '/fans', title: 'Fans' }

export function FanScreen({ fanId }: { fanId: string }) {
  const fan = useResource(`fan ${fanId}`, signal => api.readFan({ fanId }, { signal }))
  if (fan.data === null)
    return (
      <Page title="Fan" back={BACK}>
        {fan.error !== null ? (
          <Failed error={fan.error} onRetry={fan.reload} busy={fan.isLoading} />
        ) : (
          <Skeleton />
        )}
      </Page>
    )
  return <Loaded of={fan}>{head => <Fan head={head} onChanged={fan.reload} />}</Loaded>
}

const nameOf = ({ displayName, identity, handle, id }: FanHead) =>
  displayName ?? identity.name ?? (handle === null ? id : `@${handle}`)

function Fan({ head, onChanged }: { head: FanHead; onChanged: () => unknown }) {
  const [tab, setTab] = useChoice('tab', TABS)
  /** After an action, the lists are read again as well. */
  const [actions, setActions] = useState(0)
  const { counts } = head
  const tabs = [
    { id: 'timeline', title: 'Timeline' },
    { id: 'points', title: 'Points' },
    { id: 'accounts', title: 'Accounts' },
    { id: 'cards', title: 'Cards', count: counts.items },
    { id: 'orders', title: 'Orders', count: counts.orders },
    { id: 'memberships', title: 'Memberships' },
    { id: 'messages', title: 'Messages' },
    { id: 'consents', title: 'Consents' },
    { id: 'moderation', title: 'Moderation', count: counts.openReports || null },
    { id: 'record', title: 'Record' },
  ] as const
  return (
    <Page
      title={nameOf(head)}
      head={
        <>
          <Face large fanId={head.id} name={nameOf(head)} />
          <bdi class="fan-title">{nameOf(head)}</bdi>
          <StateBadges states={head.states} />
        </>
      }
      about={<Who head={head} />}
      back={BACK}
      actions={
        <FanActions
          fan={head}
          onDone={() => {
            setActions(count => count + 1)
            return onChanged()
          }}
        />
      }
    >
      {head.blockers.map(({ code, text }) => (
        <Note key={code} tone={code === 'suspended' || code === 'refund_due' ? 'bad' : 'warn'}>
          {text}
          {code === 'merged' && head.mergedIntoId !== null && (
            <>
              {' '}
              <Link to={addressOf('fans', head.mergedIntoId)}>Open that fan</Link>
            </>
          )}
        </Note>
      ))}
      <FanFigures head={head} />
      <Columns aside>
        <div class="fan-tabs" key={actions}>
          <Tabs label="About this fan" tabs={tabs} current={tab} onChange={setTab}>
            {tab === 'timeline' && <FanTimeline fanId={head.id} />}
            {tab === 'points' && <PointsTab fanId={head.id} />}
            {tab === 'accounts' && <AccountsTab fanId={head.id} />}
            {tab === 'cards' && <CardsTab fanId={head.id} />}
            {tab === 'orders' && <FanTimeline fanId={head.id} only="orders" />}
            {tab === 'memberships' && (
              <MembershipsTab
                fanId={head.id}
                isClosed={head.erasedAt !== null || head.mergedIntoId !== null}
              />
            )}
            {tab === 'messages' && <MessagesTab fanId={head.id} />}
            {tab === 'consents' && <ConsentsTab fanId={head.id} />}
            {tab === 'moderation' && <ModerationTab head={head} />}
            {tab === 'record' && <RecordTab fanId={head.id} />}
          </Tabs>
        </div>
        <Section title="At a glance">
          <Facts of={factsOf(head)} />
        </Section>
      </Columns>
    </Page>
  )
}

const Who = ({ head: { handle, identity, createdAt } }: { head: FanHead }) => (
  <span class="fan-who">
    {handle !== null && <bdi>@{handle}</bdi>}
    {identity.email !== null && (
      <span>
        <bdi>{identity.email}</bdi>
        {identity.emailVerified === false && ' (not verified)'}
      </span>
    )}
    <span>
      Since <Time at={createdAt} />
    </span>
  </span>
)

function FanFigures({ head: { points, leaderboard, cash, counts, lastSeenAt } }: { head: FanHead }) {
  return (
    <Figures>
      <Figure
        name="Balance"
        value={<Points value={points.balance} />}
        note={
          <>
            <Points value={points.lifetime} /> earned in total
            {points.held > 0 && (
              <>
                , <Points value={points.held} /> held for unpaid purchases
              </>
            )}
          </>
        }
      />
      <Figure
        name="Rank"
        value={leaderboard.rank === null ? <None why="Not ranked" /> : formatCount(leaderboard.rank)}
        note={
          leaderboard.leftAt ? 'Left the leaderboards' : leaderboard.enrolledAt ? 'All time' : 'Not enrolled'
        }
      />
      {cash?.map(({ currency, available, held }) => (
        <Figure
          key={currency}
          name={`Cash ${currency}`}
          value={<Money amount={available} currency={currency} />}
          note={
            held > 0 && (
              <>
                <Money amount={held} currency={currency} /> held
              </>
            )
          }
        />
      ))}
      <Figure
        name="Rewards"
        value={formatCount(counts.rewardsClaimed)}
        note={`${formatCount(counts.rewardsRedeemed)} redeemed`}
      />
      <Figure
        name="Packs opened"
        value={formatCount(counts.packsOpened)}
        note={`${formatCount(counts.packsSealed)} sealed`}
      />
      <Figure
        name="Last seen"
        value={lastSeenAt === null ? <None why="Never" /> : <Time at={lastSeenAt} relative />}
        note={`${counts.devices} ${counts.devices === 1 ? 'device' : 'devices'} signed in`}
      />
    </Figures>
  )
}

const text = (value: string | null) => (value === null ? <None /> : <bdi>{value}</bdi>)
const when = (value: string | null) => (value === null ? <None why="Never" /> : <Time at={value} />)

type Limit = NonNullable<FanHead['limits']>['spending']

const allowed = (limit: Limit) =>
  limit === null ? (
    'No limit'
  ) : (
    <>
      <Money amount={limit.amount} currency={limit.currency} /> a {limit.per}
    </>
  )

/** What fans allow themselves: staff cannot change it. Empty for roles that see no money. */
function limitFacts(limits: FanHead['limits']): Parameters<typeof Facts>[0]['of'] {
  if (limits === null) return []
  const { spending, next, pauseUntil } = limits
  return [
    [
      'Own spending limit',
      <>
        {allowed(spending)}
        {next !== null && (
          <>
            , from <Time at={next.at} /> {allowed(next.spending)}
          </>
        )}
      </>,
    ],
    [
      'Own pause',
      pauseUntil === null ? (
        <None why="None" />
      ) : (
        <>
          until <Time at={pauseUntil} />
        </>
      ),
    ],
  ]
}

const AUDIENCES: Record<FanHead['privacy']['profile'], string> = {
  public: 'All fans',
  followers: 'Followers',
  private: 'Nobody',
}
const BOARD_NAMES: Record<FanHead['privacy']['leaderboardName'], string> = {
  name: 'Name and picture',
  handle: 'Handle and picture',
  anonymous: 'Neither',
}

const factsOf = (head: FanHead): Parameters<typeof Facts>[0]['of'] => [
  ['Id', <Copy value={head.id} label="Copy the id" short />],
  ['Provider', head.provider],
  [
    'Subject',
    head.subject === null ? <None /> : <Copy value={head.subject} label="Copy the subject" short />,
  ],
  ['Name at the provider', text(head.identity.name)],
  ['Synced', when(head.identity.syncedAt)],
  ['Onboarded', when(head.onboardingCompletedAt)],
  ['Last event', when(head.lastEventAt)],
  ['Team', text(head.favoriteTeam?.name ?? null)],
  ['Country', text(head.country && nameOfCountry(head.country))],
  ['Language', text(head.locale && nameOfLanguage(head.locale))],
  ['About', text(head.bio)],
  ...limitFacts(head.limits),
  ['Profile seen by', AUDIENCES[head.privacy.profile]],
  ['Activity seen by', AUDIENCES[head.privacy.activity]],
  ['Locker seen by', AUDIENCES[head.privacy.locker]],
  ['Shown on leaderboards as', BOARD_NAMES[head.privacy.leaderboardName]],
  ['Follows', head.counts.following],
  ['Followers', head.counts.followers],
  ['Quests completed', head.counts.questsCompleted],
  ['Open trades', head.counts.openTrades],
  ...(may('moderation.read')
    ? ([
        ['Open reports', head.counts.openReports],
        ['Open appeals', head.counts.openAppeals],
      ] satisfies [string, number][])
    : []),
  ...head.mergedIds.map((id): [string, ReturnType<typeof Link>] => [
    'Merged record',
    <Link to={addressOf('fans', id)}>{id.slice(-6)}</Link>,
  ]),
]

/** The collectibles that a fan owns. */
function CardsTab({ fanId }: { fanId: string }) {
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
