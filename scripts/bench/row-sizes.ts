/** Rows that fans leave in tables whose size does not follow from events, with values of the usual lengths. */

import { insertRows } from '../../db/bulk.ts'
import { type Database, openDatabase } from '../../db/index.ts'
import { type AnyTable, shapeOf } from '../../db/schema/shape.ts'
import { realSources } from '../../src/core/sources.ts'

const FIRST_MS = Date.parse('2026-08-01T12:00:00.000Z')
const DAY_MS = 86_400_000
/** Rows of each fan in each table: the pages of an index are full only after some. */
const ROUNDS = 4
/** Fans of a league, and of a table of a division. */
const MEMBERS = 20
const BATCH = 1_000

/** Adds rows of each fan, in another order of fans each time. Returns how many a table has. */
export async function addRows(url: string): Promise<Map<string, number>> {
  const db = openDatabase(url, realSources, { bulk: true })
  try {
    const { users } = db.tables
    const fans = (await db.read.select({ id: users.id }).from(users)).map(({ id }) => id)
    const added = new Map<string, number>()
    for (let round = 0; round < ROUNDS; round++) {
      const order = fans.toSorted((a, b) =>
        Number(Bun.hash.wyhash(a, BigInt(round)) - Bun.hash.wyhash(b, BigInt(round))),
      )
      for (const [table, rows] of rowsOf(db, round, order)) {
        const { name } = shapeOf(table)
        added.set(name, (added.get(name) ?? 0) + rows.length)
        for (let first = 0; first < rows.length; first += BATCH)
          await db.write(tx => insertRows(tx, table, rows.slice(first, first + BATCH)))
      }
    }
    return added
  } finally {
    await db.close()
  }
}

/** Parents first. */
function rowsOf(
  { tables }: Database,
  round: number,
  fans: string[],
): [AnyTable, AnyTable['$inferInsert'][]][] {
  const from = new Date(FIRST_MS + round * DAY_MS)
  const at = (index: number) => new Date(from.getTime() + index * 10)
  const idAt = (index: number) => Bun.randomUUIDv7('hex', at(index))
  const times = { createdAt: from, updatedAt: from }
  const question = {
    id: `man-of-the-match-${round}`,
    kind: 'poll',
    title: 'Player of the match?',
    options: '[]',
  }
  const open = {
    opensAt: from,
    closesAt: at(fans.length),
    shownOpensAt: from,
    shownClosesAt: at(fans.length),
  }
  const division = { id: `weekly-${round}`, name: 'Weekly', scoring: 'points', size: MEMBERS, every: 'week' }
  const leagues = Array.from({ length: Math.ceil(fans.length / MEMBERS) }, (_, nth) => ({
    id: idAt(nth),
    name: 'The office',
    code: `${round}-${nth}`,
    ownerId: fans[nth * MEMBERS] ?? '',
    scoring: 'points',
    board: 'all',
    countFrom: 'join',
    locked: false,
    members: MEMBERS,
    joined: MEMBERS,
    format: 'table',
    rounds: 0,
    createdAt: from,
  }))
  const messages = fans.map((userId, index) => ({
    id: idAt(index),
    userId,
    notificationId: 'order-shipped',
    cause: `matchday ${idAt(index)}`,
    category: 'orders',
    title: 'Your order is on its way',
    body: 'An item of your order was shipped.',
    url: `/orders/${idAt(index)}`,
    createdAt: at(index),
    readAt: at(index),
  }))
  const devices = fans.map((userId, index) => ({
    userId,
    deviceId: crypto.randomUUID(),
    kind: 'fcm',
    service: 'fcm',
    tokenHash: randomText(32),
    // A token of 163 characters, with nonce, tag and the prefix of its key.
    encryptedToken: `${randomText(6)}.${randomText(191)}`,
    createdAt: at(index),
    lastUsedAt: at(index),
  }))
  const orders = fans.map((userId, index) => ({
    id: idAt(index),
    userId,
    status: 'completed',
    priceAmount: 4_500,
    priceCurrency: 'EUR',
    discountAmount: 0,
    createdAt: at(index),
    expiresAt: at(index),
    completedAt: at(index),
    refundedAmount: 1_500,
    waiver: false,
  }))
  return [
    [tables.questions, [{ ...question, ...open, ...times, changeable: true, results: 'live', active: true }]],
    [
      tables.questionVotes,
      fans.map((userId, index) => ({
        questionId: question.id,
        userId,
        box: index % 16,
        optionId: 'sol-11',
        createdAt: at(index),
        changedAt: at(index),
        counted: true,
        points: 0,
        booked: 0,
      })),
    ],
    [tables.leagues, leagues],
    [
      tables.leagueMembers,
      fans.map((userId, index) => ({
        leagueId: leagues[Math.floor(index / MEMBERS)]?.id ?? '',
        userId,
        joinedAt: at(index),
        countsFrom: at(index),
        baseline: 0,
        number: (index % MEMBERS) + 1,
        matchPoints: 0,
      })),
    ],
    [tables.divisions, [{ ...division, ...times, levels: '[]', active: true }]],
    [
      tables.divisionMembers,
      fans.map((userId, index) => ({
        userId,
        divisionId: division.id,
        startsAt: from,
        level: 0,
        number: Math.floor(index / MEMBERS),
        seat: (index % MEMBERS) + 1,
        afterSeq: 3,
        since: from,
        untold: false,
      })),
    ],
    [tables.messages, messages],
    [tables.devices, devices],
    [
      tables.pushDeliveries,
      devices.map(({ userId, deviceId }, index) => ({
        userId,
        deviceId,
        messageId: messages[index]?.id ?? '',
        position: 1,
        service: 'fcm',
        bulk: false,
        category: 'orders',
        state: 'sent',
        attempts: 1,
        createdAt: at(index),
        dueAt: at(index),
        countedAt: at(index),
        endedAt: at(index),
        status: 200,
      })),
    ],
    [tables.orders, orders],
    [
      tables.orderRefunds,
      orders.map(({ id, createdAt }) => ({
        id: `${id}:1`,
        orderId: id,
        number: 1,
        amount: 1_500,
        lines: '[{"number":1,"quantity":1}]',
        state: 'refunded',
        createdAt,
        settledAt: createdAt,
      })),
    ],
  ]
}

const randomText = (bytes: number) =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64url')
