/** The demonstration quests: a season's worth. */
import type { QuestEntry } from '../../src/play/quests/entry-schema.ts'
import { type Calendar, calendarOf } from './calendar.ts'
import { pictureUrl } from './pictures/address.ts'
import { inLanguages } from './texts/texts.ts'

const timeZone = 'Europe/Dublin'
const tickets = { id: 'matches', eventType: 'ticket.scanned' }
const checkIns = { id: 'matches', eventType: 'match.checked_in' }
const purchases = { id: 'purchases', eventType: 'shop.purchase' }

type Entry = QuestEntry & { title: string; description: string }

/** Some quests begin with the season, and most in the second half of it. */
const entriesOf = (season: string, half: string, { inDays }: Calendar): Entry[] => [
  {
    id: 'first-reward',
    title: 'Something for nothing',
    description: 'Claim your first reward.',
    kind: 'achievement',
    steps: [{ id: 'rewards', eventType: 'reward.claimed', target: 1 }],
    period: 'once',
    reward: { points: 50 },
    claim: 'manual',
    startsAt: season,
  },
  {
    id: 'reward-hunter',
    title: 'Reward hunter',
    description: 'Claim six different rewards.',
    kind: 'achievement',
    steps: [{ id: 'rewards', eventType: 'reward.claimed', target: 6, distinctBy: '/rewardId' }],
    period: 'once',
    reward: { points: 300, collectibleId: 'captains-armband' },
    claim: 'manual',
    startsAt: season,
  },
  {
    id: 'pack-collector',
    title: 'Collector',
    description: 'Open ten packs, and redeem a reward.',
    kind: 'quest',
    steps: [
      { id: 'packs', eventType: 'pack.opened', target: 10 },
      { id: 'redemption', eventType: 'reward.redeemed', target: 1 },
    ],
    period: 'once',
    reward: { points: 250, collectibleId: 'overhead-kick' },
    claim: 'manual',
    startsAt: season,
  },
  {
    id: 'shop-week',
    title: 'Shop twice this week',
    description: 'Two purchases of €5 or more in the club shop, on any days of the week.',
    kind: 'quest',
    steps: [{ ...purchases, when: [{ path: '/amount', op: 'gte', value: 500 }], target: 2 }],
    period: 'week',
    timeZone,
    reward: { points: 50 },
    claim: 'manual',
    startsAt: half,
  },
  {
    id: 'matchday-regular',
    title: 'Three matches this month',
    description: 'Check in at three matches of the month.',
    kind: 'quest',
    steps: [{ ...checkIns, target: 3, distinctBy: '/matchId' }],
    period: 'month',
    sponsorId: 'tideline-ferries',
    timeZone,
    reward: { points: 150 },
    startsAt: half,
  },
  {
    id: 'every-month',
    title: 'A match a month',
    description: 'Check in every month. One month may be missed.',
    kind: 'streak',
    steps: [{ ...checkIns, target: 1 }],
    period: 'month',
    timeZone,
    graceDays: 31,
    reward: { points: 20 },
    startsAt: half,
  },
  {
    id: 'matchday-out',
    title: 'A day out',
    description: 'A match and something from the shop on the same day.',
    kind: 'quest',
    steps: [
      { ...tickets, target: 1 },
      { ...purchases, target: 1 },
    ],
    period: 'day',
    timeZone,
    reward: { points: 25 },
    startsAt: half,
  },
  {
    id: 'attendance-bronze',
    title: 'Five matches',
    description: 'Five matches at the ground.',
    kind: 'achievement',
    steps: [{ ...tickets, target: 5 }],
    period: 'once',
    reward: { points: 100 },
    startsAt: half,
  },
  {
    id: 'attendance-silver',
    title: 'Fifteen matches',
    description: 'Fifteen matches at the ground.',
    kind: 'achievement',
    steps: [{ ...tickets, target: 15 }],
    period: 'once',
    requires: ['attendance-bronze'],
    reward: { points: 300, collectibleId: 'double-save' },
    startsAt: half,
  },
  {
    id: 'attendance-gold',
    title: 'Thirty matches',
    description: 'Thirty matches at the ground.',
    kind: 'achievement',
    steps: [{ ...tickets, target: 30 }],
    period: 'once',
    requires: ['attendance-silver'],
    reward: { points: 1_000, rewardId: 'stadium-tour', collectibleId: 'cup-final-whistle' },
    claim: 'manual',
    startsAt: half,
  },
  {
    id: 'weekly-fan',
    title: 'A match a week',
    description: 'At the ground every week. Two weeks may be missed.',
    kind: 'streak',
    sponsorId: 'northlight-energy',
    steps: [{ ...tickets, target: 1 }],
    period: 'week',
    timeZone,
    graceDays: 14,
    reward: { points: 10 },
    claim: 'manual',
    startsAt: half,
  },
  {
    id: 'ever-present',
    title: 'Ever-present',
    description: 'A match a week, ten weeks in a row.',
    kind: 'achievement',
    steps: [
      {
        id: 'streak',
        eventType: 'quest.completed',
        when: [
          { path: '/questId', op: 'eq', value: 'weekly-fan' },
          { path: '/streak', op: 'gte', value: 10 },
        ],
        target: 1,
      },
    ],
    period: 'once',
    reward: { points: 500 },
    startsAt: half,
  },
  {
    id: 'oracle',
    title: 'You saw it coming',
    description: 'Predict two exact scores in a month.',
    kind: 'quest',
    steps: [
      {
        id: 'scores',
        eventType: 'prediction.settled',
        when: [{ path: '/exact', op: 'eq', value: true }],
        target: 2,
        distinctBy: '/matchId',
      },
    ],
    period: 'month',
    timeZone,
    reward: { points: 200 },
    startsAt: half,
  },
  {
    id: 'run-in',
    title: 'The run-in',
    description: 'All four home matches of the last month.',
    kind: 'quest',
    steps: [{ ...tickets, target: 4 }],
    period: 'once',
    reward: { points: 400 },
    startsAt: inDays(20).toISOString(),
    endsAt: inDays(50).toISOString(),
  },
]

export const questsOf = (calendar: Calendar): QuestEntry[] =>
  entriesOf(calendar.opened.toISOString(), calendar.inDays(-90).toISOString(), calendar).map(entry => ({
    ...entry,
    title: inLanguages(entry.title),
    description: inLanguages(entry.description),
    imageUrl: pictureUrl('quests', entry.id),
  }))

export const questIds = questsOf(calendarOf(new Date(0))).map(({ id }) => id)
