/** Searches of the staff among a million fans, and timelines of fans with much in them: each is timed, and its figures are printed. */
import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { runStatement } from '../../db/schema/shape.ts'
import { createCursors } from '../../src/core/pagination.ts'
import { readFanHead } from '../../src/operate/admin/fans/head.ts'
import { searchFans } from '../../src/operate/admin/fans/search.ts'
import { readTimeline } from '../../src/operate/admin/fans/timeline/timeline.ts'
import { seededNumbers } from '../economy/leaderboard/board-model.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'

const FANS = 1_000_000
const OTHERS = 200_000
const EVENTS = 20_000
const BUSY = 'fan-0000007'
/** Of each search, each for another fan. */
const RUNS = 200
const LIMIT_MS = 50

const cursors = createCursors('a secret of sufficient length for tests')
const START_MS = Date.parse('2026-01-01T00:00:00Z')

const padded = (n: number) => `fan-${String(n).padStart(7, '0')}`

for (const engine of engines)
  onEngine(engine, 'Fans among a million', world => {
    test('are found, and their pages are read, and the durations are printed', async () => {
      await fill()
      const random = seededNumbers(1)
      const any = (below: number) => random(below)
      const search = (text: string) => searchFans(world.db.read, { text, provider: 'test', personal: true })
      const found = async (text: string) => expect((await search(text)).fans.length).toBeGreaterThan(0)
      const access = { personal: true, moderation: true, money: true }
      const timeline = async (pages: number, kind?: 'quests') => {
        let cursor: string | undefined
        for (let page = 0; page < pages; page++) {
          const query = { fanId: BUSY, kind, limit: 50, cursor, ...access }
          cursor = (await readTimeline(world.db.read, cursors, query)).nextCursor ?? undefined
        }
      }
      const cases: [string, () => Promise<unknown>][] = [
        ['handle', () => found(`handle_${any(FANS)}`)],
        ['beginning of a handle', () => found(`handle_${any(100)}`)],
        ['name', () => found(`Ána  NUMBER ${any(FANS)}`)],
        ['beginning of a name', () => found('ana')],
        ['name at the provider', () => found(`maria number ${any(FANS)}`)],
        ['e-mail', () => found(`Fan.${any(FANS)}@Example.com`)],
        ['subject', () => found(`subject-${any(FANS)}`)],
        ['id', () => found(padded(any(FANS)))],
        ['redemption code', () => found(codeOf('A', any(OTHERS)).toLowerCase())],
        ['voucher code', () => found(codeOf('B', any(OTHERS)))],
        ['order', () => found(`order-${any(OTHERS)}`)],
        ['trade', () => found(`trade-${any(OTHERS)}`)],
        ['nothing', () => search(`nobody ${any(FANS)}`)],
        ['head of a fan', () => readFanHead(world.db.read, padded(any(FANS)), access)],
        ['first page of a timeline', () => timeline(1)],
        ['first page of one kind, which the fan has none of', () => timeline(1, 'quests')],
      ]
      const figures: Record<string, Record<string, number>> = {}
      for (const [name, run] of cases) {
        for (let warmUp = 0; warmUp < 20; warmUp++) await run()
        const times: number[] = []
        for (let n = 0; n < RUNS; n++) {
          const before = performance.now()
          await run()
          times.push(performance.now() - before)
        }
        times.sort((a, b) => a - b)
        const round = (ms = 0) => Math.round(ms * 100) / 100
        figures[name] = {
          'median ms': round(times[RUNS / 2]),
          'p99 ms': round(times[Math.floor(RUNS * 0.99)]),
          'over 50 ms': times.filter(ms => ms > LIMIT_MS).length,
        }
      }
      process.stderr.write(`${Bun.inspect.table(figures)}\n`)
    }, 600_000)

    async function fill() {
      const { engine: name } = world.db
      const at = (ms: string) => (name === 'sqlite' ? ms : `to_timestamp((${ms}) / 1000.0)`)
      const series = (count: number) =>
        `WITH RECURSIVE series(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM series WHERE n < ${count - 1})`
      const start = at(String(START_MS))
      const fan = (n: string) =>
        name === 'sqlite' ? `printf('fan-%07d', ${n})` : `'fan-' || lpad((${n})::text, 7, '0')`
      const four = (n: string) => (name === 'sqlite' ? `printf('%04d', ${n})` : `lpad((${n})::text, 4, '0')`)
      const code = (letter: string) =>
        `'${letter.repeat(4)}-${letter.repeat(4)}-' || ${four('n / 10000')} || '-' || ${four('n % 10000')}`
      const statements = [
        `INSERT INTO users (id, provider, subject, handle, display_name, name_key, created_at, updated_at) ${series(FANS)}
         SELECT ${fan('n')}, 'test', 'subject-' || n, 'handle_' || n, 'Ána number ' || n, 'ana number ' || n, ${start}, ${start} FROM series`,
        `INSERT INTO identities (user_id, name, name_key, email, email_key, email_verified) ${series(FANS)}
         SELECT ${fan('n')}, 'Maria number ' || n, 'maria number ' || n, 'Fan.' || n || '@example.com', 'fan.' || n || '@example.com', true FROM series`,
        `INSERT INTO rewards (id, title, description, item_type, points_required, active, created_at, updated_at)
         VALUES ('scarf', 'Scarf', 'A scarf.', 'voucher', 0, true, ${start}, ${start})`,
        `INSERT INTO user_rewards (user_id, reward_id, claimed_at, redeemed_at, redemption_code) ${series(OTHERS)}
         SELECT ${fan('n')}, 'scarf', ${start}, ${start}, ${code('A')} FROM series`,
        `INSERT INTO products (id, name, description, images, category, kind, price_amount, price_currency, active, created_at, updated_at)
         VALUES ('mug', 'Mug', 'A mug.', '[]', 'home', 'voucher', 1, 'EUR', true, ${start}, ${start})`,
        `INSERT INTO product_variants (product_id, id, name, position, stock_sold, listed) VALUES ('mug', 'one', 'One', 0, 0, true)`,
        `INSERT INTO orders (id, user_id, status, price_amount, price_currency, discount_amount, created_at, expires_at) ${series(OTHERS)}
         SELECT 'order-' || n, ${fan('n')}, 'cancelled', 1, 'EUR', 0, ${start}, ${start} FROM series`,
        `INSERT INTO order_lines (order_id, number, product_id, variant_id, quantity, price_amount, kind, state, is_sold) ${series(OTHERS)}
         SELECT 'order-' || n, 1, 'mug', 'one', 1, 1, 'voucher', 'none', false FROM series`,
        `INSERT INTO order_units (order_id, line, unit, code) ${series(OTHERS)} SELECT 'order-' || n, 1, 1, ${code('B')} FROM series`,
        `INSERT INTO trades (id, from_id, to_id, status, version, created_at, expires_at, ended_at) ${series(OTHERS)}
         SELECT 'trade-' || n, ${fan('n')}, ${fan('n + 1')}, 'declined', 1, ${start}, ${start}, ${start} FROM series`,
        ...[BUSY, padded(8)].map(
          (
            id,
            nth,
          ) => `INSERT INTO events (source, event_id, user_id, sequence, type, occurred_at, recorded_at, data) ${series(EVENTS)}
         SELECT 'shop', '${nth}-' || n, '${id}', n + 1, CASE n % 2 WHEN 0 THEN 'points.changed' ELSE 'shop.purchase' END,
           ${at(`${START_MS} + n * 1000`)}, ${at(`${START_MS} + n * 1000`)}, '{"amount":500}' FROM series`,
        ),
        `INSERT INTO points_entries (id, user_id, seq, delta, balance_after, reason, ref, created_at, hash) ${series(EVENTS)}
         SELECT 'entry-' || n, '${BUSY}', n + 1, 1, n + 1, 'activity', 'ref-' || n, ${at(`${START_MS} + n * 1000`)}, '' FROM series`,
        ...(name === 'postgres' ? ['ANALYZE'] : []),
      ]
      for (const statement of statements) await world.db.write(tx => runStatement(tx, sql.raw(statement)))
    }
  })

/** In the form in which codes are stored. */
const codeOf = (letter: string, n: number) => {
  const digits = String(n).padStart(8, '0')
  return `${letter.repeat(4)}-${letter.repeat(4)}-${digits.slice(0, 4)}-${digits.slice(4)}`
}
