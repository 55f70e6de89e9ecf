/** The draw of leagues head to head. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { drawRound } from '../../../src/play/leagues/draw.ts'

const SEED = '000102030405060708090a0b0c0d0e0f'
const namesOf = (round: number, members: number[]) =>
  drawRound(SEED, round, members).map(({ home, away }) => (away === null ? `${home}` : `${home}–${away}`))

test('is the one that the guide states, as an example', () => {
  const guide = readFileSync(`${import.meta.dir}/../../../docs/leagues.md`, 'utf8')
  const [, members = ''] =
    /Members (\d+(?:, \d+)*) with the seed `000102030405060708090a0b0c0d0e0f`/.exec(guide) ?? []
  const numbers = members.split(', ').map(Number)
  expect(numbers).toHaveLength(5)
  const rows = [...guide.matchAll(/^\| (\d) \| (\d+–\d+(?:, \d+–\d+)*) \| (\d+) \|$/gm)]
  expect(rows).toHaveLength(5)
  for (const [, round, pairs = '', bye = ''] of rows)
    expect(namesOf(Number(round), numbers).toSorted((a, b) => b.length - a.length)).toEqual([
      ...pairs.split(', '),
      bye,
    ])
})

test.each([1, 2, 3, 4, 7, 12])('lets %d members play each other once before any plays again', count => {
  const members = Array.from({ length: count }, (_, n) => n + 1)
  const rounds = count % 2 === 0 ? Math.max(count - 1, 1) : count
  const met = new Set<string>()
  const byes: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const pairs = drawRound(SEED, round, members)
    const playing = pairs.flatMap(({ home, away }) => (away === null ? [home] : [home, away]))
    expect(playing.toSorted((a, b) => a - b)).toEqual(members)
    for (const { home, away } of pairs)
      if (away === null) byes.push(home)
      else met.add([home, away].toSorted((a, b) => a - b).join(' '))
  }
  expect(met.size).toBe((count * (count - 1)) / 2)
  expect(byes.toSorted((a, b) => a - b)).toEqual(count % 2 === 1 ? members : [])
  expect(drawRound(SEED, rounds + 1, members).map(pairOf)).toEqual(
    expect.arrayContaining(drawRound(SEED, 1, members).map(pairOf)),
  )
})

const pairOf = ({ home, away }: { home: number; away: number | null }) =>
  [home, away ?? 0].toSorted((a, b) => a - b).join(' ')

test('does not depend on the order of the list, and differs by seed', () => {
  expect(namesOf(3, [5, 1, 4, 2, 3, 9])).toEqual(namesOf(3, [1, 2, 3, 4, 5, 9]))
  const many = Array.from({ length: 40 }, (_, n) => n + 1)
  expect(drawRound('another', 1, many)).not.toEqual(drawRound(SEED, 1, many))
})
