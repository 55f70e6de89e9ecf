/** The kinds of entries, in the words of the staff. */
import type { KindName } from '../../../club/catalogue/kinds.ts'
import type { EntryState } from '../../../operate/console/catalogue/states.ts'
import type { Tone } from '../../parts/badge.tsx'
import type { IconName } from '../../parts/icon.tsx'

export type Kind = KindName

interface KindWords {
  title: string
  one: string
  icon: IconName
}

/** In the order of the tabs. */
const WORDS: Record<Kind, KindWords> = {
  reward: { title: 'Rewards', one: 'reward', icon: 'reward' },
  pack: { title: 'Packs', one: 'pack', icon: 'pack' },
  rule: { title: 'Rules', one: 'rule', icon: 'rule' },
  quest: { title: 'Quests', one: 'quest', icon: 'quest' },
  product: { title: 'Products', one: 'product', icon: 'orders' },
  set: { title: 'Sets', one: 'set', icon: 'card' },
  match: { title: 'Matches', one: 'match', icon: 'matchDay' },
  team: { title: 'Teams', one: 'team', icon: 'shield' },
}

export const isKind = (text: string): text is Kind => Object.hasOwn(WORDS, text)

export const KINDS = Object.keys(WORDS).filter(isKind)

export const wordsOf = (kind: Kind): KindWords => WORDS[kind]

export type State = EntryState

export const STATES: Record<State, { title: string; tone: Tone }> = {
  live: { title: 'Live', tone: 'good' },
  scheduled: { title: 'Scheduled', tone: 'info' },
  over: { title: 'Over', tone: 'neutral' },
  off: { title: 'Off', tone: 'neutral' },
}
