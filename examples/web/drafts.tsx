/** What the previews show, made of a draft: it may lack any member, and what follows from the fan is made up. */
import type { ComponentChild } from 'preact'
import type * as api from './api.ts'
import { MatchCard } from './parts/match-card.tsx'
import { Prediction } from './screens/matches.tsx'

/** A draft may lack any member, and have any value in it. */
export type Entry = Record<string, unknown>

/** The entries that the draft names, in the language of the page. */
export interface Named {
  teams: Pick<api.Team, 'id' | 'name' | 'shortName' | 'primaryColor' | 'secondaryColor' | 'crestUrl'>[]
  competitions: { id: string; name: string }[]
  sponsors: api.Sponsor[]
  players: { id: string; name: string; imageUrl: string | null }[]
  collectibles: { id: string; name: string; imageUrl: string | null; rarity: string }[]
}

const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** Members of a table by default, and of the longest one that a preview draws. */
const [DEFAULT_SIZE, MAX_SHOWN] = [30, 12]
export const after = (ms: number) => new Date(Date.now() + ms).toISOString()
export const listOf = (value: unknown): Entry[] => (Array.isArray(value) ? value.map(Object) : [])
export const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
export const pictureOf = (value: unknown) => (typeof value === 'string' ? value : null)
/** Without an amount or a currency it is 0 points. */
export function priceOf({ price }: Entry): api.Pack['price'] {
  const { amount, currency } = Object(price)
  const isComplete = typeof amount === 'number' && /^[A-Z]{3,6}$/.test(textOf(currency))
  return isComplete ? { amount, currency } : { amount: 0, currency: 'POINTS' }
}
export const sponsorOf = ({ sponsorId }: Entry, { sponsors }: Named) =>
  sponsors.find(({ id }) => id === sponsorId) ?? null

type Choices = api.Question['options']

/** Open, before the fan has voted. */
export function questionOf(entry: Entry, options: Choices, sponsor: api.Question['sponsor']): api.Question {
  const scale = Number(Object(entry.options).scale) || null
  return {
    id: textOf(entry.id),
    matchId: null,
    title: textOf(entry.title),
    imageUrl: pictureOf(entry.imageUrl),
    // Guarantee of the cast: the form offers the kinds of questions.
    kind: (entry.kind ?? 'poll') as api.Question['kind'],
    options,
    scale: Array.isArray(entry.options) ? null : scale,
    state: 'open',
    opensAt: after(-HOUR_MS),
    closesAt: after(HOUR_MS),
    changeable: entry.changeable === true,
    sponsor,
    points: typeof entry.points === 'number' ? entry.points : null,
    requires: {},
    myVote: null,
    results: null,
    correct: null,
  }
}

/** A full table of the second level, or of the only one, in which the fan is in the middle. */
export function divisionOf(entry: Entry): api.Division {
  const levels = listOf(entry.levels)
  const at = Math.min(1, levels.length - 1)
  const size = Math.min(MAX_SHOWN, Math.max(2, Number(entry.size) || DEFAULT_SIZE))
  const level = levels[at] ?? {}
  const share = Math.min(1, size / (Number(entry.size) || DEFAULT_SIZE))
  const shareOf = (count: unknown) => Math.ceil((Number(count) || 0) * share)
  const up = at < levels.length - 1 ? shareOf(level.up) : 0
  const down = at > 0 ? shareOf(level.down) : 0
  const entries: api.Division['entries'] = Array.from({ length: size }, (_, index) => ({
    handle: null,
    displayName: null,
    avatarUrl: null,
    rank: index + 1,
    points: (size - index) * 5,
    zone: index < up ? 'up' : index >= size - down ? 'down' : 'stays',
  }))
  return {
    id: textOf(entry.id),
    name: textOf(entry.name),
    level: { id: textOf(level.id), name: textOf(level.name), number: at + 1, of: Math.max(1, levels.length) },
    rank: Math.ceil(size / 2),
    size,
    up,
    down,
    entries,
    last: null,
    endsAt: after((entry.every === 'month' ? 12 : 3) * DAY_MS),
  }
}

const side = (id: string, shortName: string, primaryColor: string) => ({
  id,
  name: shortName,
  shortName,
  primaryColor,
  secondaryColor: '#ffffff',
  crestUrl: null,
})
/** Two teams for a competition, which has none of its own. */
export const NOBODY: Named = {
  teams: [side('home', 'AAA', '#1d5fa8'), side('away', 'BBB', '#a8321d')],
  competitions: [],
  sponsors: [],
  players: [],
  collectibles: [],
}

/** A match with the form to predict it, by the rules of the competition, if it has any. */
export function matchOf(entry: Entry, named: Named, competition: Entry | null): ComponentChild {
  const { id, venue, round, status = 'scheduled', homeScore, awayScore } = entry
  const kickoffAt = Number.isNaN(Date.parse(textOf(entry.kickoffAt)))
    ? after(DAY_MS)
    : textOf(entry.kickoffAt)
  const name = competition
    ? textOf(competition.name)
    : (named.competitions.find(one => one.id === entry.competition)?.name ?? textOf(entry.competition))
  const match = {
    id: textOf(id),
    competition: name,
    season: '',
    round: pictureOf(round),
    venue: pictureOf(venue),
    homeTeamId: textOf(entry.homeTeamId) || 'home',
    awayTeamId: textOf(entry.awayTeamId) || 'away',
    kickoffAt,
    status,
    homeScore: homeScore ?? null,
    awayScore: awayScore ?? null,
    revision: 1,
    sponsorId: null,
    checkIn: null,
    sponsor: sponsorOf(entry, named),
  } as api.Match
  const rules = {
    matchId: match.id,
    closesAt: kickoffAt,
    joker: competition?.joker ?? null,
    split: null,
    points: competition?.points,
  } as api.PredictionRules
  const teams = named.teams as api.Team[]
  const data = {
    teams,
    predictions: new Map(),
    jokersUsed: new Map(),
    handle: null,
    isPublic: false,
    rules: new Map(competition ? [[match.id, rules]] : []),
  }
  return (
    <MatchCard match={match} teams={teams} competitions={[]}>
      <Prediction match={match} data={data} reload={async () => {}} />
    </MatchCard>
  )
}
