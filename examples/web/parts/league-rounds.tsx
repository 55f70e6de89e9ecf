/** The rounds of a league head to head: the pair of the fan in the round that is played, and the results of past rounds. */
import { type LeagueRound, readLeagueRounds } from '../api.ts'
import { formatDay, formatInteger, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { Empty, Section } from './layout.tsx'
import { MoreButton, useMore } from './more.tsx'
import { Avatar } from './picture.tsx'

type Pair = LeagueRound['pairs'][number]
type Side = Pair['home']

interface Props {
  id: string
  /** The number of the fan in the league. Undefined if the page of the table does not show it. */
  number: number | undefined
  handle: string | null
}

export function LeagueRounds({ id, number, handle }: Props) {
  const loaded = useLoaded(`rounds of ${id}`, () => readLeagueRounds(id))
  const more = useMore(
    loaded,
    cursor => readLeagueRounds(id, cursor),
    (page, next) => ({ ...page, nextCursor: next.nextCursor, rounds: [...page.rounds, ...next.rounds] }),
  )
  const isOwn = (side: Side) =>
    number === undefined ? handle !== null && side.handle === handle : side.number === number
  return (
    <Section title={text.leagues.rounds}>
      <Loading of={loaded} skeleton={<Bones count={3} />}>
        {({ rounds, nextCursor }) => (
          <>
            {rounds.length === 0 && <Empty>{text.leagues.noRounds}</Empty>}
            {rounds.map((round, nth) => (
              <Round key={round.id} round={round} isOwn={isOwn} isOpen={nth === 0} />
            ))}
            <MoreButton more={more} cursor={nextCursor} />
          </>
        )}
      </Loading>
    </Section>
  )
}

interface RoundProps {
  round: LeagueRound
  isOwn: (side: Side) => boolean
  isOpen: boolean
}

function Round({ round: { id, startsAt, endsAt, pairs, bye }, isOwn, isOpen }: RoundProps) {
  const own = pairs.find(({ home, away }) => isOwn(home) || isOwn(away))
  const isPlayed = pairs.some(({ homePoints }) => homePoints === null)
  const lastDay = new Date(Date.parse(endsAt) - 1).toISOString()
  return (
    <article class="panel league-round">
      <h3>{text.leagues.round(Number(id))}</h3>
      <p class="quiet">
        {isPlayed
          ? text.leagues.roundEnds(formatDay(lastDay))
          : `${formatDay(startsAt)} – ${formatDay(lastDay)}`}
      </p>
      {own && <PairRow pair={own} isOwn={isOwn} large />}
      {bye && isOwn(bye) && <p>{text.leagues.bye}</p>}
      {pairs.length > 0 && (
        <details open={isOpen && !own && !(bye && isOwn(bye))}>
          <summary>{text.leagues.allPairs(pairs.length)}</summary>
          <ul class="list">
            {pairs.map(pair => (
              <PairRow key={pair.home.number} pair={pair} isOwn={isOwn} item />
            ))}
          </ul>
        </details>
      )}
    </article>
  )
}

interface PairProps {
  pair: Pair
  isOwn: (side: Side) => boolean
  large?: boolean
  item?: boolean
}

function PairRow({
  pair: { home, away, homePoints, awayPoints },
  isOwn,
  large = false,
  item = false,
}: PairProps) {
  const Tag = item ? 'li' : 'div'
  return (
    <Tag class={`league-pair ${large ? 'own' : ''}`}>
      <SideName side={home} mine={isOwn(home)} large={large} />
      <strong class="league-score" dir="ltr">
        {homePoints === null || awayPoints === null
          ? text.leagues.against
          : `${formatInteger(homePoints)} : ${formatInteger(awayPoints)}`}
      </strong>
      <SideName side={away} mine={isOwn(away)} large={large} />
    </Tag>
  )
}

const SideName = ({ side, mine, large }: { side: Side; mine: boolean; large: boolean }) => (
  <span class="league-side">
    {large && <Avatar name={side.displayName} src={side.avatarUrl} />}
    <bdi>{side.displayName ?? (mine ? text.leaderboard.you : text.leaderboard.unnamed)}</bdi>
    {mine && side.displayName !== null && <span class="pill">{text.leaderboard.you}</span>}
  </span>
)
