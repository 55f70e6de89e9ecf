/** Random walks: fans earn, lose points, are merged and erased, and periods end, in any order. */
import { expect, test } from 'bun:test'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { readDivision } from '../../../src/play/divisions/read-division.ts'
import { onEachEngine } from '../../support/world.ts'
import {
  AFTER,
  addDivision,
  earn,
  findWrong,
  listSeats,
  player,
  settle,
  undo,
  WEEK,
  WEEKLY,
} from './divisions-world.ts'

const FANS = 14
const STEPS = 70
const LEVELS = WEEKLY.levels?.length ?? 0

/** Numbers from 0 to below `count`, the same for a seed. */
function drawsOf(seed: number) {
  let state = seed
  return (count: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
}

onEachEngine(
  'A random walk of divisions',
  world => {
    test.each([1, 2, 3])(
      'keeps each active fan in one table, and moves fans by their zones (seed %d)',
      async seed => {
        const draw = drawsOf(seed)
        await addDivision(world)
        let fans: string[] = []
        while (fans.length < FANS) fans.push((await player(world)).id)
        let refs: { userId: string; ref: string }[] = []
        const pick = () => fans[draw(fans.length)] ?? ''
        const without = (userId: string) => {
          fans = fans.filter(id => id !== userId)
          refs = refs.filter(of => of.userId !== userId)
        }

        /** The level in which each fan must be after the period, from what the tables show at its end. */
        async function expectedLevels() {
          const levels = new Map<string, number>()
          for (const { userId, level } of await listSeats(world)) {
            const { division } = await readDivision(world.db.read, { userId })
            const { zone } = division?.entries.find(({ rank }) => rank === division.rank) ?? {}
            if (zone === undefined) throw new Error('a fan with a seat has no zone')
            if (zone !== 'leaves') levels.set(userId, level + (zone === 'up' ? 1 : zone === 'down' ? -1 : 0))
          }
          return levels
        }

        const steps = [
          async () => {
            const userId = pick()
            refs.push({ userId, ref: await earn(world, userId, draw(50) + 1) })
            expect((await listSeats(world)).filter(seat => seat.userId === userId)).toHaveLength(1)
          },
          async () => {
            const [taken] = refs.splice(draw(refs.length), 1)
            if (taken) await undo(world, taken.userId, taken.ref)
          },
          async () => {
            const [from, into] = [pick(), pick()]
            if (from === into || fans.length < 6) return
            await world.db.write(tx => mergeFans(tx, { from, into, mergedBy: 'test', reason: null }))
            without(from)
          },
          async () => {
            if (fans.length < 6) return
            const id = pick()
            await world.db.write(tx => eraseUser(tx, { id }))
            without(id)
          },
          async () => {
            world.clock.advance(draw(2) * 3_600_000 + 1)
          },
          async () => {
            const [seat] = await listSeats(world)
            if (!seat) return
            world.clock.ms = seat.startsAt.getTime() + WEEK
            const expected = await expectedLevels()
            world.clock.advance(AFTER)
            await settle(world)
            const found = new Map((await listSeats(world)).map(({ userId, level }) => [userId, level]))
            expect(found).toEqual(expected)
            await settle(world)
            expect(await listSeats(world)).toHaveLength(expected.size)
          },
        ]
        // Mostly earnings.
        const order = [0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5]
        for (let step = 0; step < STEPS; step++) {
          await steps[order[draw(order.length)] ?? 0]?.()
          const seats = await listSeats(world)
          expect(seats.every(({ seat, level }) => seat <= 4 && level >= 0 && level < LEVELS)).toBe(true)
          expect(seats.every(({ userId }) => fans.includes(userId))).toBe(true)
          expect(await findWrong(world)).toEqual([])
        }
      },
    )
  },
  { worldPer: 'test' },
)
