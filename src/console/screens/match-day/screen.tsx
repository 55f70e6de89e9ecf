/** Match day: the matches of a day or a season, and one of them. */

import { api } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { SelectField } from '../../parts/form.tsx'
import { formatClock, formatCount, formatDay, fromWallTime, toWallTime } from '../../parts/format.ts'
import { Page, Section, Toolbar } from '../../parts/page.tsx'
import { usePages, useResource } from '../../parts/resource.ts'
import { Empty } from '../../parts/states.tsx'
import { type Column, DataTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { addressOf, route, useParameter } from '../../router.tsx'
import { MatchScreen } from './match.tsx'
import { WallScreen } from './wall.tsx'
import { type ListedMatch, nameOf, scoreOf, statusOf } from './words.ts'

export function Screen() {
  const [, matchId, view] = route.value
  if (matchId === undefined) return <Matches />
  if (view === 'wall') return <WallScreen key={matchId} matchId={matchId} />
  return <MatchScreen key={matchId} matchId={matchId} />
}

const DAY_MS = 86_400_000

/** Whether the address has a day that exists. */
const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00Z`))

/** `2026-11-25` of an instant, in the staff's zone. */
const dayOf = (instant: number) => toWallTime(new Date(instant).toISOString()).slice(0, 10)

function Matches() {
  const [season, setSeason] = useParameter('season')
  const [written, setDay] = useParameter('day')
  const day = isDay(written) ? written : dayOf(Date.now())
  const from = fromWallTime(`${day}T00:00`)
  const noon = Date.parse(`${day}T12:00Z`)
  const to = fromWallTime(`${dayOf(noon + DAY_MS)}T00:00`)
  const seasons = useResource('seasons', signal => api.listSeasons({}, { signal }))
  const query = season === '' ? { from: from ?? undefined, to: to ?? undefined } : { season }
  const pages = usePages<ListedMatch>(`matches ${JSON.stringify(query)}`, async (cursor, signal) => {
    const page = await api.listConsoleMatches({ ...query, cursor, limit: 100 }, { signal })
    return { items: page.matches, nextCursor: page.nextCursor }
  })
  const step = (days: number) => setDay(dayOf(noon + days * DAY_MS))
  return (
    <Page title="Match day" about="The matches of a day: their scores, what fans predict, and who comes in.">
      <Toolbar>
        {season === '' && (
          <div class="day-steps">
            <Button icon="back" label="The day before" onClick={() => step(-1)} />
            <input
              type="date"
              aria-label="Day"
              value={day}
              onChange={event => setDay(event.currentTarget.value)}
            />
            <Button icon="next" label="The day after" onClick={() => step(1)} />
            <Button onClick={() => setDay('')}>Today</Button>
          </div>
        )}
        <SelectField
          label="Show"
          required
          value={season}
          options={[
            { value: '', title: 'A day' },
            ...(seasons.data?.seasons ?? []).map(value => ({ value, title: `Season ${value}` })),
          ]}
          onChange={setSeason}
        />
      </Toolbar>
      <Section title={season === '' ? formatDay(new Date(noon).toISOString()) : `Season ${season}`} flush>
        <DataTable
          label="Matches"
          columns={season === '' ? COLUMNS : [...COLUMNS.slice(0, 1), DATE, ...COLUMNS.slice(1)]}
          rowKey={({ id }) => id}
          pages={pages}
          href={({ id }) => addressOf('match-day', id)}
          empty={
            <Empty icon="matchDay" title={season === '' ? 'No match on this day' : 'No match in this season'}>
              {season === '' && to !== null ? (
                <NextMatch from={to} onOpen={setDay} />
              ) : (
                <p>Matches come from the catalogue.</p>
              )}
            </Empty>
          }
        />
      </Section>
    </Page>
  )
}

/** Leads from a day without matches to the next day with matches. */
function NextMatch({ from, onOpen }: { from: string; onOpen: (day: string) => void }) {
  const next = useResource(`match after ${from}`, signal =>
    api.listConsoleMatches({ from, limit: 1 }, { signal }),
  )
  if (next.data === null) return null
  const [match] = next.data.matches
  if (!match) return <p>No later match is in the catalogue.</p>
  return (
    <>
      <p>
        The next one is <bdi>{nameOf(match)}</bdi>, <Time at={match.kickoffAt} />.
      </p>
      <Button onClick={() => onOpen(dayOf(Date.parse(match.kickoffAt)))}>Show that day</Button>
    </>
  )
}

const DATE: Column<ListedMatch> = {
  id: 'date',
  title: 'Date',
  width: '10rem',
  hide: 'narrow',
  under: true,
  cell: ({ kickoffAt }) => <Time at={kickoffAt} />,
}

const COLUMNS: Column<ListedMatch>[] = [
  { id: 'match', title: 'Match', cell: match => <bdi class="strong">{nameOf(match)}</bdi> },
  {
    id: 'kickoff',
    title: 'Kick-off',
    under: true,
    width: '6.25rem',
    cell: ({ kickoffAt }) => formatClock(kickoffAt),
  },

  {
    id: 'score',
    title: 'Score',
    width: '4rem',
    align: 'end',
    cell: match => <span class="amount">{scoreOf(match) ?? '–'}</span>,
  },
  {
    id: 'status',
    title: 'Status',
    width: '8rem',
    hide: 'narrow',
    under: true,
    cell: ({ status, active }) =>
      active ? (
        <Badge tone={statusOf(status).tone}>{statusOf(status).title}</Badge>
      ) : (
        <Badge tone="warn">Switched off</Badge>
      ),
  },
  {
    id: 'competition',
    title: 'Competition',
    width: '13rem',
    hide: 'middle',
    cell: ({ competition, round }) => <bdi>{[competition, round].filter(Boolean).join(', ')}</bdi>,
  },
  {
    id: 'settlement',
    title: 'Predictions',
    width: '8rem',
    hide: 'narrow',
    under: true,
    align: 'end',
    cell: ({ predictions, settlement }) => (
      <>
        {settlement === 'running' && <Badge tone="info">Settling</Badge>}{' '}
        <span class="amount">{formatCount(predictions)}</span>
      </>
    ),
  },
]
