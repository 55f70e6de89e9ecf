/** Leagues of a test, and points of their members. */
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import type { Client } from '../../support/client.ts'
import type { World } from '../../support/world.ts'
import { expectStatus } from '../packs/packs-world.ts'

export const POINTS = { name: 'Office league', scoring: 'points', format: 'table', from: 'join' }

export const create = async (fan: Client, members: Record<string, unknown> = {}) =>
  expectStatus(201, await fan.post('/api/leagues', { ...POINTS, ...members }))

export const join = (fan: Client, code: string) => fan.post('/api/leagues/join', { code })

/** The status of success, else the code of the problem. */
export const outcomeOf = ({ status, body }: { status: number; body: { code?: string } }) =>
  status < 300 ? status : body.code

export const read = async (fan: Client, id: string, query = '') =>
  expectStatus(200, await fan.get(`/api/leagues/${id}${query}`))

export const leave = (fan: Client, id: string, handle = 'me') =>
  fan.send(`/api/leagues/${id}/members/${handle}`, { method: 'DELETE' })

let earned = 0

/** Points that are never taken back. */
export const earn = ({ db }: Pick<World, 'db'>, userId: string, delta: number) =>
  db.write(tx => appendEntry(tx, { userId, delta, reason: 'activity', ref: `league-${++earned}` }))
