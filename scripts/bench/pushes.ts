/** The pushes of the bench: a browser of each fan, and the messages that wait for most of them. */
import { asc, eq } from 'drizzle-orm'
import type { JWK } from 'jose'
import { insertRows } from '../../db/bulk.ts'
import { openDatabase } from '../../db/index.ts'
import { createSpine } from '../../src/app/spine.ts'
import { notificationKind } from '../../src/club/notifications/notification-kind.ts'
import { realSources } from '../../src/core/sources.ts'
import { enqueuePushes } from '../../src/delivery/push/enqueue.ts'
import { createDeviceEncryption, encryptToken, hashOfToken } from '../../src/delivery/push/tokens.ts'
import { typeOf } from './event-rules.ts'

/** Of RFC 8291: every browser has the same key. */
export const KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}
/** The private key of the same pair. */
export const VAPID = {
  key: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  subject: 'mailto:bench@club.example',
}
/** Of each message. */
export const TEXT = { title: 'Tickets for the derby', body: 'On sale now, for members first.', url: '/shop' }
/** Fans who wait for a message at a service that hangs. */
const HANGING = 200
const BATCH = 1_000
const HOUR_MS = 3_600_000

interface Services {
  /** Origins of push services. */
  origin: string
  hanging: string
}

/**
 * Registers a browser of each fan, and queues a message for each but the last `single` fans, whose events make one. Their service is
 * paused until `release`. Returns the subjects of the last fans.
 */
export async function preparePushes(
  url: string,
  { origin, hanging }: Services,
  { key, single }: { key: JWK; single: number },
) {
  const db = openDatabase(url, realSources, { spine: createSpine() })
  const encryption = createDeviceEncryption({ key, previousKeys: [] })
  const serviceOf = (of: string) => `webpush:${new URL(of).host}`
  const { users, pushServices } = db.tables
  const ids = await db.read
    .select({ id: users.id, subject: users.subject })
    .from(users)
    .orderBy(asc(users.id))
  const pausedUntil = new Date(Date.now() + HOUR_MS)
  await db.write(async tx => {
    for (const of of [origin, hanging])
      await tx
        .insert(pushServices)
        .values({ name: serviceOf(of), pausedUntil: of === origin ? pausedUntil : null })
    const entry = { id: 'bench-single', eventType: typeOf(0), category: 'account' as const, push: true }
    await notificationKind.upsert(tx, { ...entry, title: TEXT.title, body: TEXT.body })
  })
  const campaign = ids.length - single
  for (let first = 0; first < ids.length; first += BATCH) {
    const page = ids.slice(first, first + BATCH)
    await db.write(async tx => {
      const now = tx.now()
      const devices = page.map(({ id: userId }, nth) => {
        const at = first + nth < HANGING ? hanging : origin
        const token = JSON.stringify({ endpoint: `${at}/${first + nth}`, keys: KEYS })
        const tokenHash = hashOfToken('webpush', token)
        return {
          userId,
          deviceId: 'browser',
          kind: 'webpush',
          service: serviceOf(at),
          matchId: null,
          tokenHash,
          encryptedToken: encryptToken(encryption, tx, tokenHash, token),
          createdAt: now,
          lastUsedAt: now,
        }
      })
      await insertRows(tx, tx.tables.devices, devices)
      const pushes = page.slice(0, Math.max(0, campaign - first)).map(({ id: userId }) => ({
        userId,
        messageId: `bench ${userId}`,
        category: 'account' as const,
        ...TEXT,
        imageUrl: null,
        collapseKey: null,
        notBefore: null,
        senderId: null,
      }))
      await enqueuePushes(tx, pushes, { bulk: true })
    })
  }
  return {
    queued: campaign - HANGING,
    singles: ids.slice(campaign).map(({ subject }, nth) => ({ subject, path: `/${campaign + nth}` })),
    async release(): Promise<void> {
      const { pushServices: services } = db.tables
      await db.write(tx =>
        tx
          .update(services)
          .set({ pausedUntil: null })
          .where(eq(services.name, serviceOf(origin))),
      )
    },
    close: () => db.close(),
  }
}
