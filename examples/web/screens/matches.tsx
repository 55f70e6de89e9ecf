/**
 * The next matches and the latest results, with the fan's predictions, which can be changed until kick-off, and their
 * points.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import {
  followMatches,
  type Match,
  type Prediction as OwnPrediction,
  type PredictionRules,
  predict,
  type Question,
  readCompetitions,
  readMatches,
  readPredictionRules,
  readPredictions,
  readPrivacy,
  readProfile,
  readQuestions,
  readTeams,
} from '../api.ts'
import { formatMoment, formatShare, text } from '../lang/lang.ts'
import { Bones, type Loaded, Loading, useLoaded, useReloadAt, useWrite } from '../load.tsx'
import { AskPushes } from '../parts/ask-pushes.tsx'
import { Button } from '../parts/button.tsx'
import { Empty, Screen, Section } from '../parts/layout.tsx'
import { MatchCard } from '../parts/match-card.tsx'
import { Notice } from '../parts/notice.tsx'
import { Share } from '../parts/share.tsx'
import { mayAsk } from '../pushes.ts'
import { addressOf, Link } from '../router.tsx'

const SHOWN = 6
const DAY_MS = 86_400_000

/** Matches from yesterday on, so that current matches are included, and the latest results. */
async function loadMatches() {
  const from = new Date(Date.now() - DAY_MS).toISOString()
  const [coming, finished, { teams }, { predictions }, { questions }, { competitions }] = await Promise.all([
    readMatches({ from, limit: 20 }),
    // By kick-off, earliest first: a season has fewer.
    readMatches({ status: 'finished', limit: 100 }),
    readTeams(),
    readPredictions(),
    readQuestions(),
    readCompetitions(),
  ])
  const next = coming.matches.filter(({ status }) => status !== 'finished').slice(0, SHOWN)
  const results = finished.matches.toReversed().slice(0, SHOWN)
  const withRules = new Set(competitions.map(({ id }) => id))
  // What a running match would give is drawn by its rules.
  const ruled = [...next, ...results].filter(
    ({ competition, status }) => withRules.has(competition) || status === 'live',
  )
  const rules = await Promise.all(ruled.map(({ id }) => readPredictionRules(id)))
  const hasExact = predictions.some(({ settled }) => settled?.exact)
  const [profile, privacy] = hasExact ? await Promise.all([readProfile(), readPrivacy()]) : []
  return {
    teams,
    handle: profile?.handle ?? null,
    isPublic: privacy?.activity === 'public',
    predictions: new Map(predictions.map(prediction => [prediction.matchId, prediction])),
    questions,
    next,
    results,
    competitions,
    rules: new Map(rules.map(one => [one.matchId, one])),
    jokersUsed: jokersUsed([...coming.matches, ...finished.matches], predictions),
  }
}

/** Jokers on shown matches, by competition and season. */
function jokersUsed(matches: Match[], predictions: OwnPrediction[]): Map<string, number> {
  const seasons = new Map(matches.map(match => [match.id, seasonOf(match)]))
  const used = predictions.flatMap(({ matchId, joker }) => (joker ? (seasons.get(matchId) ?? []) : []))
  return new Map([...Map.groupBy(used, season => season)].map(([season, all]) => [season, all.length]))
}
const seasonOf = ({ competition, season }: Match) => JSON.stringify([competition, season])

type MatchesData = Awaited<ReturnType<typeof loadMatches>>

export function Matches() {
  const list = useLoaded('matches', loadMatches)
  useLiveMatches(list)
  // Predictions close, and check-in opens and closes.
  useReloadAt(
    list.data?.next.flatMap(({ id, kickoffAt, checkIn }) => [
      ...[kickoffAt, checkIn?.opensAt, checkIn?.closesAt],
      list.data?.rules.get(id)?.closesAt,
    ]) ?? [],
    list.reload,
  )
  /** The match after which the fan is asked for pushes. */
  const [predicted, setPredicted] = useState<string | null>(null)
  const askAfter = async (matchId: string) => {
    if (predicted === null && (await mayAsk())) setPredicted(matchId)
  }
  const draw = (matches: Match[], data: MatchesData) => (
    <ul class="match-grid">
      {matches.map(match => (
        <li key={match.id}>
          <MatchCard match={match} teams={data.teams} competitions={data.competitions}>
            <Prediction
              match={match}
              data={data}
              reload={list.reload}
              onPredicted={() => void askAfter(match.id)}
            />
            {predicted === match.id && <AskPushes />}
            <Rounds matchId={match.id} questions={data.questions} />
          </MatchCard>
        </li>
      ))}
    </ul>
  )
  return (
    <Screen title={text.matches.title}>
      <Loading of={list} skeleton={<Bones kind="tile" count={4} />}>
        {data => (
          <>
            {data.next.some(isCheckInOpen) && <CheckIn />}
            <Section title={text.matches.next}>
              {data.next.length === 0 ? <Empty>{text.matches.empty}</Empty> : draw(data.next, data)}
            </Section>
            {data.results.length > 0 && (
              <Section title={text.matches.results}>{draw(data.results, data)}</Section>
            )}
          </>
        )}
      </Loading>
    </Screen>
  )
}

/** Leads to the questions of a match. */
const Rounds = ({ matchId, questions }: { matchId: string; questions: Question[] }) => {
  const own = questions.filter(question => question.matchId === matchId)
  if (own.length === 0) return null
  const isOpen = own.some(({ state }) => state === 'open')
  return (
    <p class="actions">
      <Link to={addressOf('matches', matchId)} class={`button ${isOpen ? 'main' : 'plain'}`}>
        {isOpen ? text.rounds.play : text.rounds.title}
      </Link>
    </p>
  )
}

/** Reads the matches again when a shown match starts, has a goal, ends or is rescheduled. */
function useLiveMatches({ data, reload }: Loaded<MatchesData>) {
  const shown = useRef(data)
  shown.current = data
  const ids = data?.next.map(({ id }) => id).join() ?? ''
  useEffect(() => {
    if (ids === '') return
    const known = new Set<string>()
    return followMatches(ids.split(','), (matchId, state) => {
      const match = shown.current?.next.find(({ id }) => id === matchId)
      const isFirst = !known.has(matchId)
      known.add(matchId)
      const isShown =
        match?.status === state?.status &&
        match?.homeScore === state?.homeScore &&
        match?.awayScore === state?.awayScore
      if (!isFirst || !isShown) void reload()
    })
  }, [ids, reload])
}

function isCheckInOpen({ checkIn }: Match): boolean {
  const now = Date.now()
  return checkIn !== null && Date.parse(checkIn.opensAt) <= now && now <= Date.parse(checkIn.closesAt)
}

/** By this device's clock; the server decides by its own clock. */
const isOpen = ({ status, kickoffAt }: Match, rules: PredictionRules | undefined) =>
  (status === 'scheduled' || status === 'postponed') &&
  Date.parse(rules?.closesAt ?? kickoffAt) > Date.now() &&
  !rules?.split

interface PredictionProps {
  match: Match
  data: Pick<MatchesData, 'teams' | 'predictions' | 'rules' | 'jokersUsed' | 'handle' | 'isPublic'>
  reload: () => Promise<void>
  onPredicted?: () => void
}

export function Prediction({ match, data, reload, onPredicted }: PredictionProps) {
  const { teams, predictions, handle, isPublic } = data
  const own = predictions.get(match.id)
  const rules = data.rules.get(match.id)
  const nameOf = (id: string) => teams.find(team => team.id === id)?.name ?? id
  const [home, away] = [nameOf(match.homeTeamId), nameOf(match.awayTeamId)]
  const write = useWrite(async (scores: { homeScore: number; awayScore: number; joker?: boolean }, key) => {
    await predict({ matchId: match.id, ...scores }, key)
    await reload()
    onPredicted?.()
  })
  if (!isOpen(match, rules))
    return (
      <>
        <p class="predicted">{own ? describeOwn(own, rules, match) : text.matches.none}</p>
        {rules?.split && <Split of={rules.split} home={home} away={away} />}
        {own?.settled?.exact && <ShareExact matchId={match.id} handle={handle} isPublic={isPublic} />}
      </>
    )
  // That of this prediction can be moved.
  const used = (data.jokersUsed.get(seasonOf(match)) ?? 0) - (own?.joker ? 1 : 0)
  const jokersLeft = Math.max((rules?.joker ?? 0) - used, 0)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const scores = { homeScore: Number(fields.get('home')), awayScore: Number(fields.get('away')) }
    return write.run(rules?.joker == null ? scores : { ...scores, joker: fields.has('joker') })
  }
  return (
    <>
      <form class="predict" onSubmit={submit}>
        <Score name="home" label={home} value={own?.homeScore} />
        <span aria-hidden="true">–</span>
        <Score name="away" label={away} value={own?.awayScore} />
        <Button
          submit
          kind={own ? 'plain' : 'main'}
          busy={write.isBusy}
          label={own ? text.matches.changeOf(home, away) : text.matches.predictOf(home, away)}
        >
          {own ? text.matches.change : text.matches.predict}
        </Button>
        {rules?.joker != null && (
          <label class="joker">
            <input name="joker" type="checkbox" defaultChecked={own?.joker} disabled={jokersLeft === 0} />
            <span>
              {text.matches.joker}{' '}
              <span class="quiet">{text.matches.jokersLeft(jokersLeft, rules.joker)}</span>
            </span>
          </label>
        )}
      </form>
      {rules && <p class="predicted">{text.matches.closes(formatMoment(rules.closesAt))}</p>}
      {own && <p class="predicted">{describeOwn(own, rules, match)}</p>}
      {write.error !== null && <Notice error={write.error} />}
    </>
  )
}

/** Others open the page only if the fan shows everyone what they do, under a handle. */
const ShareExact = (props: { matchId: string; handle: string | null; isPublic: boolean }) => {
  const { matchId, handle, isPublic } = props
  if (handle === null)
    return (
      <p class="predicted">
        <Link to={addressOf('profile')}>{text.matches.shareNeedsHandle}</Link>
      </p>
    )
  if (!isPublic)
    return (
      <p class="predicted">
        <Link to={addressOf('profile', 'privacy')}>{text.matches.shareNeedsAudience}</Link>
      </p>
    )
  return (
    <p class="actions">
      <Share path={`/shared/predictions/${matchId}/${handle}`} title={text.matches.exact} />
    </p>
  )
}

const Score = ({ name, label, value }: { name: string; label: string; value: number | undefined }) => (
  <input
    name={name}
    aria-label={label}
    type="number"
    inputMode="numeric"
    min={0}
    max={99}
    required
    // Not `value`: what the fan types is kept when the page is drawn again.
    defaultValue={value === undefined ? '' : String(value)}
  />
)

const outcomeOf = ({ homeScore, awayScore }: { homeScore: number; awayScore: number }) =>
  homeScore > awayScore ? 'home' : homeScore < awayScore ? 'away' : 'draw'

/** What a prediction gives if a live match ends at its score. Null: the match is not live. */
function pointsAtScore(
  own: OwnPrediction,
  { points, split }: PredictionRules,
  { status, homeScore, awayScore }: Match,
): number | null {
  if (status !== 'live' || homeScore === null || awayScore === null) return null
  const chosen = outcomeOf(own)
  const isDifference = own.homeScore - own.awayScore === homeScore - awayScore
  const sum =
    isDifference && own.homeScore === homeScore
      ? points.exact
      : isDifference
        ? points.difference
        : chosen === outcomeOf({ homeScore, awayScore })
          ? (split?.[chosen].points ?? points.outcome)
          : 0
  return own.joker ? 2 * sum : sum
}

function describeOwn(prediction: OwnPrediction, rules: PredictionRules | undefined, match: Match): string {
  const { homeScore, awayScore, state, settled, joker } = prediction
  const own = text.matches.yours(homeScore, awayScore)
  if (state === 'void') return `${own}, ${text.matches.void}`
  if (!settled) {
    const points = rules ? pointsAtScore(prediction, rules, match) : null
    return [
      own,
      ...(joker ? [text.matches.withJoker] : []),
      ...(points === null ? [] : [text.matches.atThisScore(points)]),
    ].join(', ')
  }
  const chosen = outcomeOf(prediction)
  const outcome = settled.outcome && !settled.difference ? rules?.split?.[chosen].points : undefined
  const more = outcome === undefined ? 0 : outcome - (rules?.points.outcome ?? outcome)
  const bonus = joker ? 2 * more : more
  return [
    ...[own, text.matches.earned(settled.points)],
    ...(bonus > 0 ? [text.matches.fromCrowd(bonus)] : []),
    ...(joker && settled.points > 0 ? [text.matches.doubled] : []),
  ].join(', ')
}

/** How fans chose: told once predictions are closed. */
const Split = (props: { of: NonNullable<PredictionRules['split']>; home: string; away: string }) => {
  const { of, home, away } = props
  const share = (part: { predictions: number }) => formatShare(part.predictions / Math.max(of.predictions, 1))
  return (
    <dl class="chosen">
      {(
        [
          [home, of.home],
          [text.matches.draw, of.draw],
          [away, of.away],
        ] as const
      ).map(([name, part]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {share(part)} <span class="quiet">{text.matches.earned(part.points)}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const CheckIn = () => (
  <section class="panel check-in">
    <h2>{text.matches.checkIn}</h2>
    <p>{text.matches.checkInLead}</p>
    <p>
      <Link to={addressOf('check-in')} class="button main">
        {text.matches.checkIn}
      </Link>
    </p>
  </section>
)
