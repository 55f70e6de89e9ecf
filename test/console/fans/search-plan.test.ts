/** Each search of a fan is a look-up in an index, also by a statement that was planned while there were no fans. */
import { describe, expect, test } from 'bun:test'
import {
  findByCode,
  findByEmail,
  findByHandle,
  findByIds,
  findByName,
  findByProviderName,
  rangeOf,
} from '../../../src/operate/admin/fans/lookups.ts'
import { searchFans } from '../../../src/operate/admin/fans/search.ts'
import { countRowsRead } from '../../db/plans.ts'
import { tablesScanned } from '../../db/sqlite-plan.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine, onServer } from '../../support/world.ts'

const ROWS = 3_000
const LIMIT = 21
/** Index entries count as rows, and an index is read one entry beyond its range. */
const READ_AT_MOST = 2 * LIMIT + 2

const number = (n: number) => String(n).padStart(5, '0')

onServer('A search of a fan', world => {
  const users = (now: Date) =>
    Array.from({ length: ROWS }, (_, n) => ({
      ...{ id: `user-${n}`, provider: 'test', subject: `subject-${n}`, createdAt: now, updatedAt: now },
      ...{ displayName: `Name ${n}`, nameKey: `name ${number(n)}`, handle: `handle_${number(n)}` },
    }))
  const mirrors = () =>
    Array.from({ length: ROWS }, (_, n) => ({
      ...{ userId: `user-${n}`, name: `Name ${n}`, nameKey: `name ${number(n)}` },
      ...{ email: `${n}@x.io`, emailKey: `${n}@x.io` },
    }))
  const ids = { text: 'user-7', id: 'user-7', provider: 'test', erased: 'erased:7' }

  test.each([
    ['handle', 'users', 1, (tx: never) => findByHandle(tx, rangeOf('handle_00007'), LIMIT)],
    ['beginning of a handle', 'users', LIMIT, (tx: never) => findByHandle(tx, rangeOf('handle_'), LIMIT)],
    ['name', 'users', 1, (tx: never) => findByName(tx, rangeOf('name 00007'), LIMIT)],
    ['beginning of a name', 'users', LIMIT, (tx: never) => findByName(tx, rangeOf('name'), LIMIT)],
    ['id and subject', 'users', 1, (tx: never) => findByIds(tx, ids)],
    [
      'name at the provider',
      'identities',
      LIMIT,
      (tx: never) => findByProviderName(tx, rangeOf('name'), LIMIT),
    ],
    ['address', 'identities', 1, (tx: never) => findByEmail(tx, '7@x.io', LIMIT)],
  ] as const)('by %s reads few of many rows of %s', async (_, table, found, query) => {
    const read = await world.db.write(tx =>
      countRowsRead(tx, table, {
        // Guarantee of the cast: a unit of work is a reader.
        query: () => query(tx as never),
        fill: () =>
          table === 'users'
            ? tx.insert(tx.tables.users).values(users(tx.now()))
            : tx.insert(tx.tables.identities).values(mirrors()),
      }),
    )
    expect(read).toBeGreaterThanOrEqual(found)
    expect(read).toBeLessThanOrEqual(READ_AT_MOST)
  })

  test('by a code reads the row of one claim', async () => {
    const code = '7Q2M-X9KD-4T0B-HW5E'
    const read = await world.db.write(tx =>
      countRowsRead(tx, 'user_rewards', {
        query: () => findByCode(tx, code),
        fill: () =>
          tx.insert(tx.tables.userRewards).values(
            Array.from({ length: ROWS }, (_, n) => ({
              ...{ userId: `user-${n}`, rewardId: 'scarf', claimedAt: tx.now(), redeemedAt: tx.now() },
              redemptionCode: n === 7 ? code : `code-${n}`,
            })),
          ),
      }),
    )
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThanOrEqual(2)
  })
})

onEngine(sqliteEngine, 'A search of a fan', world => {
  describe('reads no table as a whole', () => {
    test.each([
      'ana',
      'ana ruiz',
      'ana@example.com',
      '7Q2M-X9KD-4T0B-HW5E',
      '01981e2c-7c1f-7000-8000-000000000003',
    ])('for %s', async text => {
      await world.db.write(tx =>
        tx.insert(tx.tables.users).values({
          ...{
            id: `id of ${text}`,
            provider: 'test',
            subject: text,
            nameKey: 'ana ruiz',
            displayName: 'Ana Ruiz',
          },
          ...{ createdAt: tx.now(), updatedAt: tx.now() },
        }),
      )
      const search = () => searchFans(world.db.read, { text, provider: 'test', personal: true })
      expect((await search()).fans.length).toBeGreaterThan(0)
      expect(await tablesScanned(world.db, world.databaseUrl, search)).toEqual([])
    })
  })
})
