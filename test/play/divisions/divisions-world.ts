/** Divisions of a test, fans who earn, and the end of periods. */

import { EVERYONE } from '../../../db/id-range.ts'
import { findUncounted, findWrongSeats } from '../../../src/audit/play/verify-divisions.ts'
import { appendEntry, takeBack } from '../../../src/economy/points/ledger.ts'
import { closeDivisions } from '../../../src/play/divisions/close.ts'
import { divisionKind } from '../../../src/play/divisions/division-kind.ts'
import type { Division } from '../../../src/play/divisions/division-set.ts'
import { tellDivisions } from '../../../src/play/divisions/tell-results.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import type { Client } from '../../support/client.ts'
import type { World } from '../../support/world.ts'
import { expectStatus } from '../packs/packs-world.ts'

export const DAY = 86_400_000
export const WEEK = 7 * DAY
/** Longer than the minute after which points are final. */
export const AFTER = 61_000

type Entry = Parameters<typeof divisionKind.upsert>[1]

/** Three levels, tables of four, of which one rises and one falls, each week. */
export const WEEKLY: Entry = {
  id: 'weekly',
  name: { en: 'Weekly', pt: 'Semanal' },
  size: 4,
  levels: [
    { id: 'bronze', name: { en: 'Bronze', pt: 'Bronze' }, up: 1 },
    { id: 'silver', name: { en: 'Silver', pt: 'Prata' }, up: 1, down: 1 },
    { id: 'gold', name: { en: 'Gold', pt: 'Ouro' }, down: 1 },
  ],
}

export const addDivision = ({ db }: Pick<World, 'db'>, members: Partial<Entry> = {}) =>
  db.write(tx => divisionKind.upsert(tx, { ...WEEKLY, ...members }))

export const endDivision = ({ db }: Pick<World, 'db'>, id: Division['id']) =>
  db.write(tx => divisionKind.deactivate(tx, id))

/** Who takes part in the leaderboards. */
export async function player(world: World): Promise<NamedFan> {
  const fan = await namedFan(world)
  await fan.put('/api/user/leaderboard-membership')
  return fan
}

export async function players(world: World, count: number): Promise<NamedFan[]> {
  const fans: NamedFan[] = []
  while (fans.length < count) fans.push(await player(world))
  return fans
}

let earned = 0

/** Points that can be taken back: returns the ref. */
export async function earn({ db }: Pick<World, 'db'>, userId: string, delta: number): Promise<string> {
  const ref = `rule:source:${++earned}`
  await db.write(tx => appendEntry(tx, { userId, delta, reason: 'rule', ref }))
  return ref
}

export const undo = ({ db }: Pick<World, 'db'>, userId: string, ref: string) =>
  db.write(tx => takeBack(tx, { userId, reason: 'rule', ref }))

export const tableOf = async (fan: Client, query = '') =>
  expectStatus(200, await fan.get(`/api/user/division${query}`)).division

/** Tokens last shorter than periods. */
export const again = async (world: World, fan: NamedFan): Promise<NamedFan> =>
  Object.assign(fan, world.withToken(await world.idp.issueToken(fan.subject)))

export async function settle(world: World): Promise<void> {
  await closeDivisions(world.deps)
  await tellDivisions(world.deps)
}

/** The minute after the end of the period that a table of the fan shows, with its tables closed. */
export async function endPeriod(world: World, fans: NamedFan[]): Promise<void> {
  const ends: number[] = []
  for (const fan of fans) {
    const division = await tableOf(fan)
    if (division) ends.push(Date.parse(division.endsAt))
  }
  world.clock.ms = Math.max(...ends) + AFTER
  await settle(world)
  for (const fan of fans) await again(world, fan)
}

/** Names and points of a table, in its order. */
export const shown = (division: { entries: { handle: string | null; points: number; zone: string }[] }) =>
  division.entries.map(({ handle, points, zone }) => [handle, points, zone])

/** Of each division: where its members are. */
export async function listSeats({ db }: Pick<World, 'db'>) {
  const { divisionMembers: members } = db.tables
  return db.read.select().from(members).orderBy(members.startsAt, members.level, members.number, members.seat)
}

export const findWrong = ({ db }: Pick<World, 'db'>) =>
  db.snapshot(async reader => [...(await findWrongSeats(reader)), ...(await findUncounted(reader, EVERYONE))])
