import { expect, test } from 'bun:test'
import { calendarOf } from '../../../scripts/seed/calendar.ts'
import { teams } from '../../../scripts/seed/demo-catalogue.ts'
import { matchesOf } from '../../../scripts/seed/demo-matches.ts'
import { KICK_OFF } from '../../support/clock.ts'

test('the demonstration season has each pairing once at home and away, and each team once a round', () => {
  const matches = matchesOf(calendarOf(new Date(KICK_OFF)))
  expect(matches.length).toBe(teams.length * (teams.length - 1))
  expect(new Set(matches.map(({ id }) => id)).size).toBe(matches.length)
  for (const round of Map.groupBy(matches, match => match.round).values()) {
    const playing = round.flatMap(({ homeTeamId, awayTeamId }) => [homeTeamId, awayTeamId])
    expect(playing.toSorted()).toEqual(teams.map(([id]) => id).toSorted())
  }
})
