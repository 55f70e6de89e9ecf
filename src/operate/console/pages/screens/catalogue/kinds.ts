/** The kinds of entries, in the words of the staff. */
import type { IconName } from '../../parts/icon.tsx'

export const KINDS = [
  { kind: 'reward', title: 'Rewards', one: 'reward', icon: 'reward' },
  { kind: 'pack', title: 'Packs', one: 'pack', icon: 'pack' },
  { kind: 'rule', title: 'Rules', one: 'rule', icon: 'rule' },
  { kind: 'quest', title: 'Quests', one: 'quest', icon: 'quest' },
  { kind: 'product', title: 'Products', one: 'product', icon: 'orders' },
  { kind: 'set', title: 'Sets', one: 'set', icon: 'card' },
  { kind: 'match', title: 'Matches', one: 'match', icon: 'matchDay' },
  { kind: 'team', title: 'Teams', one: 'team', icon: 'shield' },
] as const satisfies { kind: string; title: string; one: string; icon: IconName }[]

export type Kind = (typeof KINDS)[number]['kind']

export const isKind = (text: string): text is Kind => KINDS.some(({ kind }) => kind === text)

export function wordsOf(kind: Kind) {
  const words = KINDS.find(one => one.kind === kind)
  if (!words) throw new Error(`${kind} is no kind`)
  return words
}

export const STATES = {
  live: { title: 'Live', tone: 'good' },
  scheduled: { title: 'Scheduled', tone: 'info' },
  over: { title: 'Over', tone: 'neutral' },
  off: { title: 'Off', tone: 'neutral' },
} as const

export type State = keyof typeof STATES
