/**
 * The raw reference for purchases with cash: the rows of a checkout, a hold and a completion, a transaction for each request,
 * behind `Bun.serve`. On SQLite all transactions that wait share a COMMIT (WAL, synchronous=FULL). Nothing is checked.
 */
import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import { digestOf } from '../../../src/economy/events/digest.ts'
import { chainEntry } from '../../../src/economy/ledgers/chain.ts'
import { draftReceipt } from '../../../src/play/purchases/receipts.ts'
import { PROVIDER } from '../issuer.ts'
import { CURRENCY, PRICE } from '../shop.ts'
import { bearerToken, serve } from './serve.ts'

type Value = string | number | boolean | null
type Run = <Row>(statement: string, ...values: Value[]) => Promise<Row[]>
type Work = (run: Run) => Promise<object>

const HOLD_MS = 1_800_000
const url = process.env.DATABASE_URL ?? ''
const isSqlite = url.startsWith('sqlite:')
const inTransaction = isSqlite ? onSqlite(url.slice('sqlite:'.length)) : onPostgres()

function onPostgres() {
  const pool = new SQL(url, { max: 10 })
  return (work: Work): Promise<object> =>
    pool.begin(tx => work((statement, ...values) => tx.unsafe(statement, values)))
}

function onSqlite(path: string) {
  const db = new Database(path, { strict: true })
  for (const setting of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'])
    db.run(`PRAGMA ${setting}`)
  const queue: { work: Work; resolve: (response: object) => void }[] = []
  let isDraining = false
  const run: Run = async <Row>(statement: string, ...values: Value[]) =>
    // Guarantee of the cast: the caller names the columns of the statement.
    db.query(statement.replaceAll('$', '?')).all(...values.map(asNumber)) as Row[]

  async function drain() {
    isDraining = true
    while (queue.length > 0) {
      const batch = queue.splice(0)
      db.run('BEGIN IMMEDIATE')
      const responses: object[] = []
      for (const { work } of batch) responses.push(await work(run))
      db.run('COMMIT')
      for (const [index, { resolve }] of batch.entries()) resolve(responses[index] ?? {})
      // What has arrived meanwhile.
      await new Promise(setImmediate)
    }
    isDraining = false
  }
  return (work: Work) =>
    new Promise<object>(resolve => {
      queue.push({ work, resolve })
      if (!isDraining) setImmediate(drain)
      isDraining = true
    })
}

const asNumber = (value: Value) => (typeof value === 'boolean' ? Number(value) : value)
const timeOf = (at: Date): Value => (isSqlite ? at.getTime() : at.toISOString())

async function record(run: Run, userId: string, type: string, data: object, at: Date): Promise<void> {
  await run(
    `INSERT INTO events (source, event_id, user_id, sequence, type, occurred_at, recorded_at, data, digest)
     VALUES ('matchday', $1, $2, coalesce((SELECT max(sequence) FROM events WHERE user_id = $2), 0) + 1, $3, $4, $4, $5, $6)`,
    Bun.randomUUIDv7(),
    userId,
    type,
    timeOf(at),
    JSON.stringify(data),
    digestOf({ type, occurredAt: at, data }, 'short'),
  )
}

interface Cart {
  lines: { productId: string; variantId: string; quantity: number }[]
  address: object
}

const checkOut =
  (subject: string, { lines: [line], address }: Cart): Work =>
  async run => {
    const [user] = await run<{ id: string }>(
      'SELECT id FROM users WHERE provider = $1 AND subject = $2',
      PROVIDER,
      subject,
    )
    if (!user || !line) throw new Error('no such fan, or no line')
    const [at, id] = [new Date(), Bun.randomUUIDv7()]
    const [createdAt, expiresAt] = [timeOf(at), timeOf(new Date(at.getTime() + HOLD_MS))]
    await run(
      `INSERT INTO orders (id, user_id, status, price_amount, price_currency, discount_amount, address, address_kept_until, created_at, expires_at)
       VALUES ($1, $2, 'pending', $3, $4, 0, $5, $7, $6, $7)`,
      ...[id, user.id, PRICE, CURRENCY, JSON.stringify(address), createdAt, expiresAt],
    )
    const price = { amount: PRICE, currency: CURRENCY }
    await record(run, user.id, 'order.created', { orderId: id, price, lines: [line] }, at)
    await run(
      `INSERT INTO order_lines (order_id, number, product_id, variant_id, quantity, price_amount, kind, state, hold_until, is_sold)
       VALUES ($1, 1, $2, $3, 1, $4, 'physical', 'none', $5, $6)`,
      ...[id, line.productId, line.variantId, PRICE, expiresAt, false],
    )
    return { id }
  }

/** With the next number of the series, whose row stays locked until the commit. */
async function issueReceipt(run: Run, orderId: string, createdAt: Date): Promise<void> {
  const at = timeOf(createdAt)
  const [series] = await run<{ last: string | number }>(
    `INSERT INTO receipt_series (id, last, started_at) VALUES ('money', 1, $1)
     ON CONFLICT (id) DO UPDATE SET last = receipt_series.last + excluded.last RETURNING last`,
    at,
  )
  const { kind, net, tax, gross, lines } = draftReceipt(
    { id: orderId, priceCurrency: CURRENCY, taxCountry: null },
    {
      purchaseKind: 'order',
      lines: [
        {
          number: 1,
          name: 'Scarf',
          variant: 'One size',
          quantity: 1,
          taxMillionths: null,
          gross: PRICE,
        },
      ],
      createdAt,
    },
  )
  await run(
    `INSERT INTO receipts (series, number, kind, purchase_kind, purchase_id, ref, currency, country, net, tax, gross, lines, seller, created_at)
     VALUES ('money', $1, $2, 'order', $3, $3, $4, NULL, $5, $6, $7, $8, $9, $10)`,
    ...[Number(series?.last), kind, orderId, CURRENCY, net, tax, gross, lines, SELLER, at],
  )
}

const SELLER = JSON.stringify({ name: null, address: null, taxId: null })

interface Order {
  orderId: string
}

const hold =
  ({ orderId }: Order): Work =>
  async run => {
    const at = timeOf(new Date())
    const [held] = await run<{ user_id: string }>(
      `INSERT INTO cash_holds (purchase_id, user_id, currency, amount, state, created_at, expires_at)
       SELECT id, user_id, price_currency, price_amount, 'held', $2, expires_at FROM orders WHERE id = $1 RETURNING user_id`,
      orderId,
      at,
    )
    await run(
      'UPDATE cash_accounts SET held = held + $1, updated_at = $2 WHERE user_id = $3 AND currency = $4',
      ...[PRICE, at, held?.user_id ?? '', CURRENCY],
    )
    return { method: 'cash' }
  }

interface Account {
  balance: string | number
  seq: string | number
  head_hash: string
}

const complete =
  ({ orderId }: Order): Work =>
  async run => {
    const at = new Date()
    const time = timeOf(at)
    const [order] = await run<{ user_id: string }>(
      "UPDATE orders SET status = 'completed', completed_at = $1 WHERE id = $2 AND status = 'pending' RETURNING user_id",
      time,
      orderId,
    )
    const userId = order?.user_id ?? ''
    const [account] = await run<Account>(
      `SELECT balance, seq, head_hash FROM cash_accounts WHERE user_id = $1 AND currency = $2${isSqlite ? '' : ' FOR UPDATE'}`,
      userId,
      CURRENCY,
    )
    if (!account) throw new Error('no account')
    await run(
      "UPDATE cash_holds SET state = 'captured', settled_at = $1 WHERE purchase_id = $2",
      time,
      orderId,
    )
    const { entry, head } = chainEntry(
      {
        balance: Number(account.balance),
        seq: Number(account.seq),
        headHash: account.head_hash,
      },
      { userId, currency: CURRENCY, delta: -PRICE, reason: 'payment', ref: orderId },
      { id: Bun.randomUUIDv7(), at },
    )
    const { id, seq, delta, balanceAfter, reason, ref, hash } = entry
    await run(
      `INSERT INTO cash_entries (id, user_id, currency, seq, delta, balance_after, reason, ref, created_at, hash)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      ...[id, userId, CURRENCY, seq, delta, balanceAfter, reason, ref, time, hash],
    )
    await run(
      `UPDATE cash_accounts SET balance = $1, held = held - $2, seq = $3, head_hash = $4, updated_at = $5
       WHERE user_id = $6 AND currency = $7`,
      ...[head.balance, PRICE, head.seq, head.headHash, time, userId, CURRENCY],
    )
    const [line] = await run<{ product_id: string; variant_id: string }>(
      'UPDATE order_lines SET hold_until = NULL, is_sold = $1 WHERE order_id = $2 RETURNING product_id, variant_id',
      true,
      orderId,
    )
    const { product_id: productId = '', variant_id: variantId = '' } = line ?? {}
    const price = { amount: PRICE, currency: CURRENCY }
    const lines = [{ productId, variantId, quantity: 1 }]
    await record(run, userId, 'order.paid', { orderId, price, lines }, at)
    await record(
      run,
      userId,
      'cash.changed',
      { currency: CURRENCY, delta, balance: head.balance, reason, ref },
      at,
    )
    await run(
      'UPDATE product_variants SET stock_sold = stock_sold + 1 WHERE product_id = $1 AND id = $2',
      productId,
      variantId,
    )
    await issueReceipt(run, orderId, at)
    return { id: orderId }
  }

serve(async request => {
  if (request.method === 'GET') return new Response('ready')
  const { pathname } = new URL(request.url)
  // Guarantee of the casts: the bench sends what Matchday takes.
  const body = (await request.json()) as unknown
  if (request.method === 'PUT') return Response.json(await inTransaction(complete(body as Order)))
  if (pathname === '/api/checkout/payment') return Response.json(await inTransaction(hold(body as Order)))
  const subject = bearerToken(request) ?? ''
  return Response.json(await inTransaction(checkOut(subject, body as Cart)))
})
