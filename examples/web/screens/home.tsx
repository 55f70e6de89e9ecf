/** Points, rank, rewards to claim, the next match and the latest points, updated live. */
import { useEffect } from 'preact/hooks'
import * as api from '../api.ts'
import { formatInteger, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useWrite } from '../load.tsx'
import type { Document } from '../parts/consents.tsx'
import { EntryList } from '../parts/entries.tsx'
import { Icon } from '../parts/icon.tsx'
import { Join } from '../parts/join.tsx'
import { Progress, Screen, Section } from '../parts/layout.tsx'
import { MatchCard } from '../parts/match-card.tsx'
import { Crest, Picture } from '../parts/picture.tsx'
import { QuestRow } from '../parts/quest-row.tsx'
import { Refused } from '../parts/refused.tsx'
import { TeamChoice } from '../parts/team-choice.tsx'
import { addressOf, Link } from '../router.tsx'
import { applyColours } from '../theme.ts'
import { sidesOf } from '../trade-sides.ts'

const QUESTS = 3
const SHORTCUTS = ['quests', 'leaderboard', 'leagues', 'shop', 'feed', 'codes'] as const
const REWARDS = 4

async function loadHome() {
  const from = new Date().toISOString()
  const [
    dashboard,
    [joined, documents],
    profile,
    { teams },
    { competitions },
    { rewards },
    { quests },
    { trades },
    member,
  ] = await Promise.all([
    api.readDashboard(),
    readJoining(),
    api.readProfile(),
    api.readTeams(),
    api.readCompetitions(),
    api.readRewards(),
    api.readQuests(),
    api.readTrades(),
    api.readMemberships(),
  ])
  const team = teams.find(({ id }) => id === profile?.favoriteTeamId)
  const { matches } = await api.readMatches({ from, limit: 1, teamId: team?.id })
  return {
    ...dashboard,
    joined,
    documents,
    team,
    teams,
    competitions,
    match: matches[0],
    card: member.memberships.find(({ state }) => state === 'active'),
    tier: member.accounts.find(({ tier }) => tier)?.tier,
    offers: trades.filter(
      trade => trade.status === 'open' && sidesOf(trade, profile?.handle ?? null).isIncoming,
    ).length,
    claimable: rewards.filter(({ claimable }) => claimable),
    nearest: rewards
      .filter(
        ({ state, missingPoints, blockedBy }) =>
          state === 'unclaimed' && missingPoints > 0 && onlyPoints(blockedBy),
      )
      .toSorted((one, other) => one.missingPoints - other.missingPoints)[0],
    ...questsToShow(quests),
  }
}

/** Whether the fan has joined, and the documents to agree to before. */
async function readJoining(): Promise<[boolean, Document[]]> {
  const { state } = await api.readOnboarding()
  return state === 'completed' ? [true, []] : [false, (await api.readDocuments()).documents]
}

const onlyPoints = (blockedBy: api.Reward['blockedBy']) =>
  blockedBy.every(code => code === 'insufficient_points')

/** Those that the fan has begun, otherwise those that can be begun. */
function questsToShow(quests: api.Quest[]) {
  const begun = quests.filter(
    ({ state, progress }) =>
      state === 'completed' || progress.some(({ count }) => count > 0 && state === 'in_progress'),
  )
  const isNew = begun.length === 0
  return { quests: isNew ? quests.filter(({ state }) => state === 'in_progress') : begun, isNew }
}
type HomeData = Awaited<ReturnType<typeof loadHome>>

export function Home() {
  const home = useLoaded('home', loadHome)
  useEffect(() => api.followEvents(() => void home.reload()), [home.reload])
  useEffect(() => {
    if (home.data?.team) applyColours(home.data.team)
  }, [home.data?.team])
  const choose = useWrite(async (favoriteTeamId: string, key) => {
    await api.saveProfile({ favoriteTeamId }, key)
    await home.reload()
  })
  return (
    <Screen title={text.nav.home} bare>
      <nav class="shortcuts" aria-label={text.home.shortcuts}>
        <div>
          {SHORTCUTS.map(name => (
            <Link key={name} to={addressOf(name)} class="shortcut">
              <Icon name={name} />
              <span>{name === 'leaderboard' ? text.leaderboard.board : text.nav[name]}</span>
            </Link>
          ))}
        </div>
      </nav>
      <Loading of={home} skeleton={<HomeBones />}>
        {data => (
          <>
            <Hero data={data} reload={home.reload} />
            {data.unread > 0 && (
              <Link to={addressOf('inbox')} class="panel row offers">
                <Icon name="inbox" />
                <strong class="grow">{text.inbox.waiting(data.unread)}</strong>
                <Icon name="next" />
              </Link>
            )}
            {data.offers > 0 && (
              <Link to={addressOf('trades')} class="panel row offers">
                <Icon name="trades" />
                <strong class="grow">{text.trades.waiting(data.offers)}</strong>
                <Icon name="next" />
              </Link>
            )}
            {(data.card || data.tier) && (
              <Link to={addressOf('membership')} class="panel row offers">
                <Icon name="membership" />
                <strong class="grow">{[data.card?.name, data.tier?.name].filter(Boolean).join(' · ')}</strong>
                <Icon name="next" />
              </Link>
            )}
            <div class="columns">
              <div>
                {!data.team && (
                  <Section title={text.home.chooseTeam}>
                    <p class="quiet">{text.home.chooseTeamLead}</p>
                    <Refused write={choose} />
                    <TeamChoice teams={data.teams} value={choose.busy} onChange={choose.run} />
                  </Section>
                )}
                <Section title={text.home.nextMatch} more={addressOf('matches')}>
                  {data.match ? (
                    <MatchCard match={data.match} teams={data.teams} competitions={data.competitions}>
                      <Link to={addressOf('matches')} class="button plain">
                        {text.home.predict}
                      </Link>
                    </MatchCard>
                  ) : (
                    <p class="panel quiet">{text.home.noMatch}</p>
                  )}
                </Section>
                <Claimable rewards={data.claimable} nearest={data.nearest} points={data.points} />
              </div>
              <div>
                {data.quests.length > 0 && (
                  <Section
                    title={data.isNew ? text.home.questsToBegin : text.home.quests}
                    more={addressOf('quests')}
                  >
                    <ul class="list">
                      {data.quests.slice(0, QUESTS).map(quest => (
                        <QuestRow key={`${quest.id} ${quest.period?.key}`} quest={quest} />
                      ))}
                    </ul>
                  </Section>
                )}
                <Section title={text.home.latest} more={addressOf('points')}>
                  {data.recentPoints.length === 0 ? (
                    <p class="panel quiet">{text.home.noPoints}</p>
                  ) : (
                    <EntryList entries={data.recentPoints} />
                  )}
                </Section>
              </div>
            </div>
          </>
        )}
      </Loading>
    </Screen>
  )
}

function Hero({ data, reload }: { data: HomeData; reload: () => Promise<void> }) {
  const { profile, points, rank, packs, joined, documents, team } = data
  return (
    <header class="hero">
      <div class="hero-who">
        {team && <Crest team={team} size="xl" />}
        <div class="hero-name">
          <h1>{profile.displayName ? text.home.hello(profile.displayName) : text.home.helloNew}</h1>
          {team && <p>{team.name}</p>}
        </div>
      </div>
      <div class="figures">
        <Link to={addressOf('points')} class="figure">
          <span>{text.home.points}</span>
          <strong data-testid="points">{formatInteger(points)}</strong>
        </Link>
        <Link to={addressOf('leaderboard')} class="figure">
          <span>{text.home.rank}</span>
          <strong>{rank === null ? '–' : formatInteger(rank)}</strong>
        </Link>
        <Link to={addressOf('packs')} class="figure">
          <span>{text.home.packs}</span>
          <strong>{formatInteger(packs.sealed)}</strong>
        </Link>
      </div>
      {!joined && <Join documents={documents} onJoined={reload} />}
    </header>
  )
}

interface ClaimableProps {
  rewards: api.Reward[]
  /** The reward that needs the fewest further points. */
  nearest: api.Reward | undefined
  points: number
}

const Claimable = ({ rewards, nearest, points }: ClaimableProps) => (
  <Section title={text.home.claimable} more={addressOf('rewards')}>
    {rewards.length === 0 && nearest && (
      <Link to={addressOf('rewards', nearest.id)} class="panel row">
        <Picture src={nearest.imageUrl} class="thumb" />
        <span class="grow">
          <strong class="line">{nearest.title}</strong>
          <span class="quiet line">{text.rewards.missing(nearest.missingPoints)}</span>
          <Progress
            label={text.rewards.progressOf(nearest.title)}
            value={points}
            max={nearest.pointsRequired}
          />
        </span>
        <Icon name="next" />
      </Link>
    )}
    {rewards.length === 0 ? (
      !nearest && <p class="panel quiet">{text.home.nothingClaimable}</p>
    ) : (
      <ul class="tiles">
        {rewards.slice(0, REWARDS).map(({ id, title, imageUrl }) => (
          <li key={id}>
            <Link to={addressOf('rewards', id)} class="tile small-tile">
              <Picture src={imageUrl} class="tile-picture" />
              <span class="tile-text">
                <strong>{title}</strong>
                <span class="ready">
                  <Icon name="check" />
                  {text.rewards.filters.ready}
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    )}
  </Section>
)

const HomeBones = () => (
  <>
    <div class="bone bone-hero" />
    <Bones kind="tile" />
  </>
)
