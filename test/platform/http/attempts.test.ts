/** Attempts that wait for each other, so that a burst fails no more often than its limit. */
import { describe, expect, test } from 'bun:test'
import { createAttempts } from '../../../src/platform/http/rate-limits/attempts.ts'
import { nextTurn } from '../../support/wait-until.ts'

/** `left` may fail. Each attempt takes a turn of the event loop. */
function createWorld(left: number) {
  const judge = createAttempts()
  const world = { left, judged: 0, most: 0, failed: 0 }
  const room = () => {
    if (world.left === 0) throw new Error('limited')
    return world.left
  }
  const enter = (isRight: boolean, key = 'ada') =>
    judge(key, room, async () => {
      world.most = Math.max(world.most, ++world.judged)
      await nextTurn()
      world.judged--
      if (isRight) return 'right'
      world.left--
      world.failed++
      throw new Error('wrong')
    }).catch((error: Error) => error.message)
  return { world, enter }
}

const times = <T>(count: number, of: () => T) => Array.from({ length: count }, of)

describe('attempts at the same moment', () => {
  test('fail as often as they may, and those that wait are refused', async () => {
    const { world, enter } = createWorld(3)
    const outcomes = await Promise.all(times(40, () => enter(false)))
    expect(outcomes.toSorted()).toEqual([...Array(37).fill('limited'), ...Array(3).fill('wrong')])
    expect(world).toMatchObject({ most: 3, failed: 3 })
  })

  test('are all judged if they are right, as many at once as may fail', async () => {
    const { world, enter } = createWorld(3)
    expect(await Promise.all(times(40, () => enter(true)))).toEqual(Array(40).fill('right'))
    expect(world).toMatchObject({ most: 3, left: 3 })
  })

  test('of another key do not wait', async () => {
    const { world, enter } = createWorld(1)
    expect(await Promise.all([enter(true), enter(true, 'bob')])).toEqual(['right', 'right'])
    expect(world.most).toBe(2)
  })

  test('leave nothing that stops later ones', async () => {
    const { world, enter } = createWorld(1)
    expect(await Promise.all([enter(false), enter(true)])).toEqual(['wrong', 'limited'])
    world.left = 1
    expect(await Promise.all(times(3, () => enter(true)))).toEqual(Array(3).fill('right'))
  })
})
