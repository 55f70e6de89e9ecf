/** Which rows no configured key reads: counted by verify-ledger, the metrics and each start, until the key of their time is back. */
import { expect, test } from 'bun:test'
import { pino } from 'pino'
import { sqlite } from '../../../db/schema/columns.ts'
import { tablesOf } from '../../../db/schema/tables.ts'
import { addEndpoint } from '../../../src/delivery/webhooks/endpoints.ts'
import { verifyLedger } from '../../../src/operate/admin/audit/verify-ledger.ts'
import {
  countUnreadable,
  encryptionKeysOf,
  warnOfUnreadable,
} from '../../../src/operate/admin/encrypted-rows.ts'
import { reencryptAddresses } from '../../../src/play/shop/sweep-orders.ts'
import { patientFan } from '../../play/packs/packs-world.ts'
import { addStock, buyWithMoney } from '../../play/shop/orders-world.ts'
import { onEachEngine } from '../../support/world.ts'

const NEW_KEY = { kid: 'new', d: 'another secret of 32 bytes and more' }
const COLUMNS = ['orders.address', 'webhook_endpoints.encrypted_secret']

onEachEngine(
  'Rows that are encrypted',
  world => {
    const rowsOf = (counts: { rows: number }[]) => counts.map(({ rows }) => rows)

    test('are unreadable without the private key of their time, and readable again with it', async () => {
      const { db, config, deps } = world
      await buyWithMoney(await patientFan(world), await addStock(world, 3))
      await db.write(tx =>
        addEndpoint(tx, deps.webhookSecrets, { url: 'https://club.example', types: ['*'] }),
      )
      const { key } = config.nativeTokens
      // The public part, as an operator may leave it in the array.
      const { d: _, ...publicKey } = key
      const [rotated, kept, before] = [
        encryptionKeysOf({ ...config.nativeTokens, key: NEW_KEY, previousKeys: [publicKey] }),
        encryptionKeysOf({ ...config.nativeTokens, key: NEW_KEY, previousKeys: [key] }),
        encryptionKeysOf(config.nativeTokens),
      ]
      expect((await countUnreadable(db.read, rotated)).map(({ column }) => column)).toEqual(COLUMNS)
      expect(rowsOf(await countUnreadable(db.read, before))).toEqual([0, 0])
      expect(rowsOf(await countUnreadable(db.read, rotated))).toEqual([1, 1])
      expect(rowsOf(await countUnreadable(db.read, kept))).toEqual([0, 0])

      const found: unknown[] = []
      await verifyLedger(db, { keys: rotated, onFinding: finding => found.push(finding) })
      expect(found).toEqual(
        COLUMNS.map(column => ({
          ...{ userId: null, what: `${column} of rows that no configured key reads` },
          ...{ expected: 0, actual: 1 },
        })),
      )
      expect((await verifyLedger(db, { keys: kept })).findings).toBe(0)

      const lines: string[] = []
      const log = pino({}, { write: (line: string) => void lines.push(line) })
      await warnOfUnreadable({ db, log, ...rotated })
      expect(
        lines.map(line => JSON.parse(line)).map(({ level, column, rows }) => [level, column, rows]),
      ).toEqual(COLUMNS.map(column => [50, column, 1]))

      await reencryptAddresses(db, kept.addressEncryption)
      expect(rowsOf(await countUnreadable(db.read, rotated))).toEqual([0, 1])
    })
  },
  { worldPer: 'test' },
)

test('every column that is encrypted is counted, but those that end with a token', () => {
  const encrypted = Object.entries(tablesOf(sqlite)).flatMap(([table, columns]) =>
    Object.keys(columns)
      .filter(column => column.startsWith('encrypted') || column === 'address')
      .map(column => `${table}.${column}`),
  )
  expect(encrypted.toSorted()).toEqual([
    'deferredSyncs.encryptedToken',

    'nativeSessions.encryptedToken',
    'orders.address',
    'walletChallenges.address',
    'wallets.address',
    'webhookEndpoints.encryptedPreviousSecret',
    'webhookEndpoints.encryptedSecret',
  ])
})
