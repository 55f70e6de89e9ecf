/** The last key set in the database, for starts while the provider is down. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import { attempt } from '../../core/attempt.ts'
import type { IdentityConfig } from '../config/identity.ts'
import type { KeyStore } from './key-set.ts'

interface StoreOptions {
  db: Database
  log: Logger
  identity: Pick<IdentityConfig, 'issuer' | 'jwksUrl'>
  /** Key of the hash. With another secret, the stored set counts as absent. */
  secret: Buffer
}

export function createKeyStore({ db, log, identity, secret }: StoreOptions): KeyStore {
  const source = identity.jwksUrl ?? identity.issuer
  const macOf = (keys: string, fetchedAt: Date) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([source, keys, fetchedAt.getTime()]))
      .digest()
  return {
    async read() {
      try {
        const { providerKeys } = db.tables
        const [row] = await db.read.select().from(providerKeys).where(eq(providerKeys.source, source))
        const mac = Buffer.from(row?.mac ?? '', 'hex')
        const expected = row && macOf(row.keys, row.fetchedAt)
        if (!row || expected?.length !== mac.length || !timingSafeEqual(expected, mac)) return null
        log.warn({ fetchedAt: row.fetchedAt }, 'identity provider: keys from before the start are used')
        const ageMs = Math.max(0, db.read.now().getTime() - row.fetchedAt.getTime())
        return { keys: attempt(() => JSON.parse(row.keys)), ageMs }
      } catch (error) {
        log.warn({ error }, 'identity provider: stored keys cannot be read')
        return null
      }
    },
    async write(keys) {
      try {
        await db.write(async tx => {
          const fetchedAt = tx.now()
          const row = { keys, fetchedAt, mac: macOf(keys, fetchedAt).toString('hex') }
          const { providerKeys } = tx.tables
          await tx
            .insert(providerKeys)
            .values({ source, ...row })
            .onConflictDoUpdate({ target: providerKeys.source, set: row })
        })
      } catch (error) {
        log.warn({ error }, 'identity provider: keys cannot be stored')
      }
    },
  }
}
