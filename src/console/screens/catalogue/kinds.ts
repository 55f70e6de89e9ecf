/** The kinds of entries, as the API lists them, and the states of an entry. */
import type { Data } from '../../api.ts'
import type { Tone } from '../../parts/badge.tsx'
import { sentence } from '../../parts/capital.ts'

export type Kind = Data<'listCatalogueKinds'>['kinds'][number]
export type KindName = Kind['kind']

/** In the order of the tabs: first kinds that give fans something, of which those with pictures, such as rewards. */
export const inOrder = (kinds: Kind[]): Kind[] => kinds.toSorted((a, b) => rankOf(b) - rankOf(a))

const rankOf = ({ givesValue, columns }: Kind) => (givesValue ? 1 + Number(columns.includes('picture')) : 0)

/** Campaigns of messages are no kind: they are notifications, with an area of their own. */
export const nounOf = (kind: KindName): string => (kind === 'campaign' ? 'code campaign' : kind)

export function titleOf({ kind, list }: Pick<Kind, 'kind' | 'list'>): string {
  return sentence(kind === 'campaign' ? 'code campaigns' : list)
}

export type ShownEntry = Data<'readCatalogueEntry'>
export type ListedEntry = Data<'listCatalogueEntries'>['entries'][number]
export type State = ListedEntry['state']

export const STATES: Record<State, { title: string; tone: Tone }> = {
  live: { title: 'Live', tone: 'good' },
  scheduled: { title: 'Scheduled', tone: 'info' },
  over: { title: 'Over', tone: 'neutral' },
  off: { title: 'Off', tone: 'neutral' },
}

export const SORTS = ['title', 'state', 'price', 'points', 'left', 'claimed', 'sold', 'ends'] as const
export type SortKey = (typeof SORTS)[number]
