/** What verbs of fans and staff leave in all tables: payments with receipts, withdrawals, age bands, sanctions, files of fans. */
import { pino } from 'pino'
import { type Database, openDatabase } from '../../db/index.ts'
import { createSpine } from '../../src/app/spine.ts'
import { realSources } from '../../src/core/sources.ts'
import { createExportLinks } from '../../src/fan/account/export-links.ts'
import { createExportEncryption, requestExport } from '../../src/fan/account/exports.ts'
import { recordDecision } from '../../src/identity/sanctions/decisions.ts'
import { storeAge } from '../../src/identity/users/age.ts'
import { PURCHASE_KINDS } from '../../src/operate/admin/refunds/refund-purchase.ts'
import { writeExports } from '../../src/operate/admin/write-exports.ts'
import { writeRecord } from '../../src/play/catalogue-file/kinds.ts'
import { complete } from '../../src/play/purchases/complete.ts'
import { refund } from '../../src/play/purchases/refund.ts'
import { createAddressEncryption } from '../../src/play/shop/addresses.ts'
import { startCheckout } from '../../src/play/shop/checkout.ts'
import { orderKind } from '../../src/play/shop/order-kind.ts'
import { withdrawOrder } from '../../src/play/shop/withdraw.ts'

const ADDRESS = {
  name: 'Ana Ruiz',
  line1: 'Rua do Cais 12',
  city: 'Porto',
  postalCode: '4050-123',
  country: 'PT',
}
const FACTS =
  'On 3 May you wrote three messages to another fan after the match, which insult the fan and their family. They were reported by two fans.'
const KEYS = { key: { kid: 'bench', d: 'a signing key of the bench' }, previousKeys: [] }
const HOUR_MS = 3_600_000
/** Fans of a unit of work: pages are written as by a server that has other work. */
const AT_ONCE = 25

/** Yields after each verb: its name, and how often it was called. */
export async function* callVerbs(url: string): AsyncGenerator<{ verb: string; calls: number }> {
  let now = new Date('2026-11-02T12:00:00.000Z')
  const newId = () => Bun.randomUUIDv7('hex', now)
  const db = openDatabase(url, { ...realSources, now: () => now, newId }, { spine: createSpine() })
  try {
    const { users } = db.tables
    const fans = (await db.read.select({ id: users.id }).from(users)).map(({ id }) => id)
    await addProducts(db)
    /** Fans come in no order. */
    async function forEach(verb: string, work: (userId: string, index: number) => Promise<void>) {
      const seed = BigInt(verb.length)
      const order = fans.toSorted((a, b) => Number(Bun.hash.wyhash(a, seed) - Bun.hash.wyhash(b, seed)))
      for (let first = 0; first < order.length; first += AT_ONCE) {
        now = new Date(now.getTime() + 1_000)
        await Promise.all(order.slice(first, first + AT_ONCE).map((id, index) => work(id, first + index)))
      }
      return { verb, calls: fans.length }
    }
    const orders = new Map<string, string>()
    const options = {
      openOrdersPerFan: 10,
      heldUnitsPerFan: 50,
      paidPacks: true,
      orderAddressRetentionDays: 400,
      encryption: createAddressEncryption(KEYS),
      sellsFiles: false,
    }
    yield await forEach('checkout', async (userId, index) => {
      const caller = { provider: '', subject: '', userId, isNew: false }
      const products = index % 5 === 0 ? ['bench-scarf', 'bench-shirt'] : ['bench-scarf']
      const lines = products.map(productId => ({ productId, quantity: 1 }))
      const { order } = await db.write(tx => startCheckout(tx, caller, { lines, address: ADDRESS }, options))
      orders.set(userId, order.id)
    })
    const orderOf = (userId: string) => orders.get(userId) ?? ''
    yield await forEach('payment', async userId => {
      const reference = `pi_${orderOf(userId).replaceAll('-', '').slice(0, 24)}`
      await db.write(tx =>
        complete(tx, PURCHASE_KINDS, orderKind, orderOf(userId), { kind: 'money', reference }),
      )
    })
    const later = { isStorePayment: () => false, payOut: () => {} }
    yield await forEach('withdrawal', async userId => {
      await db.write(tx => withdrawOrder(tx, { orderId: orderOf(userId), userId }, later))
      await db.write(tx => refund(tx, orderKind, orderOf(userId)))
    })
    yield await forEach('age band', async userId => {
      const age = { ageBand: '16_17', source: 'school', assuredAt: now, guardianConsent: true } as const
      await db.write(tx => storeAge(tx, userId, age))
    })
    const links = createExportLinks('bench')
    yield await forEach('file', async userId => {
      await db.write(tx => requestExport(tx, { provider: '', subject: '', userId, isNew: false }, links))
    })
    now = new Date(now.getTime() + HOUR_MS)
    await writeExports(
      {
        db,
        log: pino({ level: 'silent' }),
        elapsed: realSources.elapsed,
        addressEncryption: createAddressEncryption(KEYS),
        exportEncryption: createExportEncryption(KEYS),
        giveWay: async () => {},
      },
      () => false,
    )
    yield { verb: 'file, written', calls: fans.length }
    const sanction = { kind: 'mute', reason: 'harassment', decidedBy: 'Ana Ruiz', facts: FACTS } as const
    yield await forEach('sanction', async fanId => {
      await db.write(tx => recordDecision(tx, { ...sanction, fanId }))
    })
  } finally {
    await db.close()
  }
}

async function addProducts(db: Database): Promise<void> {
  for (const [id, amount] of [
    ['bench-scarf', 1_900],
    ['bench-shirt', 7_900],
  ] as const) {
    const entry = {
      id,
      name: 'Home scarf',
      description: 'Knitted.',
      category: 'kit',
      kind: 'physical' as const,
      price: { amount, currency: 'EUR' },
      taxRate: { PT: 0.23, default: 0.2 },
      variants: [{ id: 'one', name: 'One size', stock: null }],
    }
    await db.write(tx => writeRecord(tx, { kind: 'product', entry }))
  }
}
