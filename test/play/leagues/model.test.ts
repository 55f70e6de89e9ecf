/** A league whose members join, leave, are removed, banned and merged, earn and lose points, in random orders, compared with a model. */
import { expect, test } from 'bun:test'
import {
  findWrongBaselines,
  findWrongLeagues,
  findWrongRounds,
} from '../../../src/audit/play/verify-leagues.ts'
import { appendEntry, takeBack } from '../../../src/economy/points/ledger.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { advanceLeagues } from '../../../src/play/leagues/rounds.ts'
import { tellResults } from '../../../src/play/leagues/tell-results.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { create, join, leave, outcomeOf, read } from './leagues-world.ts'

const STEPS = 70
const WEEK = 7 * 86_400_000

interface Member {
  fan: NamedFan
  joinedAt: number
}

onEachEngine(
  'A league in any order of changes',
  world => {
    test.each([1, 2, 3, 4])('has the members, owner and bans of the model (seed %d)', async seed => {
      const random = seeded(seed)
      const pick = <Of>(list: Of[], fallback: Of): Of => list[Math.floor(random() * list.length)] ?? fallback
      const made: string[] = []
      const addFan = async () => {
        const fan = await namedFan(world)
        await fan.put('/api/user/leaderboard-membership')
        made.push(fan.id)
        return fan
      }
      const fans: NamedFan[] = []
      for (let n = 0; n < 5; n++) fans.push(await addFan())
      const first = fans[0] ?? (await addFan())
      const format = seed % 2 === 0 ? 'table' : 'head_to_head'
      const { id, code } = await create(first, { format, from: seed > 2 ? 'start' : 'join' })
      let owner = first
      let members: Member[] = [{ fan: first, joinedAt: world.clock.ms }]
      const bans = new Set<string>()
      let locked = false
      const isIn = (fan: NamedFan) => members.some(member => member.fan === fan)
      const takeOut = (fan: NamedFan) => {
        members = members.filter(member => member.fan !== fan)
        if (owner === fan) owner = members.toSorted((a, b) => a.joinedAt - b.joinedAt)[0]?.fan ?? owner
      }
      const asOwner = (by: NamedFan, allowed: () => number | string) =>
        isIn(by) ? (by === owner ? allowed() : 'not_owner') : 'league_not_found'
      const undos: (() => Promise<unknown>)[] = []
      let refs = 0

      const changes: ((fan: NamedFan, by: NamedFan) => Promise<[unknown, unknown]>)[] = [
        async fan => {
          const expected = isIn(fan)
            ? 'already_member'
            : bans.has(fan.id)
              ? 'banned'
              : locked
                ? 'league_locked'
                : 200
          if (expected === 200) members.push({ fan, joinedAt: world.clock.ms })
          return [outcomeOf(await join(fan, code)), expected]
        },
        async fan => {
          if (members.length === 1) return [0, 0]
          const expected = isIn(fan) ? 204 : 'league_not_found'
          takeOut(fan)
          return [outcomeOf(await leave(fan, id)), expected]
        },
        async (fan, by) => {
          if (fan === by) return [0, 0]
          const expected = asOwner(by, () => (isIn(fan) ? 204 : 'fan_not_found'))
          if (expected === 204) takeOut(fan)
          return [outcomeOf(await leave(by, id, fan.handle)), expected]
        },
        async (fan, by) => {
          const expected = fan === by ? 'cannot_ban_yourself' : asOwner(by, () => 204)
          if (expected === 204) {
            takeOut(fan)
            bans.add(fan.id)
          }
          return [outcomeOf(await by.put(`/api/leagues/${id}/bans/${fan.handle}`)), expected]
        },
        async (fan, by) => {
          const expected = fan === by ? 'cannot_ban_yourself' : asOwner(by, () => 204)
          if (expected === 204) bans.delete(fan.id)
          const ended = await by.send(`/api/leagues/${id}/bans/${fan.handle}`, { method: 'DELETE' })
          return [outcomeOf(ended), expected]
        },
        async (fan, by) => {
          const expected = asOwner(by, () => (isIn(fan) ? 200 : 'fan_not_found'))
          if (expected === 200) owner = fan
          return [outcomeOf(await by.patch(`/api/leagues/${id}`, { owner: fan.handle })), expected]
        },
        async (_, by) => {
          const expected = asOwner(by, () => 200)
          if (expected === 200) locked = !locked
          const wanted = expected === 200 ? locked : true
          return [outcomeOf(await by.patch(`/api/leagues/${id}`, { locked: wanted })), expected]
        },
        async fan => {
          const entry = { userId: fan.id, reason: 'rule', ref: `${id}-${++refs}` } as const
          await world.db.write(tx => appendEntry(tx, { ...entry, delta: 1 + Math.floor(random() * 9) }))
          undos.push(() => world.db.write(tx => takeBack(tx, entry)))
          return [0, 0]
        },
        async () => {
          const [undo] = undos.splice(Math.floor(random() * undos.length), 1)
          await undo?.()
          return [0, 0]
        },
        async (from, into) => {
          if (from === into || fans.length < 4) return [0, 0]
          await world.db.write(tx =>
            mergeFans(tx, { from: from.id, into: into.id, mergedBy: 'Mia', reason: null }),
          )
          fans.splice(fans.indexOf(from), 1, await addFan())
          const [theirs, own] = [from, into].map(fan => members.find(member => member.fan === fan))
          if (theirs && own) own.joinedAt = Math.min(own.joinedAt, theirs.joinedAt)
          else if (theirs) theirs.fan = into
          members = members.filter(member => member.fan !== from)
          if (owner === from) owner = into
          if (bans.delete(from.id)) bans.add(into.id)
          if (isIn(into)) bans.delete(into.id)
          return [0, 0]
        },
        async () => {
          world.clock.advance(WEEK)
          await advanceLeagues(world)
          await tellResults(world)
          for (const fan of fans) Object.assign(fan, world.withToken(await world.idp.issueToken(fan.subject)))
          return [0, 0]
        },
      ]

      for (let step = 0; step < STEPS; step++) {
        world.clock.advance(1_000)
        const by = random() < 0.6 ? owner : pick(fans, first)
        const kind = Math.floor(random() * changes.length)
        const [outcome, expected] = (await changes[kind]?.(pick(fans, first), by)) ?? [null, 0]
        expect({ step, kind, outcome }).toEqual({ step, kind, outcome: expected })
        const league = await read(owner, id)
        const shown = league.entries.map(({ handle }: { handle: string }) => handle).toSorted()
        const wanted = members.map(({ fan }) => fan.handle).toSorted()
        expect({ step, kind, shown, members: league.members }).toEqual({
          ...{ step, kind, shown: wanted, members: members.length },
        })
        expect({ step, owner: league.owner.handle, locked: league.locked }).toEqual({
          ...{ step, owner: owner.handle, locked },
        })
      }
      expect(await findWrongLeagues(world.db.read)).toEqual([])
      expect(await findWrongRounds(world.db.read)).toEqual([])
      expect(await findWrongBaselines(world.db.read, { among: made })).toEqual([])
    })
  },
  { worldPer: 'test' },
)

/** Numbers of 0 to 1 that follow from a seed. */
function seeded(seed: number): () => number {
  let state = seed * 7_919
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
