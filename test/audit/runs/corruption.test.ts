/**
 * The verifications notice a change of any column of any table, except of those that are listed here with the reason. Each change is
 * made to one row of a world that has rows of every kind, with triggers off, to a value that the other constraints accept.
 */
import { Database as Connection } from 'bun:sqlite'
import { beforeAll, describe, expect, test } from 'bun:test'
import { and, type Column, eq, getTableName, is, isNull, type SQL, StringChunk, sql } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { getTableConfig as getSqliteTableConfig } from 'drizzle-orm/sqlite-core'
import type { Tables } from '../../../db/index.ts'
import { columnOf, runStatement, type Shape, tablesInOrder } from '../../../db/schema/shape.ts'
import { encryptionKeysOf } from '../../../src/audit/keys/encrypted-rows.ts'
import { CHECKS_OF_ALL, CHECKS_OF_FANS, verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { verifyAudit } from '../../../src/identity/staff/audit/verify.ts'
import { withoutRules } from '../../db/probe.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { fillWorld } from './corruption-world.ts'

/** Columns that no verification can check, by reason. `*`: all columns of a table. */
const UNKNOWN: Record<string, string[]> = {
  'it is as the fan wrote it, or as the provider did': [
    'users.ownLimits',
    ...['users.provider', 'users.subject', 'users.handle', 'users.avatarUrl', 'users.bio'],
    ...['users.locale', 'users.createdAt', 'users.updatedAt'],
    ...['identities.emailVerified', 'identities.picture', 'identities.updatedAt', 'identities.statedAt'],
    ...['identities.fieldTimes', 'identities.syncedAt', 'identities.deletedAt'],
    ...['lockers.*', 'lockerItems.*', 'privacySettings.*', 'termsAcceptances.*', 'fanRelations.followedAt'],
    ...['fanRelations.mutedAt', 'reports.reference', 'reports.reason', 'reports.note', 'reports.evidence'],
    ...['reports.createdAt', 'appeals.text', 'appeals.createdAt', 'predictions.createdAt'],
    ...['questionVotes.createdAt', 'questionVotes.changedAt'],
    ...['wallets.chainId', 'wallets.provedBy', 'pictures.*', 'trades.expiresAt', 'trades.version'],
    ...['consents.source', 'orders.waiver', 'notificationPreferences.*', 'messages.*'],
    ...['leagues.seasonId', 'leagueRounds.week'],
    ...['leagues.name', 'leagues.code', 'leagues.locked', 'leagueMembers.joinedAt', 'leagueBans.*'],
  ],
  'it is as a person without an account wrote it': [
    ...['contentNotices.id', 'contentNotices.content', 'contentNotices.place', 'contentNotices.repeats'],
    ...['contentNotices.category', 'contentNotices.subjectKind', 'contentNotices.reference'],
    ...['contentNotices.location', 'contentNotices.explanation', 'contentNotices.evidence'],
    ...['contentNotices.name', 'contentNotices.email', 'contentNotices.language', 'contentNotices.createdAt'],
  ],
  'another sanction of the fan is as right': ['contentNotices.decisionId'],
  'it says who did it, or why': [
    'ageChanges.statedBy',
    ...['contentNotices.answer', 'contentNotices.decidedBy', 'contentNotices.decidedById'],
    ...['fanMerges.mergedBy', 'fanMerges.reason', 'moderationDecisions.decidedBy', 'moderationNotes.note'],
    ...['moderationStatements.facts', 'moderationStatements.automated'],
    ...['moderationDecisions.decidedById', 'appeals.decidedBy', 'appeals.decidedById', 'events.voidNote'],
    ...['catalogueRevisions.source', 'catalogueRevisions.staffId', 'catalogueRevisions.staffName'],
    ...['catalogueRevisions.reason', 'pointsGrants.source', 'pointsGrants.note', 'cashPromotions.source'],
    ...['cashPromotions.note', 'userRewards.usedAt', 'userRewards.usedBy', 'userRewards.redemptionCode'],
  ],
  'a time from which nothing follows, or a setting of its time': [
    ...['users.ageAssuredAt', 'users.guardianAssuredAt', 'ageChanges.assuredAt', 'ageChanges.changedAt'],
    ...['contentNotices.decidedAt', 'contentNotices.clearedAt'],
    ...[
      'catalogueVersions.foldsFrom',
      'cashAccounts.updatedAt',
      'cashHolds.createdAt',
      'cashPromotions.expiresAt',
      'collectibles.createdAt',
    ],
    ...['leagues.createdAt', 'leagues.finalAt', 'leagues.nameHeldAt', 'leagueRounds.closedAt'],
    ...[
      'divisionPeriods.endsAt',
      'divisionPeriods.scoring',
      'divisionPeriods.size',
      'divisionPeriods.levels',
      'divisionMembers.since',
    ],
    ...['collectibles.updatedAt', 'events.voidedAt', 'leaderboardEntries.leftAt'],
    ...[
      'matchSettlements.revisedAt',
      'predictionSplits.frozenAt',
      'questionSettlements.revisedAt',
      'orders.addressKeptUntil',
      'orders.cancelledAt',
      'orderLines.deliveredAt',
      'orderLines.downloadedAt',
      'orders.expiresAt',
      'products.lowestPriceAmount',
      'receipts.seller',
      'packPurchases.cancelledAt',
      'packPurchases.createdAt',
    ],
    ...[
      'packPurchases.expiresAt',
      'questProgress.createdAt',
      'settings.createdAt',
      'topUps.createdAt',
      'topUps.expiresAt',
      'referrals.voidedAt',
      'campaignCodes.createdAt',
    ],
  ],
  'the file tells it: a backup compares the hash, which is its name': ['pictureFiles.*'],
  'keyed with a secret that a restored backup need not have': ['identities.emailHash'],
  'a secret or its hash, without which the caller is refused': [
    ...['nativeSessions.*', 'refreshTokens.*', 'revokedTokens.*', 'serverKeys.*', 'consoleLinks.*'],
    ...[
      'consoleSessions.*',
      'providerKeys.*',
      'walletChallenges.*',
      'deferredSyncs.*',
      'users.sessionsEndedAt',
      'devices.*',
      'dataExportParts.*',
    ],
  ],
  'how far a task is: a wrong one is repeated, or late': [
    ...['events.position', 'eventDistribution.*', 'eventSinks.*', 'matchEvents.*', 'matchSettlements.dueAt'],
    ...['dataExports.*', 'matchReminders.*', 'messageCampaigns.*', 'messageCampaignFans.*'],
    ...['leagues.dueAt', 'leagueRounds.tellFrom'],
    'questionSettlements.dueAt',
    ...['payments.acknowledgeBy', 'pointsExpiry.*', 'webhookLanes.*', 'webhookDeliveries.*', 'jobRuns.*'],
    ...['pushServices.*', 'pushDeliveries.*'],
    ...[
      'maintenanceRuns.*',
      'verificationCoverage.*',
      'importFiles.*',
      'importFileParts.*',
      'idempotencyKeys.*',
      'rateLimitWindows.*',
    ],
  ],
  'compared with the files of the archive': [
    ...['archiveFiles.*', 'archivedEvents.*', 'archiveSeams.files', 'archiveSeams.until'],
    ...['archiveSeams.digest', 'archiveSeams.key', 'archiveSeams.sealed'],
  ],
  'drawn at random, and nothing follows from it': ['referralCodes.*'],
  'what an operator has set': [
    'campaignCodes.voidedAt',
    ...['webhookEndpoints.url', 'webhookEndpoints.types', 'webhookEndpoints.createdAt'],
    ...['webhookEndpoints.sinceRevision', 'webhookEndpoints.failingSince', 'webhookEndpoints.pausedUntil'],
    ...['webhookEndpoints.disabledAt', 'webhookEndpoints.disabledReason', 'consoleApprovals.*'],
  ],
  'a later one is as right: leagues are asked more often': ['pointsAccounts.countedFrom'],
  'a lower one is as right, and a higher one is found with the entries that it hides': [
    'divisionMembers.afterSeq',
  ],
  'a task tells it once': ['divisionMembers.result', 'divisionMembers.untold'],
  'a higher one is as right: numbers of members may have gaps': ['leagues.joined', 'divisionLevels.placed'],
  'stated by a demonstration': ['seasonFans.stated'],
  'without it nothing is counted yet': ['seasonSweep.id'],
  'a task checks it again, or tells it once': [
    ...['fanAccounts.basis', 'fanAccounts.riskToldFor', 'fanAccounts.updatedAt', 'fanAccounts.tierSince'],
    ...['fanAccounts.tierUntil', 'matchReminders.*'],
  ],
  'it is as the ticket office stated it': [
    ...['fanMemberships.ref', 'fanMemberships.userId', 'fanMemberships.number', 'fanMemberships.holder'],
    ...['fanMemberships.startsAt', 'fanMemberships.createdAt', 'fanMemberships.updatedAt'],
  ],
  'counted once, of rows that may be deleted later': ['dailyFigures.*', 'questProgress.counts'],
}

const listed = new Set(Object.values(UNKNOWN).flat())
/** An earlier one shows an entry that a higher `divisionMembers.afterSeq` hides. */
const FOUND_TOGETHER = ['divisionMembers.since']
const isListed = (table: string, column: string) =>
  listed.has(`${table}.${column}`) || listed.has(`${table}.*`)

type Row = Record<string, unknown>
type Table = ReturnType<typeof tablesInOrder>[number]

async function dropTriggers({ db, databaseUrl }: World): Promise<void> {
  if (db.engine === 'postgres') {
    for (const { shape } of tablesInOrder(db.tables))
      await runStatement(db.read, sql.raw(`ALTER TABLE ${shape.name} DISABLE TRIGGER USER`))
    return
  }
  const connection = new Connection(databaseUrl?.slice('sqlite:'.length))
  const triggers = connection.query("SELECT name FROM sqlite_master WHERE type = 'trigger'").all()
  for (const { name } of triggers as { name: string }[]) connection.run(`DROP TRIGGER ${name}`)
  connection.close()
}

const isId = (value: unknown) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(value))

const isSame = (one: unknown, other: unknown) =>
  one instanceof Date && other instanceof Date ? one.getTime() === other.getTime() : one === other

/** The words that the checks of a table name, such as its states. */
function literalsOf({ table }: Table): string[] {
  const { checks } = is(table, PgTable) ? getTableConfig(table) : getSqliteTableConfig(table)
  const texts = checks.flatMap(({ value }: { value: SQL }) =>
    value.queryChunks.flatMap(chunk => (is(chunk, StringChunk) ? chunk.value : [])),
  )
  return [...texts.join(' ').matchAll(/'([a-z_]+)'/g)].map(([, word = '']) => word)
}

/** JSON with another value in its first place. */
function changedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? ['x'] : [changedJson(value[0]), ...value.slice(1)]
  if (typeof value === 'object' && value !== null) {
    const [first] = Object.entries(value)
    return first ? { ...value, [first[0]]: changedJson(first[1]) } : { x: 1 }
  }
  if (typeof value === 'number') return value + 1
  return typeof value === 'boolean' ? !value : `${value}x`
}

const changedText = (text: string) => {
  try {
    return /^[[{]/.test(text)
      ? [JSON.stringify(changedJson(JSON.parse(text)))]
      : [`${text}x`, `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`]
  } catch {
    return [`${text}x`]
  }
}

function valuesOfType({ dataType }: Column, value: unknown, now: Date): unknown[] {
  if (value instanceof Date) return [3_600_000, -3_600_000].map(ms => new Date(value.getTime() + ms))
  if (typeof value === 'number') return [value + 1, value - 1]
  if (typeof value === 'boolean') return [!value]
  if (typeof value === 'string') return changedText(value)
  return [dataType === 'date' ? now : dataType === 'number' ? 1 : dataType === 'boolean' ? true : 'x']
}

onEachEngine('A change of one column', world => {
  let tables: Table[]
  const rowsOf = new Map<string, Row[]>()
  const all = { after: null, upTo: null }
  /** Ends a verification with what it has found first. */
  class Found extends Error {}
  const onFinding = ({ what }: { what: string }) => {
    throw new Found(what)
  }
  const verify = async (verification: Promise<unknown>) => {
    try {
      await verification
      return null
    } catch (error) {
      if (error instanceof Found) return error.message
      throw error
    }
  }
  const keys = () => encryptionKeysOf(world.config.nativeTokens)
  const verifications = [
    () => verify(verifyLedger(world.db, { onFinding, keys: keys() })),
    () => verify(verifyQuests(world.db, { onFinding })),
    async () => (await verifyAudit(world.db.read)).findings[0]?.fault ?? null,
  ]
  /** The parts of the verification of the ledger first: each is much faster than the whole. */
  const checks = [
    ...CHECKS_OF_FANS.map(find => async () => (await find(world.db.read, all))[0]?.what ?? null),
    ...CHECKS_OF_ALL.map(find => async () => (await find(world.db.read))[0]?.what ?? null),
    ...verifications,
  ]
  /** Checks that have found a change of the table are likely to find the next one. */
  const foundBy = new Map<string, Set<(typeof checks)[number]>>()

  /** The first finding. Null: none. */
  async function findIn(table: string): Promise<string | null> {
    const known = foundBy.getOrInsertComputed(table, () => new Set())
    for (const check of new Set([...known, ...checks])) {
      const what = await check()
      if (what === null) continue
      known.add(check)
      return what
    }
    return null
  }
  async function findAny(): Promise<string | null> {
    for (const verification of verifications) {
      const what = await verification()
      if (what !== null) return what
    }
    return null
  }

  beforeAll(async () => {
    const erased = await fillWorld(world)
    await dropTriggers(world)
    tables = tablesInOrder(world.db.tables)
    // Guarantee of the casts: every table has the methods of Drizzle, and rows of its columns.
    for (const { property, shape, table } of tables) {
      const rows = (await world.db.read.select().from(table as never)) as Row[]
      // PostgreSQL returns rows that were updated in another order.
      rowsOf.set(
        property,
        rows.toSorted((a, b) => (nameOf(shape, a) < nameOf(shape, b) ? -1 : 1)),
      )
    }
    // Without the rows of the erased fan: the data of the events that describe them is deleted.
    const ids = [...rowsOf.values()].flat().filter(row => Object.values(row).includes(erased.id))
    const theirs = new Set([erased.id, ...ids.flatMap(row => Object.values(row)).filter(isId)])
    for (const fan of rowsOf.get('users') ?? []) if (fan.id !== erased.id) theirs.delete(fan.id)
    for (const [table, rows] of rowsOf)
      rowsOf.set(
        table,
        rows.filter(row => !Object.values(row).some(value => theirs.has(value))),
      )
  })

  const nullsOf = (table: string, row: Row) =>
    Object.entries(row).filter(([column, value]) => value === null && !isListed(table, column)).length
  /** In the order of the keys, also of numbers. */
  const nameOf = ({ key }: Shape, row: Row) =>
    key.map(name => String(row[name]).padStart(typeof row[name] === 'number' ? 16 : 0, '0')).join(' ')

  /** The row with most values that has one in the column, newest first. */
  function choose({ property, shape }: Table, column: string): Row | undefined {
    const rows = (rowsOf.get(property) ?? []).toSorted(
      (a, b) => nullsOf(property, a) - nullsOf(property, b) || (nameOf(shape, a) < nameOf(shape, b) ? 1 : -1),
    )
    return rows.find(row => row[column] !== null) ?? rows[0]
  }

  function candidates(of: Table, name: string, column: Column, row: Row): unknown[] {
    const value = row[name]
    const reference = of.shape.references.find(({ from }) => from.length === 1 && from[0] === name)
    const parent = tables.find(({ shape }) => shape.name === reference?.parent)
    const [key = ''] = parent?.shape.key ?? []
    const others = [
      ...(rowsOf.get(parent?.property ?? '') ?? []).map(row => row[key]),
      ...(rowsOf.get(of.property) ?? []).map(row => row[name]),
      ...(typeof value === 'string' ? literalsOf(of) : []),
    ]
    // A row of one person may belong to either record.
    const merged = (rowsOf.get('users') ?? []).flatMap(user => (user.mergedIntoId === null ? [] : [user.id]))
    return [
      ...others
        .filter(other => other !== null && !isSame(other, value) && !merged.includes(other))
        // The same on both engines. The largest first: a lower count of revisions is not noticed, see `findLostRevisions`.
        // The earliest first: of events that the season has not counted yet, another later time of recording is not noticed.
        .toSorted((a, b) =>
          typeof a === 'number' && typeof b === 'number'
            ? b - a
            : a instanceof Date && b instanceof Date
              ? a.getTime() - b.getTime()
              : 0,
        )
        .slice(0, 8),
      ...valuesOfType(column, value, world.clock.now()),
      ...(value === null ? [] : [null]),
    ]
  }

  const isRow = ({ table, shape }: Table, row: Row) =>
    and(
      ...shape.key.map(name =>
        row[name] === null ? isNull(columnOf(table, name)) : eq(columnOf(table, name), row[name]),
      ),
    )
  const write = ({ table, ...of }: Table, row: Row, change: Row) =>
    world.db.write(tx =>
      tx
        .update(table as never)
        .set(change as never)
        .where(isRow({ table, ...of }, row)),
    )

  /** Changes a row; returns what puts it back. Undefined: the constraints refuse every other value. */
  async function corrupt(
    of: Table,
    name: string,
    column: Column,
  ): Promise<(() => Promise<unknown>) | undefined> {
    const row = choose(of, name)
    if (!row) throw new Error(`there is no row in ${of.property}`)
    for (const value of candidates(of, name, column, row)) {
      const isWritten = await write(of, row, { [name]: value }).then(
        () => true,
        () => false,
      )
      if (isWritten) return () => write(of, { ...row, [name]: value }, { [name]: row[name] })
    }
    return undefined
  }

  test('has correct rows of every table to change', async () => {
    expect(
      tables.filter(({ property }) => rowsOf.get(property)?.length === 0).map(({ property }) => property),
    ).toEqual([])
    expect(await findAny()).toBeNull()
  })

  test('the listed columns and tables exist', () => {
    const known = tables.flatMap(({ property, shape }) => [
      `${property}.*`,
      ...shape.columns.map(column => `${property}.${column.property}`),
    ])
    expect([...listed].filter(name => !known.includes(name))).toEqual([])
  })

  test('is noticed, except in the listed columns', async () => {
    const missed: string[] = []
    for (const of of tables)
      for (const { property: name, column } of of.shape.columns) {
        if (isListed(of.property, name)) continue
        const putBack = await corrupt(of, name, column)
        if (!putBack) continue
        if ((await findIn(of.property)) === null) missed.push(`${of.property}.${name}`)
        await putBack()
      }
    expect(missed).toEqual([])
  })

  const remove = ({ table, shape }: Table, rows: Row[]) =>
    withoutRules({ db: world.db, url: world.databaseUrl }, async run => {
      for (const row of rows) {
        const isRow = shape.key.map(name => {
          const column = shape.columns.find(({ property }) => property === name)
          const value = column?.column.mapToDriverValue(row[name])
          return `${column?.name} = ${typeof value === 'number' ? value : `'${value}'`}`
        })
        await run(`DELETE FROM ${getTableName(table)} WHERE ${isRow.join(' AND ')}`)
      }
    })
  const tableOf = (property: keyof Tables) => {
    const of = tables.find(table => table.property === property)
    if (!of) throw new Error(`there is no table ${property}`)
    return of
  }
  const readAll = async ({ table }: Table) => (await world.db.read.select().from(table as never)) as Row[]
  const insert = ({ table }: Table, rows: Row[]) =>
    world.db.write(tx => tx.insert(table as never).values(rows as never))

  /** Their rows are only ever appended; the column that counts them within what they are of. */
  const appendOnly: [keyof Tables, string][] = [
    ['pointsEntries', 'seq'],
    ['cashEntries', 'seq'],
    ['moderationDecisions', 'seq'],
    ['itemTransfers', 'sequence'],
    ['catalogueRevisions', 'revision'],
    ['consoleAudit', 'seq'],
  ]

  describe.each(appendOnly)('to %s', (property, position) => {
    test.each([
      ['emptied', (rows: Row[]) => rows],
      ['cut at its end', (rows: Row[]) => rows.slice(-1)],
    ])('which is %s, is noticed', async (_, select) => {
      const of = tableOf(property)
      const rows = (await readAll(of)).toSorted((a, b) => Number(a[position]) - Number(b[position]))
      const removed = select(rows)
      expect(removed.length).toBeGreaterThan(0)
      await remove(of, removed)
      const found = await findAny()
      await insert(of, removed)
      expect(found).not.toBeNull()
      expect(await findAny()).toBeNull()
    })
  })

  test('to an entry of the catalogue, back to its state before the last revision, is noticed', async () => {
    const of = tableOf('catalogueRevisions')
    const { teams } = world.db.tables
    const isTeam = eq(teams.id, 'bay')
    const [now] = await world.db.read.select().from(teams).where(isTeam)
    const last = (await readAll(of)).filter(({ entryId, revision }) => entryId === 'bay' && revision === 2)
    await remove(of, last)
    await world.db.write(tx => tx.update(teams).set({ name: 'Bay', updatedAt: now?.createdAt }).where(isTeam))
    const found = await findAny()
    await insert(of, last)
    await world.db.write(tx =>
      tx
        .update(teams)
        .set(now ?? {})
        .where(isTeam),
    )
    expect(found).toBe('catalogue_revisions.rows of team')
    expect(await findAny()).toBeNull()
  })

  test('of any listed column is not noticed, also together', async () => {
    const changes: (() => Promise<unknown>)[] = []
    for (const of of tables)
      for (const { property: name, column } of of.shape.columns)
        if (isListed(of.property, name) && !FOUND_TOGETHER.includes(`${of.property}.${name}`))
          changes.push((await corrupt(of, name, column)) ?? (async () => {}))
    const found = await findAny()
    for (const putBack of changes.toReversed()) await putBack()
    expect(found).toBeNull()
    expect(await findAny()).toBeNull()
  })
})
