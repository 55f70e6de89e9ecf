/**
 * The verifiers find a change of any column of the tables that they claim, except of those listed here with the reason. Each
 * change is made to one row, and undone afterwards.
 */
import { beforeAll, expect, test } from 'bun:test'
import { and, type Column, eq, getTableColumns } from 'drizzle-orm'
import type { Tables } from '../../../db/index.ts'
import { grantPoints } from '../../../src/economy/points/grants.ts'
import { upsertRule } from '../../../src/economy/rules/upsert-rule.ts'
import { verifyLedger } from '../../../src/operate/admin/audit/verify-ledger.ts'
import { verifyQuests } from '../../../src/operate/admin/audit/verify-quests.ts'
import { addPack, patientFan } from '../../play/packs/packs-world.ts'
import { addQuest, happen, newType, userIdOf } from '../../play/quests/quests-world.ts'
import { addSet, give } from '../../play/sets/sets-world.ts'
import { onEachEngine, type World } from '../../support/world.ts'

interface Claim {
  table: keyof Tables
  keys: string[]
  verify: 'ledger' | 'quests'
  /** The columns whose changes no verifier finds, and why. */
  unseen: Record<string, string>
  /** The row that is changed. Default: any. */
  row?: (row: Record<string, unknown>) => boolean
}

const TIMES = 'nothing follows from it'

const claims: Claim[] = [
  { table: 'pointsAccounts', keys: ['userId'], verify: 'ledger', unseen: {} },
  { table: 'pointsEntries', keys: ['id'], verify: 'ledger', unseen: {} },
  {
    table: 'pointsGrants',
    keys: ['ref'],
    verify: 'ledger',
    unseen: { source: 'the ledger does not say who granted', note: 'free text, deleted by an erasure' },
  },
  {
    table: 'events',
    keys: ['source', 'eventId'],
    verify: 'ledger',
    row: ({ source }) => source === 'shop',
    unseen: {
      recordedAt: 'a clock, which nothing repeats',
      revision: 'matters only where the rules of its type changed in between',
      position: 'the order of delivery',
      voidNote: 'free text, deleted by an erasure',
    },
  },
  { table: 'setCompletions', keys: ['userId', 'setId'], verify: 'ledger', unseen: {} },
  { table: 'ruleUses', keys: ['userId', 'ruleId', 'window'], verify: 'ledger', unseen: {} },
  { table: 'ruleBudgets', keys: ['ruleId'], verify: 'ledger', unseen: {} },
  {
    table: 'packPurchases',
    keys: ['id'],
    verify: 'ledger',
    unseen: {
      serverSeed: 'verify-draw holds the seed to its hash',
      seedHash: 'verify-draw holds the seed to its hash',
      terms: 'verify-draw holds the terms to their hash',
      createdAt: TIMES,
      expiresAt: TIMES,
      completedAt: TIMES,
      refundedAt: TIMES,
      paymentReference: 'only the gateway knows it',
    },
  },
  {
    table: 'quests',
    keys: ['id'],
    verify: 'quests',
    unseen: { createdAt: TIMES, updatedAt: TIMES },
  },
  {
    table: 'questVersions',
    keys: ['questId', 'version'],
    verify: 'quests',
    row: ({ entry }) => String(entry).includes('"points":5'),
    unseen: { createdAt: 'held to what was completed at its time only' },
  },
  { table: 'questRequirements', keys: ['questId', 'requiredId'], verify: 'quests', unseen: {} },
  {
    table: 'questProgress',
    keys: ['userId', 'questId', 'period'],
    verify: 'quests',
    row: ({ claimedAt }) => claimedAt !== null,
    unseen: {
      createdAt: 'held to the version of its time only',
      claimedAt: 'the ledger says when points were given, not when a period was claimed',
    },
  },
  {
    table: 'questCounts',
    keys: ['userId', 'questId', 'period', 'stepId', 'source', 'eventId'],
    verify: 'quests',
    unseen: {},
  },
  { table: 'questStreaks', keys: ['userId', 'questId'], verify: 'quests', unseen: {} },
]

async function fill(world: World) {
  const fan = await patientFan(world)
  const userId = await userIdOf(world, fan)
  const type = newType()
  const points = { fixed: 30 }
  const rule = { id: 'rule', name: 'Rule', eventType: type, points, budget: 1_000 }
  await world.db.write(tx => upsertRule(tx, { ...rule, limit: { count: 9, per: 'day' } }))
  const provider = world.config.identity.name
  await world.db.write(tx =>
    grantPoints(tx, { source: 'shop', provider }, { fan: { userId }, delta: 500, ref: 'grant' }),
  )
  const required = await addQuest(world, { steps: [{ eventType: type }], reward: { points: 5 } })
  await addQuest(world, {
    ...{ kind: 'streak', period: 'day', graceDays: 2, requires: [required.id], reward: { points: 3 } },
    steps: [{ eventType: type, distinctBy: '/seat' }],
    startsAt: new Date(world.clock.ms - 1).toISOString(),
    endsAt: new Date(world.clock.ms + 9e8).toISOString(),
  })
  world.clock.advance(120_000)
  await happen(world, fan, type, { data: { seat: 1 } })
  const set = await addSet(world, { reward: { points: 4 } })
  await give(world, userId, set.collectibleIds)
  const packId = await addPack(world, { price: { amount: 20, currency: 'POINTS' } })
  const { body } = await fan.post('/api/packs/purchase', { packId })
  await fan.put('/api/packs/purchase', { purchaseId: body.id })
}

/** Another value of the column; JSON stays JSON. */
function changed({ dataType }: Column, value: unknown): unknown {
  if (value instanceof Date) return new Date(value.getTime() + 3_600_000)
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (typeof value === 'string')
    return /^[[{]/.test(value)
      ? value.replace(
          /(?<="points":)\d|(?<!"points".*)\d(?!.*"points")/,
          digit => `${(Number(digit) + 1) % 10 || 1}`,
        )
      : `${value}x`
  if (dataType === 'date') return new Date(0)
  return dataType === 'number' ? 1 : '[]'
}

onEachEngine('The verifiers', world => {
  const findings = {
    ledger: async () => (await verifyLedger(world.db)).findings,
    quests: async () => (await verifyQuests(world.db)).findings,
  }
  beforeAll(() => fill(world))

  test.each(claims)(
    'find every change of $table, but for the listed columns',
    async ({ table: name, keys, verify, unseen, row: isChosen = () => true }) => {
      expect(await findings[verify]()).toBe(0)
      // Guarantee of the casts: every table has the methods of Drizzle; the names of its columns are checked by `getTableColumns`.
      const table = world.db.tables[name] as Tables['events']
      const columns = getTableColumns(table) as Record<string, Column>
      const rows = (await world.db.read.select().from(table)) as Record<string, unknown>[]
      const row = rows.find(isChosen)
      if (!row) throw new Error(`there is no row in ${name}`)
      const write = (of: Record<string, unknown>, set: Record<string, unknown>) =>
        world.db.write(tx =>
          tx
            .update(table)
            .set(set)
            .where(and(...keys.map(key => eq(columns[key] as Column, of[key])))),
        )
      const missed: string[] = []
      for (const [column, definition] of Object.entries(columns)) {
        const value = changed(definition, row[column])
        // A constraint or trigger that refuses the change is as good as a finding.
        const isWritten = await write(row, { [column]: value }).then(
          () => true,
          () => false,
        )
        if (!isWritten) continue
        if ((await findings[verify]()) === 0) missed.push(column)
        await write({ ...row, [column]: value }, { [column]: row[column] })
      }
      expect(missed.toSorted()).toEqual(Object.keys(unseen).toSorted())
    },
  )
})
