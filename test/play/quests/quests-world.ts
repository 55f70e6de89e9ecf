/** Quests of a test, and what fans do for them. */
import { and, asc, eq } from 'drizzle-orm'
import type { RecordedEvent } from '../../../src/economy/events/event.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { voidEvent } from '../../../src/economy/events/void-event.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import type { QuestEntry } from '../../../src/play/quests/entry-schema.ts'
import { upsertQuest } from '../../../src/play/quests/quest-kind.ts'
import type { Client } from '../../support/client.ts'
import type { Fan, World } from '../../support/world.ts'

let made = 0

/** An event type that no other test uses. */
export const newType = () => `test.event-${++made}`

type Step = Partial<QuestEntry['steps'][number]>
type QuestFields = Omit<Partial<QuestEntry>, 'steps'> & { steps?: Step[] }

/** A quest of one event of a type of its own by default. Returns the entry. */
export async function addQuest({ db }: Pick<World, 'db'>, { steps = [{}], ...fields }: QuestFields = {}) {
  const eventType = newType()
  const entry: QuestEntry = {
    id: `quest-${String(++made).padStart(4, '0')}`,
    title: 'Quest',
    description: 'A quest.',
    kind: 'quest',
    period: 'once',
    ...fields,
    steps: steps.map((step, at) => ({ id: `step-${at + 1}`, eventType, target: 1, ...step })),
  }
  await db.write(tx => upsertQuest(tx, entry))
  return { ...entry, type: entry.steps[0]?.eventType ?? eventType }
}

export const userIdOf = ({ db, config }: Pick<World, 'db' | 'config'>, { subject }: Fan): Promise<string> =>
  db.write(async tx => (await ensureUser(tx, { provider: config.identity.name, subject })).user.id)

interface Happening {
  data?: RecordedEvent['data']
  at?: Date
  eventId?: string
}

/** Records an event of another system. Returns its id. */
export async function happen(
  world: Pick<World, 'db' | 'config'>,
  fan: Fan,
  type: string,
  { data = {}, at, eventId = crypto.randomUUID() }: Happening = {},
): Promise<string> {
  const userId = await userIdOf(world, fan)
  await world.db.write(tx =>
    writeEvent(tx, { source: 'shop', eventId, userId, type, occurredAt: at ?? tx.now(), data }),
  )
  return eventId
}

export const takeBack = ({ db }: Pick<World, 'db'>, eventId: string) =>
  db.write(tx => voidEvent(tx, { source: 'shop', eventId }))

/** The current period of a quest as the fan sees it. */
export async function read(fan: Client, { id }: { id: string }) {
  const { body } = await fan.get('/api/quests')
  return body.quests.find((quest: { id: string }) => quest.id === id)
}

export const claim = (fan: Client, questId: string, periodKey?: string) =>
  fan.post('/api/quests/claim', { questId, ...(periodKey === undefined ? {} : { periodKey }) })

/** The fan's rows of a quest, by period. */
export async function progressRows({ db, config }: Pick<World, 'db' | 'config'>, fan: Fan, questId: string) {
  const { questProgress } = db.tables
  const userId = await userIdOf({ db, config }, fan)
  return db.read
    .select()
    .from(questProgress)
    .where(and(eq(questProgress.userId, userId), eq(questProgress.questId, questId)))
    .orderBy(asc(questProgress.period))
}

/** Types of the events of the application that the fan has, in order, each with its data. */
export async function ownEvents({ db, config }: Pick<World, 'db' | 'config'>, fan: Fan, type: string) {
  const { events } = db.tables
  const userId = await userIdOf({ db, config }, fan)
  const rows = await db.read
    .select()
    .from(events)
    .where(and(eq(events.userId, userId), eq(events.type, type)))
    .orderBy(asc(events.sequence))
  return rows.map(({ data, voidedAt }) => ({ ...JSON.parse(data ?? '{}'), voided: voidedAt !== null }))
}
