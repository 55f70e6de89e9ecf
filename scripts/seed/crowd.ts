/**
 * The many fans around the detailed ones: their records, the figures of each day, their predictions of the matches of today, and
 * those of them who are at the match that is live.
 */
import { eq } from 'drizzle-orm'
import { insertRows } from '../../db/bulk.ts'
import type { Database, Transaction } from '../../db/index.ts'
import { writeEvents } from '../../src/economy/events/record-event.ts'
import { APPLICATION } from '../../src/economy/events/types.ts'
import { countDay, type DailyFigures, dayOf } from '../../src/figures/days/count-day.ts'
import { nameKeyOf } from '../../src/identity/users/search-keys.ts'
import { type Calendar, DAY_MS, MINUTE_MS, readCalendar } from './calendar.ts'
import { OWN_TEAM, teams } from './demo-catalogue.ts'
import { DERBY } from './demo-matches.ts'
import { drawTicket } from './draws.ts'
import type { SeedParameters } from './groups.ts'
import { predictionOf } from './match-rows.ts'
import { createSeedSources, type SeedSources } from './sources.ts'

/** Far from the indexes of fans, and of the parts that the verbs write. */
const INDEX = 100_000_002
/** No identity provider knows these fans. Their subjects begin as those of the mock provider, so that the database counts as a demonstration. */
export const PROVIDER = 'demonstration'
/** By day of the week, Sunday first: matches are played on Saturdays, and some on Wednesdays. */
const WEEK = [0.9, 0.5, 0.6, 1.3, 0.6, 0.9, 2.4]
/** What a thousand fans do on a middling day at the begin of the season; at its end it is twice as much. */
const PER_THOUSAND = {
  onboardings: 2.4,
  activeFans: 63,
  claims: 4.3,
  redemptions: 2.7,
  orders: 1.5,
  packs: 5.7,
  pointsGranted: 1_430,
  pointsSpent: 860,
  pointsTaken: 43,
} satisfies Omit<DailyFigures, 'newFans'>
/** Of the crowd: who predicts a match of today, and who is at the ground. */
const [PREDICTING, PRESENT] = [0.08, 0.03]

interface Member {
  id: string
  teamId: string
}

/** Writes nothing the second time. */
export async function seedCrowd(
  db: Database,
  { seed, instant, crowd }: Pick<SeedParameters, 'seed' | 'instant'> & { crowd: number },
): Promise<void> {
  if (crowd === 0) return
  await db.write(async tx => {
    const { users } = tx.tables
    const found = await tx.select().from(users).where(eq(users.provider, PROVIDER)).limit(1)
    if (found.length > 0) return
    const calendar = await readCalendar(tx, instant ?? tx.now())
    const sources = createSeedSources(seed, calendar)(INDEX, calendar.created)
    const members = await writeMembers(tx, calendar, sources, crowd)
    await writeFigures(tx, calendar, crowd)
    await writePredictions(tx, calendar, sources, members)
    await writeVisits(tx, sources, members)
  })
}

/** The same at each run: between 0.85 and 1.15. */
const vary = (seed: number) => 0.85 + 0.3 * (Math.sin(seed * 12.9898) * 0.5 + 0.5)

/** How busy a day is, compared with a middling day at the begin of the season. */
function weightOf({ created, now }: Calendar, day: Date, seed = 0): number {
  const growth = 1 + (day.getTime() - created.getTime()) / (now.getTime() - created.getTime())
  return growth * (WEEK[day.getUTCDay()] ?? 1) * vary(Math.floor(day.getTime() / DAY_MS) * 7 + seed)
}

/** The days of the calendar, the oldest first. The last is that of the seed, of which only a part is over. */
function daysOf({ created, now }: Calendar): { from: Date; to: Date }[] {
  const days: { from: Date; to: Date }[] = []
  for (let at = created.getTime(); at < now.getTime(); ) {
    const end = Math.min(at - (at % DAY_MS) + DAY_MS, now.getTime())
    days.push({ from: new Date(at), to: new Date(end) })
    at = end
  }
  return days
}

async function writeMembers(
  tx: Transaction,
  calendar: Calendar,
  sources: SeedSources,
  crowd: number,
): Promise<Member[]> {
  const { faker, now, pass, newId } = sources
  const own = teams.find(([id]) => id === OWN_TEAM) ?? teams[0]
  const days = daysOf(calendar)
  const shares = days.map(
    ({ from, to }) => (weightOf(calendar, from) * (to.getTime() - from.getTime())) / DAY_MS,
  )
  const whole = shares.reduce((sum, share) => sum + share, 0)
  const rows: Parameters<typeof insertRows<typeof tx.tables.users>>[2] = []
  let due = 0
  for (const [nth, { from, to }] of days.entries()) {
    due += ((shares[nth] ?? 0) * crowd) / whole
    const count = Math.round(due) - rows.length
    const gap = (to.getTime() - from.getTime()) / (count + 1)
    for (let place = 1; place <= count; place++) {
      pass(from.getTime() + Math.floor(place * gap) - now().getTime())
      const team = place % 2 === 0 ? faker.helpers.arrayElement(teams) : own
      const first = faker.helpers.arrayElement(FIRST_NAMES)
      const name = `${first} ${faker.helpers.arrayElement(LAST_NAMES)}`
      const number = String(rows.length + 1).padStart(5, '0')
      rows.push({
        id: newId(),
        provider: PROVIDER,
        subject: `fan-crowd-${number}`,
        displayName: name,
        nameKey: nameKeyOf(name),
        handle: `${first.toLowerCase()}_${number}`,
        favoriteTeamId: team[0],
        country: team[4],
        createdAt: now(),
        updatedAt: now(),
      })
    }
  }
  await insertRows(tx, tx.tables.users, rows)
  return rows.map(({ id, favoriteTeamId }) => ({ id, teamId: favoriteTeamId ?? OWN_TEAM }))
}

/** Of the days that are over: what is counted of the detailed fans, and the share of the crowd. */
async function writeFigures(tx: Transaction, calendar: Calendar, crowd: number): Promise<void> {
  const { dailyFigures } = tx.tables
  const rows: (DailyFigures & { day: string })[] = []
  for (const { from } of daysOf(calendar).slice(0, -1)) {
    const figures = await countDay(tx, dayOf(from))
    // Guarantee of the cast: the names are those of the constant.
    for (const [seed, [name, base]] of Object.entries(PER_THOUSAND).entries())
      figures[name as keyof typeof PER_THOUSAND] += Math.round(
        ((base * crowd) / 1_000) * weightOf(calendar, from, seed + 1),
      )
    rows.push({ day: dayOf(from), ...figures })
  }
  await insertRows(tx, dailyFigures, rows, 'skip')
}

/** Of the matches that are live, or begin within a day. */
async function writePredictions(
  tx: Transaction,
  { now, inDays }: Calendar,
  sources: SeedSources,
  members: Member[],
): Promise<void> {
  const { faker } = sources
  const { matches, predictions } = tx.tables
  const all = await tx.select().from(matches)
  const soon = all.filter(
    ({ status, kickoffAt }) =>
      status === 'live' || (status === 'scheduled' && kickoffAt > now && kickoffAt < inDays(2)),
  )
  for (const match of soon) {
    const isNear = ({ teamId }: Member) => teamId === match.homeTeamId || teamId === match.awayTeamId
    const until = Math.min(match.kickoffAt.getTime(), now.getTime()) - MINUTE_MS
    const rows = members
      .filter(member => faker.datatype.boolean({ probability: isNear(member) ? PREDICTING : PREDICTING / 4 }))
      .map(({ id }) => {
        const scores = { homeScore: faker.number.int({ max: 3 }), awayScore: faker.number.int({ max: 2 }) }
        const at = new Date(until - faker.number.int({ max: DAY_MS }))
        return predictionOf({ userId: id, matchId: match.id, at }, scores)
      })
      .filter(({ userId, createdAt }) => createdAt > joinedAt(userId))
    await insertRows(tx, predictions, rows)
  }
}

/** The time of the id of a fan. */
const joinedAt = (id: string) => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))

const GATE_GROUPS = 8

/** Tickets and check-ins at the live match, group after group. */
async function writeVisits(tx: Transaction, sources: SeedSources, members: Member[]): Promise<void> {
  const { faker } = sources
  const { matches, checkIns } = tx.tables
  const [match] = await tx.select().from(matches).where(eq(matches.id, DERBY))
  if (match?.status !== 'live') return
  const { id: matchId, competition, season, round, homeTeamId, awayTeamId, venue } = match
  const opens = match.kickoffAt.getTime() - 60 * MINUTE_MS
  const present = members.filter(
    ({ id, teamId }) =>
      teamId === homeTeamId &&
      joinedAt(id).getTime() < opens &&
      faker.datatype.boolean({ probability: PRESENT }),
  )
  const size = Math.ceil(present.length / GATE_GROUPS)
  for (let group = 0; group < GATE_GROUPS; group++) {
    const at = new Date(opens + group * 9 * MINUTE_MS)
    const fans = present.slice(group * size, (group + 1) * size)
    // Of the same unit of work, with the time of the group.
    const timed: Transaction = Object.assign(Object.create(tx), {
      now: () => at,
      clock: () => at,
      newId: sources.newId,
    })
    const data = { matchId, competition, season, round, homeTeamId, awayTeamId, venue }
    await insertRows(
      tx,
      checkIns,
      fans.map(({ id }) => ({ userId: id, matchId, checkedInAt: at })),
    )
    await writeEvents(
      timed,
      fans.flatMap(({ id: userId }) => [
        { ...drawTicket(sources), userId, occurredAt: at },
        {
          source: APPLICATION,
          eventId: sources.newId(),
          userId,
          type: 'match.checked_in',
          occurredAt: at,
          data,
        },
      ]),
    )
  }
}

const FIRST_NAMES = [
  ...[
    'Ana',
    'Aoife',
    'Beatriz',
    'Bruno',
    'Ciara',
    'Clara',
    'Conor',
    'Daniel',
    'Diego',
    'Elena',
    'Emma',
    'Fatima',
  ],
  ...[
    'Finn',
    'Giulia',
    'Hana',
    'Hugo',
    'Ines',
    'Ivan',
    'Jakub',
    'Jonas',
    'Karim',
    'Lara',
    'Leon',
    'Liam',
    'Lucia',
  ],
  ...[
    'Maeve',
    'Maria',
    'Marta',
    'Mateo',
    'Mila',
    'Niamh',
    'Noah',
    'Nora',
    'Oscar',
    'Paula',
    'Pedro',
    'Rita',
    'Ruben',
  ],
  ...['Sara', 'Sean', 'Sofia', 'Tomas', 'Yuki', 'Zoe'],
]
const LAST_NAMES = [
  ...[
    'Almeida',
    'Bauer',
    'Becker',
    'Brennan',
    'Byrne',
    'Costa',
    'Doyle',
    'Duarte',
    'Fernandez',
    'Ferreira',
    'Fischer',
  ],
  ...[
    'Gallagher',
    'Garcia',
    'Haddad',
    'Ito',
    'Kelly',
    'Kowalski',
    'Lopes',
    'Martin',
    'Moreau',
    'Murphy',
    'Nolan',
  ],
  ...[
    'Novak',
    'O’Brien',
    'Pereira',
    'Quinn',
    'Ricci',
    'Rossi',
    'Ryan',
    'Santos',
    'Sato',
    'Silva',
    'Walsh',
    'Weber',
  ],
]
