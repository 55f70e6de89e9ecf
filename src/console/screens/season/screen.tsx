/** The season for people who decide: what fans do and come back for, what points cost, and what came of what the club gives. */
import { api } from '../../api.ts'
import { formatTime, nameOfCountry } from '../../parts/format.ts'
import { Columns, Page } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Empty, Loaded, Note, Skeleton } from '../../parts/states.tsx'
import { Choice } from '../../parts/tabs.tsx'
import { useChoice, useParameter } from '../../router.tsx'
import { Funnel, Retention, TeamRetention } from './fans.tsx'
import { MatchHeat } from './matches.tsx'
import { Balances, Outstanding, Points } from './points.tsx'
import { Results, Stock } from './results.tsx'
import { Sponsors } from './sponsors.tsx'
import { Webhooks } from './webhooks.tsx'
import type { Season } from './words.ts'

const PERIODS = ['90', '30', '365'] as const
const OPTIONS = [
  { value: '30', title: '30 days' },
  { value: '90', title: '90 days' },
  { value: '365', title: '1 year' },
] as const

export function Screen() {
  const [days, setDays] = useChoice<(typeof PERIODS)[number]>('days', PERIODS)
  const [segment, setSegment] = useParameter('segment', 'all')
  const season = useResource(`season ${days} ${segment}`, signal =>
    api.readSeason({ days, segment }, { signal }),
  )
  return (
    <Page
      title="Season"
      about="What fans do and come back for, what points cost, and what came of what the club gives."
      actions={<Choice label="Period" options={OPTIONS} value={days} onChange={setDays} />}
    >
      <Loaded of={season} skeleton={<Bones />}>
        {data =>
          data.countedUntil === null ? (
            <Empty icon="overview" title="Nothing is counted yet">
              <p>The first figures appear ten minutes after the first fan signs in.</p>
            </Empty>
          ) : (
            <Charts season={data} segment={segment} onSegment={setSegment} />
          )
        }
      </Loaded>
    </Page>
  )
}

interface ChartsProps {
  season: Season
  segment: string
  onSegment: (segment: string) => void
}

const Charts = ({ season, segment, onSegment }: ChartsProps) => (
  <>
    <p class="quiet">
      Counted until {formatTime(season.countedUntil ?? '')}. Days and weeks are in UTC.
      {season.points.isMoneyHidden && ' Your role does not see money.'}
    </p>
    <div class="season-tools">
      <h2 class="group-title">Fans</h2>
      <Segments of={season.segments} value={segment} onChange={onSegment} />
    </div>
    {season.funnel.every(({ fans }) => fans === 0) && (
      <Note>No fan of this selection has joined in the period.</Note>
    )}
    <Columns>
      <Funnel of={season.funnel} days={season.days.length} />
      <TeamRetention teams={season.retention.teams} />
    </Columns>
    <Retention weeks={season.retention.weeks} />
    <h2 class="group-title">Match days</h2>
    <MatchHeat matches={season.matches} />
    <h2 class="group-title">Points</h2>
    <Columns>
      <Points of={season.points} days={season.days} />
      <Outstanding of={season.points} days={season.days} />
    </Columns>
    <Balances of={season.balances} />
    <h2 class="group-title">Results</h2>
    <Results of={season.results} isMoneyHidden={season.points.isMoneyHidden} />
    <Sponsors of={season.sponsors} days={season.days} />
    <Stock of={season.stock} />
    {season.webhooks !== null && <Webhooks of={season.webhooks} days={season.days} />}
  </>
)

interface SegmentsProps {
  of: Season['segments']
  value: string
  onChange: (segment: string) => void
}

/** All fans, those of a team or of a country. */
const Segments = ({ of: { teams, countries }, value, onChange }: SegmentsProps) => (
  <select aria-label="Which fans" value={value} onChange={event => onChange(event.currentTarget.value)}>
    <option value="all">All fans</option>
    <optgroup label="Team">
      {teams.map(({ id, name }) => (
        <option key={id} value={`team:${id}`}>
          {name}
        </option>
      ))}
    </optgroup>
    {countries.length > 0 && (
      <optgroup label="Country">
        {countries.map(code => (
          <option key={code} value={`country:${code}`}>
            {nameOfCountry(code)}
          </option>
        ))}
      </optgroup>
    )}
  </select>
)

const Bones = () => (
  <>
    <Columns>
      <Skeleton kind="chart" />
      <Skeleton kind="chart" />
    </Columns>
    <Skeleton kind="chart" />
    <Skeleton kind="chart" />
  </>
)
