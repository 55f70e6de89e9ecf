/** Sends the state of a match as its next revision, and takes it back. */
import { api } from '../../api.ts'
import type { Resource } from '../../parts/resource.ts'
import { toast } from '../../parts/toast.tsx'
import { type MatchDetail, scoreOf } from './words.ts'

export type State = Pick<MatchDetail, 'status' | 'homeScore' | 'awayScore' | 'kickoffAt'>

export const stateOf = ({ status, homeScore, awayScore, kickoffAt }: State): State => ({
  status,
  homeScore,
  awayScore,
  kickoffAt,
})

export const isSameState = (a: State, b: State) => JSON.stringify(stateOf(a)) === JSON.stringify(stateOf(b))

/** Sends a change that can be taken back by the state before, unless someone has changed the match meanwhile. */
export async function reportWithUndo(
  match: Resource<MatchDetail>,
  of: MatchDetail,
  next: State,
  what: string,
) {
  const before = stateOf(of)
  const saved = await api.reportMatch({ matchId: of.id, ...next, revision: of.revision + 1 })
  match.set(saved)
  toast(what, async () => {
    const now = await api.readConsoleMatch({ matchId: of.id })
    match.set(now)
    if (!isSameState(now, next)) throw new Error('The match has changed since.')
    match.set(await api.reportMatch({ matchId: of.id, ...before, revision: now.revision + 1 }))
    return `It stands at ${scoreOf(before) ?? 'no score'} again.`
  })
}

/** Milliseconds after which the server takes a result without a second confirmation. */
const SHORTEST_MATCH_MS = 45 * 60_000

export const isEarly = (kickoffAt: string, now: number) => now < Date.parse(kickoffAt) + SHORTEST_MATCH_MS

const BREAK = { from: 45, minutes: 15 }
const FULL = 90

/** The minute of a live match by its kick-off and a usual break; null before it. */
export function minuteOf(kickoffAt: string, now: number): string | null {
  const minute = Math.floor((now - Date.parse(kickoffAt)) / 60_000) + 1
  if (minute < 1) return null
  if (minute <= BREAK.from) return `${minute}′`
  if (minute <= BREAK.from + BREAK.minutes) return `${BREAK.from}+′`
  const later = minute - BREAK.minutes
  return later <= FULL ? `${later}′` : `${FULL}+′`
}
