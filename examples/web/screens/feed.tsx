/** The activity of followed fans, newest first. */
import {
  type FeedItem,
  readFeed,
  readMatches,
  readPacks,
  readQuests,
  readRewards,
  readSets,
  readTeams,
} from '../api.ts'
import { formatHandle, formatMoment, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { MoreButton, useMore } from '../parts/more.tsx'
import { Avatar } from '../parts/picture.tsx'
import { addressOf, Link } from '../router.tsx'

/** The items, and the names of what they refer to. */
async function loadFeed() {
  const [page, { packs }, { quests }, { rewards }, { sets }, { matches }, { teams }] = await Promise.all([
    readFeed(),
    readPacks(),
    readQuests(),
    readRewards(),
    readSets(),
    readMatches({ status: 'finished', limit: 100 }),
    readTeams(),
  ])
  const names = new Map<string, string>()
  for (const { id, shortName } of teams) names.set(`team ${id}`, shortName)
  for (const { id, name } of packs) names.set(`pack ${id}`, name)
  for (const { id, title } of quests) names.set(`quest ${id}`, title)
  for (const { id, title } of rewards) names.set(`reward ${id}`, title)
  for (const { id, name } of sets) names.set(`set ${id}`, name)
  const nameOf = (kind: string, id: string) => names.get(`${kind} ${id}`) ?? id
  for (const { id, homeTeamId, awayTeamId } of matches)
    names.set(`match ${id}`, `${nameOf('team', homeTeamId)} – ${nameOf('team', awayTeamId)}`)
  return { ...page, nameOf }
}

type NameOf = (kind: 'team' | 'pack' | 'quest' | 'reward' | 'set' | 'match', id: string) => string

/** Null for a type that a later version of the API has added. */
function wordsOf(item: FeedItem, nameOf: NameOf): string | null {
  const { data, type } = item
  switch (type) {
    case 'match.checked_in':
      return text.feed.checkedIn(nameOf('team', data.homeTeamId), nameOf('team', data.awayTeamId))
    case 'pack.opened':
      return text.feed.opened(nameOf('pack', data.packId), data.items.length)
    case 'prediction.settled': {
      const { homeScore, awayScore } = data.predicted
      const words = data.exact ? text.feed.exact : data.outcome ? text.feed.right : text.feed.wrong
      return words(nameOf('match', data.matchId), homeScore, awayScore)
    }
    case 'quest.completed':
      return text.feed.quest(nameOf('quest', data.questId))
    case 'reward.claimed':
      return text.feed.claimed(nameOf('reward', data.rewardId))
    case 'set.completed':
      return text.feed.set(nameOf('set', data.setId))
    case 'trade.completed': {
      const [gave, got] = data.role === 'from' ? [data.give, data.want] : [data.want, data.give]
      return text.feed.traded(gave, got)
    }
    default:
      return null
  }
}

export function Feed() {
  const loaded = useLoaded('feed', loadFeed)
  const more = useMore(loaded, readFeed, (page, next) => ({
    ...next,
    nameOf: page.nameOf,
    items: [...page.items, ...next.items],
  }))
  return (
    <Screen title={text.nav.feed} lead={text.feed.lead}>
      <Loading of={loaded} skeleton={<Bones count={6} />}>
        {({ items, nextCursor, nameOf }) => (
          <>
            {items.length === 0 ? (
              <Empty
                action={
                  <Link to={addressOf('leaderboard')} class="button main">
                    {text.feed.toLeaderboard}
                  </Link>
                }
              >
                {text.feed.empty}
              </Empty>
            ) : (
              <ul class="list board">
                {items.map(item => (
                  <Row key={item.id} item={item} words={wordsOf(item, nameOf)} />
                ))}
              </ul>
            )}
            <MoreButton more={more} cursor={nextCursor} />
          </>
        )}
      </Loading>
    </Screen>
  )
}

/** Activity with cards, which links to the locker. */
const OF_CARDS: readonly string[] = ['pack.opened', 'set.completed', 'trade.completed']

function Row({ item: { fan, occurredAt, type }, words }: { item: FeedItem; words: string | null }) {
  if (words === null) return null
  const name = fan.displayName ?? (fan.handle === null ? text.leaderboard.unnamed : formatHandle(fan.handle))
  return (
    <li class="row">
      <Avatar name={fan.displayName ?? fan.handle} src={fan.avatarUrl} />
      <span class="grow">
        <strong class="line">
          {fan.handle === null ? (
            name
          ) : (
            <Link to={addressOf('fans', fan.handle)} class="whole-row">
              {name}
            </Link>
          )}
        </strong>
        <span class="line">{words}</span>
        <small class="quiet">{formatMoment(occurredAt)}</small>
      </span>
      {fan.handle !== null && OF_CARDS.includes(type) && (
        <Link
          to={addressOf('fans', fan.handle, 'locker')}
          class="button small"
          aria-label={text.locker.of(name)}
        >
          {text.nav.locker}
        </Link>
      )}
    </li>
  )
}
