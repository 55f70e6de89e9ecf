import { expect, test } from 'bun:test'
import { teams } from '../../../scripts/seed/demo-catalogue.ts'
import { matches } from '../../../scripts/seed/demo-matches.ts'

test('the demonstration season has each pairing once at home and away, and each team once a round', () => {
  expect(matches.length).toBe(teams.length * (teams.length - 1))
  expect(new Set(matches.map(({ id }) => id)).size).toBe(matches.length)
  for (const round of Map.groupBy(matches, match => match.round).values()) {
    const playing = round.flatMap(({ homeTeamId, awayTeamId }) => [homeTeamId, awayTeamId])
    expect(playing.toSorted()).toEqual(teams.map(([id]) => id).toSorted())
  }
})
