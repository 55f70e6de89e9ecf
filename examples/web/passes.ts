/** What a fan shows to staff at the ground, where the network may be full: codes and member cards that this device has seen. */
import { createKeeper } from './kept.ts'

export interface Pass {
  id: string
  kind: 'reward' | 'voucher'
  title: string
  /** What staff scan or type. */
  code: string
  /** The screen with all of it. */
  to: string
}

const passes = createKeeper<Pass>('matchday passes')
export const beginKeeping = passes.begin
export const findKept = passes.find
export const listKept = passes.list
export const groupOfOrder = (orderId: string) => `order ${orderId}`
export const REWARDS = 'rewards'

export interface MemberCard {
  ref: string
  name: string
  benefits: string[]
  number: string | null
  holder: string | null
  startsAt: string
  endsAt: string
  since: string
  /** The fan's tiers when the card was read. */
  tiers: string[]
}

const cards = createKeeper<MemberCard>('matchday member cards')
const CARDS = 'all'
export const beginKeepingCards = () => {
  const keep = cards.begin()
  return (read: MemberCard[]) => keep(CARDS, read)
}
export const findCards = () => cards.find(CARDS)
