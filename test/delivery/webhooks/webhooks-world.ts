/** Events, endpoints and dispatchers for the tests of webhooks. */
import { and, asc, eq } from 'drizzle-orm'
import type { GuardedFetch } from '../../../src/core/ssrf-guard.ts'
import { createDispatcher, type Dispatcher } from '../../../src/delivery/webhooks/dispatcher.ts'
import {
  addEndpoint,
  findEndpoint,
  listEndpoints,
  removeEndpoint,
} from '../../../src/delivery/webhooks/endpoints.ts'
import { anyAwaits, distributeEvents } from '../../../src/economy/events/distribute.ts'
import { createDistributor, type Distributor } from '../../../src/economy/events/distributor.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { waitUntil } from '../../support/wait-until.ts'
import type { World } from '../../support/world.ts'
import type { Receiver } from './receiver.ts'

type Part = Pick<World, 'db' | 'deps' | 'clock'>

/** A fan of the database; answers the user id. */
export const newFan = ({ db }: Pick<World, 'db'>) =>
  db.write(async tx => {
    const { user } = await ensureUser(tx, { provider: 'mock-idp', subject: crypto.randomUUID() })
    return user.id
  })

export const addReceiver = ({ db, deps }: Pick<World, 'db' | 'deps'>, { url }: Receiver, types: string[]) =>
  db.write(tx => addEndpoint(tx, deps.webhookSecrets, { url, types }))

interface Happening {
  type?: string
  source?: string
  data?: Record<string, unknown>
}

/** Records an event in a unit of work of its own. */
export const happen = (
  { db }: Pick<World, 'db'>,
  userId: string,
  { type = 'reward.claimed', source = 'matchday', data = { rewardId: 'scarf' } }: Happening = {},
) =>
  db.write(async tx => {
    const occurredAt = tx.now()
    const event = { source, eventId: tx.newId(), userId, type, occurredAt, data }
    return (await writeEvent(tx, event)).recorded
  })

/** Distributes everything that waits, in this process and at once. */
export async function distributeAll({ db }: Pick<World, 'db'>): Promise<void> {
  let after: string | null = ''
  for (; after !== null; ) {
    const began: string = after
    after = await db.write(tx => distributeEvents(tx, began))
  }
}

export const giveWay = () => new Promise<void>(resolve => setImmediate(resolve))

/** Runs while a dispatcher runs. */
const distributorOf = ({ deps }: Pick<World, 'deps'>): Distributor => createDistributor({ ...deps, giveWay })

interface Options {
  attemptMs?: number
  maxInFlight?: number
  webhookFetch?: GuardedFetch
}

/** Distributes and sends, as in a process that serves, without its timers. */
export function dispatcherOf(
  world: Pick<World, 'deps'>,
  { webhookFetch = world.deps.webhookFetch, ...options }: Options = {},
): Dispatcher {
  const distributor = distributorOf(world)
  const dispatcher = createDispatcher({ ...world.deps, webhookFetch, giveWay }, options)
  return {
    async poll() {
      await distributor.poll()
      await dispatcher.poll()
    },
    /** Cancels what still runs: receivers of tests hang. */
    async stop(graceMs = 0) {
      await distributor.stop()
      await dispatcher.stop(graceMs)
    },
  }
}

/** Resolves when every delivery that is due has been attempted, and its result is stored. */
export async function drain({ db, clock }: Part, dispatcher: Dispatcher): Promise<void> {
  await waitUntil('what is due was attempted', async () => {
    await dispatcher.poll()
    if (await anyAwaits(db.read)) return false
    const lanes = await db.read.select().from(db.tables.webhookLanes)
    const endpoints = await db.read.select().from(db.tables.webhookEndpoints)
    const enabled = new Set(endpoints.filter(({ disabledAt }) => disabledAt === null).map(({ id }) => id))
    return lanes.every(
      ({ endpointId, leaseEndsAt, nextAttemptAt }) =>
        !enabled.has(endpointId) || (leaseEndsAt === null && nextAttemptAt > clock.now()),
    )
  })
}

/** The deliveries to an endpoint, in the order of each fan. */
export async function deliveriesOf({ db }: Pick<World, 'db'>, endpointId: string, userId?: string) {
  const { webhookDeliveries } = db.tables
  const ofFan = userId === undefined ? undefined : eq(webhookDeliveries.userId, userId)
  return db.read
    .select()
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.endpointId, endpointId), ofFan))
    .orderBy(asc(webhookDeliveries.userId), asc(webhookDeliveries.sequence))
}

export const statesOf = async (world: Pick<World, 'db'>, endpointId: string, userId?: string) =>
  (await deliveriesOf(world, endpointId, userId)).map(({ state }) => state)

export async function endpointOf({ db }: Pick<World, 'db'>, id: string) {
  const endpoint = await findEndpoint(db.read, id)
  if (!endpoint) throw new Error('the endpoint does not exist')
  return endpoint
}

/** After a test: the next one finds no endpoint. */
export async function removeEndpoints({ db }: Pick<World, 'db'>): Promise<void> {
  for (const { id } of await listEndpoints(db.read)) await removeEndpoint(db, id)
}
