/** Notifications and inboxes, for tests. */
import {
  type NotificationEntry,
  notificationKind,
} from '../../../src/club/notifications/notification-kind.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { expectStatus, patientFan, userIdOf } from '../../play/packs/packs-world.ts'
import type { Fan, World } from '../../support/world.ts'

export const addNotification = (world: World, entry: Partial<NotificationEntry> & { id: string }) =>
  world.db.write(tx =>
    notificationKind.upsert(tx, {
      eventType: 'shop.purchase',
      category: 'rewards',
      title: 'Bought',
      body: 'You bought something.',
      ...entry,
    }),
  )

/** A fan with a record. */
export async function knownFan(world: World, profile: object = {}): Promise<Fan & { id: string }> {
  const fan = await patientFan(world)
  await fan.post('/api/user/profile', profile)
  return Object.assign(fan, { id: (await userIdOf(world, fan)) ?? '' })
}

let events = 0

/** Records an event of another system. */
export const happens = (world: World, userId: string, data: object = {}, type = 'shop.purchase') =>
  world.db.write(tx =>
    writeEvent(tx, {
      source: 'shop',
      eventId: `event-${++events}`,
      userId,
      type,
      occurredAt: tx.now(),
      data: { ...data },
    }),
  )

export interface ShownMessage {
  id: string
  category: string
  title: string
  body: string
  url: string | null
  createdAt: string
  readAt: string | null
}

export async function inboxOf(
  fan: Fan,
): Promise<{ messages: ShownMessage[]; unread: number; nextCursor: string | null }> {
  return expectStatus(200, await fan.get('/api/user/inbox'))
}

export const titlesOf = async (fan: Fan) => (await inboxOf(fan)).messages.map(({ title }) => title)

export const bodiesOf = async (fan: Fan) => (await inboxOf(fan)).messages.map(({ body }) => body)
