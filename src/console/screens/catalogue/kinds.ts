/** The kinds of entries, as the API lists them, and the states of an entry. */
import type { EntryState } from '../../../operate/console/catalogue/states.ts'
import type { Tone } from '../../parts/badge.tsx'

export interface Kind {
  kind: string
  /** In addresses of files: `rewards`. */
  list: string
  about: string
  /** Whether entries give points, cash or goods. */
  givesValue: boolean
  entries: number
}

/** In the order of the tabs: first what gives fans something. */
export const inOrder = (kinds: Kind[]): Kind[] =>
  kinds.toSorted((a, b) => Number(b.givesValue) - Number(a.givesValue))

export const titleOf = ({ list }: Kind): string => list.charAt(0).toUpperCase() + list.slice(1)

export type State = EntryState

export const STATES: Record<State, { title: string; tone: Tone }> = {
  live: { title: 'Live', tone: 'good' },
  scheduled: { title: 'Scheduled', tone: 'info' },
  over: { title: 'Over', tone: 'neutral' },
  off: { title: 'Off', tone: 'neutral' },
}
