/** Which rows no configured key reads: counted by verify-ledger, the metrics and each start, until the key of their time is back. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { pino } from 'pino'
import { createApp } from '../../../src/app/app.ts'
import {
  countUnreadable,
  encryptionKeysOf,
  warnOfUnreadable,
} from '../../../src/audit/keys/encrypted-rows.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { reencryptTokens } from '../../../src/delivery/push/tokens.ts'
import { addEndpoint } from '../../../src/delivery/webhooks/endpoints.ts'
import { reencryptAddresses } from '../../../src/play/shop/sweep-orders.ts'
import { writeFiles } from '../../fan/account/exports-world.ts'
import { DAY, expectStatus, patientFan } from '../../play/packs/packs-world.ts'
import { ADDRESS, addStock, buyWithMoney } from '../../play/shop/orders-world.ts'
import { createClient } from '../../support/client.ts'
import { conformanceOf } from '../../support/conformance.ts'
import { onEachEngine } from '../../support/world.ts'

const NEW_KEY = { kid: 'new', d: 'another secret of 32 bytes and more' }
const COLUMNS = ['orders.address', 'devices.encrypted_token', 'webhook_endpoints.encrypted_secret']
/** Counted by verify-ledger alone. */
const SHORT_LIVED = ['idempotency_keys.response', 'data_export_parts.content']

onEachEngine(
  'Rows that are encrypted',
  world => {
    const rowsOf = (counts: { rows: number }[]) => counts.map(({ rows }) => rows)

    test('are unreadable without the private key of their time, and readable again with it', async () => {
      const { db, config, deps } = world
      const fan = await patientFan(world)
      const scarf = await addStock(world, 3)
      await buyWithMoney(fan, scarf)
      const cart = { lines: [{ productId: scarf, quantity: 1 }], address: ADDRESS }
      await fan.post('/api/checkout', cart, { 'idempotency-key': 'rotated' })
      expectStatus(201, await fan.put('/api/user/devices/phone', { kind: 'fcm', token: 'token' }))
      await db.write(tx =>
        addEndpoint(tx, deps.webhookSecrets, { url: 'https://club.example', types: ['*'] }),
      )
      expectStatus(202, await fan.post('/api/user/export'))
      await writeFiles(world)
      const { key } = config.nativeTokens
      // The public part, as an operator may leave it in the array.
      const { d: _, ...publicKey } = key
      const [rotated, kept, before] = [
        encryptionKeysOf({ ...config.nativeTokens, key: NEW_KEY, previousKeys: [publicKey] }),
        encryptionKeysOf({ ...config.nativeTokens, key: NEW_KEY, previousKeys: [key] }),
        encryptionKeysOf(config.nativeTokens),
      ]
      expect((await countUnreadable(db.read, rotated)).map(({ column }) => column)).toEqual(COLUMNS)
      expect(rowsOf(await countUnreadable(db.read, before))).toEqual([0, 0, 0])
      expect(rowsOf(await countUnreadable(db.read, rotated))).toEqual([2, 1, 1])
      expect(rowsOf(await countUnreadable(db.read, kept))).toEqual([0, 0, 0])

      const found: unknown[] = []
      await verifyLedger(db, { keys: rotated, onFinding: finding => found.push(finding) })
      expect(found).toEqual(
        [...COLUMNS, ...SHORT_LIVED].map((column, n) => ({
          ...{ userId: null, what: `${column} of rows that no configured key reads` },
          ...{ expected: 0, actual: n === 0 ? 2 : 1 },
        })),
      )
      expect((await verifyLedger(db, { keys: kept })).findings).toBe(0)

      const lines: string[] = []
      const log = pino({}, { write: (line: string) => void lines.push(line) })
      await warnOfUnreadable({ db, log, ...rotated })
      expect(
        lines.map(line => JSON.parse(line)).map(({ level, column, rows }) => [level, column, rows]),
      ).toEqual(COLUMNS.map((column, n) => [50, column, n === 0 ? 2 : 1]))

      await reencryptAddresses(db, kept.addressEncryption)
      expect(await reencryptTokens(db, kept.deviceEncryption)).toBe(1)
      expect(await reencryptTokens(db, kept.deviceEncryption)).toBe(0)
      expect(rowsOf(await countUnreadable(db.read, rotated))).toEqual([0, 0, 1])

      world.clock.advance(DAY)
      const later: { what: string }[] = []
      await verifyLedger(db, { keys: rotated, onFinding: finding => later.push(finding) })
      expect(later.filter(({ what }) => what.startsWith('idempotency_keys'))).toEqual([])
    })

    test('a repeat is refused if no key can decrypt its response, and nothing is done twice', async () => {
      const { db, config, deps } = world
      const fan = await patientFan(world)
      const cart = { lines: [{ productId: await addStock(world, 9), quantity: 1 }], address: ADDRESS }
      const key = { 'idempotency-key': 'lost' }
      const first = await fan.post('/api/checkout', cart, key)
      const repeatBy = async (previousKeys: typeof config.nativeTokens.previousKeys) => {
        const { addressEncryption } = encryptionKeysOf({ ...config.nativeTokens, key: NEW_KEY, previousKeys })
        const app = createApp({ ...deps, addressEncryption })
        const client = createClient(request => app.handle(request), await conformanceOf(deps, app), fan.token)
        return client.post('/api/checkout', cart, key)
      }
      expect(await repeatBy([])).toMatchObject({ status: 409, body: { code: 'idempotency_response_lost' } })
      expect(await repeatBy([config.nativeTokens.key])).toMatchObject({ status: 201, body: first.body })
      expect(await db.read.select().from(db.tables.orders)).toHaveLength(1)
    })
  },
  { worldPer: 'test' },
)

/** Calls that encrypt, by file, and what becomes of it: the column that is counted, or why none is. */
const ENCRYPTING: Record<string, [calls: number, what: string]> = {
  'core/encryption.ts': [2, 'the cipher itself'],
  'delivery/push/tokens.ts': [1, 'devices.encrypted_token'],
  'delivery/stream/tickets.ts': [1, 'not stored: the ticket of a stream'],
  'delivery/webhooks/endpoints.ts': [3, 'webhook_endpoints.encrypted_secret'],
  'delivery/push/web-push.ts': [1, 'not stored: a request to a push service'],
  'delivery/webhooks/secrets.ts': [1, 'webhook_endpoints.encrypted_secret'],
  'fan/onboarding/routes.ts': [1, 'deferred_syncs: ends with the token of the provider'],
  'identity/auth/routes.ts': [1, 'native_sessions: ends with the token of the provider'],
  'economy/archive/lines.ts': [1, 'not stored: files of the archive, with a key for each fan'],
  'identity/staff/provider/sign-in.ts': [1, 'not stored: a cookie'],
  'operate/admin/write-exports.ts': [1, 'data_export_parts.content'],
  'platform/http/idempotency/idempotency.ts': [1, 'idempotency_keys.response'],
  'platform/http/idempotency/stored-response.ts': [1, 'idempotency_keys.response'],
  'play/shop/addresses.ts': [1, 'orders.address'],
}

test('all values that the code encrypts are counted, are not stored, or expire with a token', async () => {
  const src = join(import.meta.dir, '../../../src')
  const found: [string, number][] = []
  for await (const file of new Glob('**/*.ts').scan(src)) {
    const calls = (await Bun.file(join(src, file)).text()).match(/\.encrypt\(|createCipheriv\(/g)
    if (calls && !file.includes('node_modules')) found.push([file, calls.length])
  }
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(ENCRYPTING).map(([file, [calls]]) => [file, calls])),
  )
  const counted = Object.values(ENCRYPTING).flatMap(([, what]) => (/^\w+\.\w+$/.test(what) ? what : []))
  expect([...new Set(counted)].toSorted()).toEqual([...COLUMNS, ...SHORT_LIVED].toSorted())
})
