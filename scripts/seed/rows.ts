/** The rows of the fans of a seed. */
import type { Tables } from '../../db/index.ts'
import type { BoardScore } from '../../src/economy/leaderboard/rank-index/rank-index.ts'
import type { PredictionRow } from '../../src/play/predictions/predictions.ts'
import type { ReceiptDraft } from '../../src/play/purchases/receipts.ts'

type Row<Name extends keyof Tables> = Tables[Name]['$inferInsert']

export interface QuestRows {
  questProgress: Row<'questProgress'>[]
  questCounts: Row<'questCounts'>[]
  questStreaks: Row<'questStreaks'>[]
}

export interface MatchRows {
  checkIns: Row<'checkIns'>[]
  predictions: PredictionRow[]
  /** The revisions of the matches of these rows. */
  matchRevisions: Map<string, number>
}

/** The rows of fans. Items and receipts get their numbers when they are written. */
export interface Rows extends QuestRows, MatchRows {
  users: Row<'users'>[]
  identities: Row<'identities'>[]
  onboardings: Row<'onboardings'>[]
  events: Row<'events'>[]
  messages: Row<'messages'>[]
  ruleUses: Row<'ruleUses'>[]
  pointsAccounts: Row<'pointsAccounts'>[]
  pointsEntries: Row<'pointsEntries'>[]
  leaderboardEntries: Row<'leaderboardEntries'>[]
  places: (BoardScore & { userId: string })[]
  userRewards: Row<'userRewards'>[]
  packPurchases: Row<'packPurchases'>[]
  userPacks: Row<'userPacks'>[]
  userItems: Omit<Row<'userItems'>, 'serialNumber'>[]
  setCompletions: Row<'setCompletions'>[]
  orders: Row<'orders'>[]
  orderLines: Row<'orderLines'>[]
  orderUnits: Row<'orderUnits'>[]
  payments: Row<'payments'>[]
  receipts: ReceiptDraft[]
}

export const noRows = (): Rows => ({
  users: [],
  identities: [],
  onboardings: [],
  events: [],
  messages: [],
  ruleUses: [],
  pointsAccounts: [],
  pointsEntries: [],
  leaderboardEntries: [],
  places: [],
  userRewards: [],
  packPurchases: [],
  userPacks: [],
  userItems: [],
  setCompletions: [],
  orders: [],
  orderLines: [],
  orderUnits: [],
  payments: [],
  receipts: [],
  questProgress: [],
  questCounts: [],
  questStreaks: [],
  checkIns: [],
  predictions: [],
  matchRevisions: new Map(),
})
