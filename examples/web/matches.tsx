/** The next matches and the latest results, with the fan's predictions: written until kick-off, then what they earned. */
import { api, need } from './api.ts'
import { Loading, useLoaded } from './load.tsx'

const SHOWN = 6
const DAY_MS = 86_400_000

type Match = Awaited<ReturnType<typeof loadMatches>>['next'][number]
type Scores = Pick<NonNullable<Match['prediction']>, 'homeScore' | 'awayScore'>

/** Matches from yesterday on, so that one that is played now is shown, and the latest results. */
async function loadMatches() {
  const from = new Date(Date.now() - DAY_MS).toISOString()
  const [coming, finished, { teams }, { predictions }] = await Promise.all([
    need(api.matches.get({ query: { from, limit: '20' } })),
    // By kick-off, earliest first: a season has fewer.
    need(api.matches.get({ query: { status: 'finished', limit: '100' } })),
    need(api.teams.get()),
    need(api.user.predictions.get({ query: { limit: '100' } })),
  ])
  const names = new Map(teams.map(({ id, name }) => [id, name]))
  const own = new Map(predictions.map(prediction => [prediction.matchId, prediction]))
  const complete = (match: (typeof coming.matches)[number]) => ({
    ...match,
    home: names.get(match.homeTeamId) ?? match.homeTeamId,
    away: names.get(match.awayTeamId) ?? match.awayTeamId,
    prediction: own.get(match.id),
  })
  const next = coming.matches.filter(({ status }) => status !== 'finished')
  return {
    next: next.slice(0, SHOWN).map(complete),
    results: finished.matches.toReversed().slice(0, SHOWN).map(complete),
  }
}

export function Matches() {
  const list = useLoaded(loadMatches)
  const predict = (matchId: string, scores: Scores) =>
    list.act(() => need(api.matches({ matchId }).prediction.put(scores)))
  return (
    <>
      <h1>Matches</h1>
      <Loading of={list}>
        {({ next, results }) => (
          <>
            <h2>Next matches</h2>
            {next.length === 0 ? <p>No matches are planned.</p> : <List matches={next} onPredict={predict} />}
            {results.length > 0 && (
              <>
                <h2>Latest results</h2>
                <List matches={results} onPredict={predict} />
              </>
            )}
          </>
        )}
      </Loading>
    </>
  )
}

interface ListProps {
  matches: Match[]
  onPredict(matchId: string, scores: Scores): void
}

const List = ({ matches, onPredict }: ListProps) => (
  <ul>
    {matches.map(match => (
      <li key={match.id} class="stacked">
        <span class="quiet">{describeMatch(match)}</span>
        {isOpen(match) ? (
          <PredictionForm match={match} onPredict={scores => onPredict(match.id, scores)} />
        ) : (
          <Scoreline match={match} />
        )}
        <span role="status">{describePrediction(match)}</span>
      </li>
    ))}
  </ul>
)

/** The server decides: a form that is sent too late is refused. */
const isOpen = ({ status, kickoffAt }: Match) => status === 'scheduled' && Date.parse(kickoffAt) > Date.now()

function PredictionForm({ match, onPredict }: { match: Match; onPredict(scores: Scores): void }) {
  const { home, away, prediction } = match
  const verb = prediction ? 'Change' : 'Predict'
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    onPredict({ homeScore: Number(form.get('homeScore')), awayScore: Number(form.get('awayScore')) })
  }
  return (
    <form aria-label={`${home} – ${away}`} onSubmit={submit}>
      <Goals name="homeScore" team={home} value={prediction?.homeScore} />
      <Goals name="awayScore" team={away} value={prediction?.awayScore} />
      <button type="submit" aria-label={`${verb} ${home} – ${away}`}>
        {verb}
      </button>
    </form>
  )
}

interface GoalsProps {
  name: keyof Scores
  team: string
  value: number | undefined
}

function Goals({ name, team, value }: GoalsProps) {
  return (
    <label>
      {team}
      <input
        name={name}
        type="number"
        inputMode="numeric"
        min={0}
        max={99}
        required
        // Not `value`: what the fan types is kept when the page is drawn again.
        defaultValue={value === undefined ? '' : String(value)}
      />
    </label>
  )
}

function Scoreline({ match: { home, away, homeScore, awayScore } }: { match: Match }) {
  return (
    <strong>
      {homeScore === null ? `${home} – ${away}` : `${home} ${homeScore} – ${awayScore} ${away}`}
    </strong>
  )
}

function describeMatch({ kickoffAt, competition, round, status }: Match): string {
  const time = new Date(kickoffAt).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
  return [time, competition, round, status === 'scheduled' ? null : status].filter(Boolean).join(', ')
}

function describePrediction(match: Match): string {
  const { prediction } = match
  if (!prediction) return isOpen(match) ? '' : 'You have not predicted this match.'
  const own = `Your prediction: ${prediction.homeScore} – ${prediction.awayScore}`
  if (prediction.state === 'void') return `${own}, void`
  return prediction.settled ? `${own}, ${prediction.settled.points} points` : own
}
