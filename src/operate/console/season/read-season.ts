/** The page *Season*: the counts of a period, with the names of what they are about. */
import type { Reader } from '../../../../db/index.ts'
import { listEndpoints } from '../../../delivery/webhooks/endpoints.ts'
import { readEndpointBacklogs } from '../../../delivery/webhooks/inspect.ts'
import {
  type Figures,
  NO_FIGURES,
  type Period,
  periodOf,
  readBalances,
  readCohorts,
  readCountries,
  readDeliveryDays,
  readFigures,
  readMinutes,
  readPoints,
  readSponsorDays,
  readTeams,
} from '../../../figures/season/read-counts.ts'
import {
  countGivenUp,
  type Entry,
  readEntries,
  readLastMatches,
  readTeamNames,
  sumHeldPoints,
} from '../../../figures/season/read-entries.ts'
import { readCountedUntil } from '../../../figures/season/sweep.ts'
import { ACTIONS, DAY_MS } from '../../../figures/season/tally.ts'
import { settingsOf } from '../../../platform/settings/settings.ts'
import type { Season, SeasonResult, SeasonStock } from './schema.ts'

interface Asked {
  days: number
  segment: string
  seesMoney: boolean
  seesWebhooks: boolean
}

export async function readSeason(reader: Reader, asked: Asked): Promise<Season> {
  const period = periodOf(reader.now(), asked.days)
  const since = new Date(period.first * DAY_MS)
  const [figures, entries, teams, cohorts, matches, byTeam, countries, points, countedUntil] =
    await Promise.all([
      readFigures(reader, period),
      readEntries(reader),
      readTeamNames(reader),
      readCohorts(reader, asked.segment, period),
      readLastMatches(reader, since),
      readTeams(reader, period),
      readCountries(reader),
      readPointsOf(reader, period, asked.seesMoney),
      readCountedUntil(reader),
    ])
  const [sponsorDays, minutes, balances, webhooks] = await Promise.all([
    readSponsorDays(reader, period),
    readMinutes(
      reader,
      matches.map(({ kickoffAt }) => kickoffAt),
    ),
    readBalancesOf(reader, entries),
    asked.seesWebhooks ? readWebhooks(reader, period) : null,
  ])
  const figuresOf = ({ kind, id }: Entry) => figures.get(`${kind} ${id}`) ?? NO_FIGURES
  const nameOf = new Map(teams.map(({ id, name }) => [id, name]))
  return {
    countedUntil: countedUntil?.toISOString() ?? null,
    days: daysOf(period),
    segments: { teams, countries },
    funnel: cohorts.funnel,
    retention: {
      weeks: cohorts.weeks,
      teams: byTeam
        .filter(({ fans }) => fans > 0)
        .map(team => ({ ...team, name: nameOf.get(team.id) ?? team.id }))
        .toSorted((a, b) => b.fans - a.fans),
    },
    points,
    balances,
    matches: matches.flatMap(({ id, homeTeamId, awayTeamId, kickoffAt }, nth) => {
      const cells = minutes[nth]
      const name = `${nameOf.get(homeTeamId) ?? homeTeamId} – ${nameOf.get(awayTeamId) ?? awayTeamId}`
      return cells ? [{ id, name, kickoffAt: kickoffAt.toISOString(), ...cells }] : []
    }),
    results: entries
      .map(entry => resultOf(entry, figuresOf(entry), asked.seesMoney))
      .filter(({ times, fans }) => times + fans > 0)
      .toSorted((a, b) => b.times - a.times),
    sponsors: entries.flatMap(({ kind, id, name }) => {
      const days = kind === 'sponsor' ? sponsorDays.get(id) : undefined
      const actions = ACTIONS.flatMap(action => {
        const own = days?.get(action)
        return own ? [{ action, days: own }] : []
      })
      return actions.length === 0 ? [] : [{ id, name, actions }]
    }),
    stock: entries.flatMap(entry => stockOf(entry, figuresOf(entry).times, asked.days)),
    webhooks,
  }
}

const daysOf = ({ first, last }: Period) =>
  Array.from({ length: last - first + 1 }, (_, nth) =>
    new Date((first + nth) * DAY_MS).toISOString().slice(0, 10),
  )

async function readPointsOf(reader: Reader, period: Period, seesMoney: boolean): Promise<Season['points']> {
  const points = await readPoints(reader, period)
  const { pointValue, currency } = await settingsOf(reader)
  const has = points.outstanding.at(-1) ?? 0
  const isWorth = seesMoney && currency !== null && pointValue > 0
  return {
    ...points,
    held: await sumHeldPoints(reader),
    worth: isWorth ? { currency, amount: Math.round(has * pointValue) } : null,
    isMoneyHidden: !seesMoney,
  }
}

/** 1, 2, 5, 10 and so on. */
const bounds = Array.from({ length: 8 }, (_, power) => [1, 2, 5].map(step => step * 10 ** power)).flat()

async function readBalancesOf(reader: Reader, entries: Entry[]): Promise<Season['balances']> {
  const { balances, fans } = await readBalances(reader)
  const highest = balances.at(-1)?.points ?? 0
  const shown = [0, ...bounds.filter(bound => bound <= highest)]
  const withAtLeast = countFrom(balances)
  const bars = shown.map((from, nth) => {
    const to = shown[nth + 1] ?? null
    // Fans who never had points have no balance.
    const without = from === 0 ? Math.max(0, fans - withAtLeast(0)) : 0
    return { from, to, fans: withAtLeast(from) - (to === null ? 0 : withAtLeast(to)) + without }
  })
  const prices = entries.flatMap(({ kind, id, name, active, price }) =>
    active && price !== null && price > 0 && kind !== 'rule' && kind !== 'quest' && kind !== 'sponsor'
      ? [{ kind, id, name, points: price, fans: withAtLeast(price) }]
      : [],
  )
  return { bars, prices: prices.toSorted((a, b) => a.points - b.points) }
}

/** How many fans have so many points or more, by balances in ascending order. */
function countFrom(balances: { points: number; fans: number }[]): (points: number) => number {
  const all = balances.reduce((sum, { fans }) => sum + fans, 0)
  let below = 0
  const fansBelow = balances.map(({ fans }) => {
    below += fans
    return below - fans
  })
  return points => {
    let [from, to] = [0, balances.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((balances[middle]?.points ?? 0) < points) from = middle + 1
      else to = middle
    }
    return all - (fansBelow[from] ?? all)
  }
}

function resultOf({ kind, id, name }: Entry, figures: Figures, seesMoney: boolean): SeasonResult {
  const { times, points, redeemed, fans, repeats, sums } = figures
  return {
    kind,
    id,
    name,
    times,
    points: kind === 'rule' || kind === 'quest' || kind === 'sponsor' ? points : null,
    redeemed: kind === 'reward' ? redeemed : null,
    fans,
    repeats,
    sums: seesMoney ? sums : null,
  }
}

function stockOf({ kind, id, name, active, stock }: Entry, inPeriod: number, days: number): SeasonStock[] {
  if (!stock || !active || kind === 'rule' || kind === 'quest' || kind === 'sponsor') return []
  const { total, left, gone } = stock
  const daysLeft = left === null || inPeriod === 0 ? null : Math.floor((left * days) / inPeriod)
  return [{ kind, id, name, total, left, gone, inPeriod, daysLeft }]
}

async function readWebhooks(reader: Reader, period: Period): Promise<NonNullable<Season['webhooks']>> {
  const days = await readDeliveryDays(reader, period)
  const backlogs = new Map((await readEndpointBacklogs(reader)).map(backlog => [backlog.id, backlog]))
  const givenUp = await countGivenUp(reader)
  return (await listEndpoints(reader)).map(({ id, url, disabledAt }) => ({
    id,
    host: URL.parse(url)?.host ?? id,
    days: days.get(id) ?? daysOf(period).map(() => 0),
    pending: backlogs.get(id)?.pending ?? 0,
    since: backlogs.get(id)?.since?.toISOString() ?? null,
    failed: givenUp.get(id) ?? 0,
    disabledAt: disabledAt?.toISOString() ?? null,
  }))
}
