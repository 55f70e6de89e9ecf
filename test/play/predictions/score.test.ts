import { describe, expect, test } from 'bun:test'
import { hitsOf, pointsFor } from '../../../src/play/predictions/score.ts'

const points = { outcome: 10, difference: 15, exact: 25 }

describe('a prediction', () => {
  test.each([
    ['2:1', '2:1', 'outcome difference exact', 25],
    ['0:0', '0:0', 'outcome difference exact', 25],
    ['3:2', '2:1', 'outcome difference', 15],
    ['1:1', '2:2', 'outcome difference', 15],
    ['3:0', '2:1', 'outcome', 10],
    ['0:1', '1:5', 'outcome', 10],
    ['1:2', '2:1', '', 0],
    ['1:1', '2:1', '', 0],
    ['2:1', '1:1', '', 0],
  ])('of %s at a result of %s hits [%s] and earns %i', (predicted, result, hits, earned) => {
    const scoresOf = (text: string) => {
      const [homeScore = 0, awayScore = 0] = text.split(':').map(Number)
      return { homeScore, awayScore }
    }
    const found = hitsOf(scoresOf(predicted), scoresOf(result))
    expect(
      Object.entries(found)
        .flatMap(([name, isHit]) => (isHit ? name : []))
        .join(' '),
    ).toBe(hits)
    expect(pointsFor(found, points)).toBe(earned)
  })
})
