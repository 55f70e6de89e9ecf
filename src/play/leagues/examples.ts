/** Examples of the API document. */

export const exampleNewLeague = {
  name: 'Office league',
  scoring: 'predictions',
  season: '2026/27',
  format: 'table',
  from: 'join',
}

const exampleSummary = {
  id: '01981e2c-7c1f-7000-8000-000000000061',
  automatic: null,
  name: 'Office league',
  code: '7Q2M-X9KD',
  scoring: 'predictions',
  competition: null,
  season: '2026/27',
  format: 'table',
  from: 'join',
  locked: false,
  owner: { handle: 'ada', displayName: 'Ada Winger' },
  owned: true,
  members: 1,
  createdAt: '2026-08-15T18:30:00.000Z',
  me: { rank: 1, points: 45 },
} as const

export const exampleLeague = {
  ...exampleSummary,
  entries: [
    {
      number: 1,
      handle: 'ada',
      displayName: 'Ada Winger',
      avatarUrl: null,
      rank: 1,
      points: 45,
      joinedAt: '2026-08-15T18:30:00.000Z',
    },
  ],
  lastRound: null,
  nextCursor: null,
}

export const exampleLeagues = {
  leagues: [{ ...exampleSummary, lastRound: null }],
  automatic: [
    {
      ...exampleSummary,
      id: 'team:rovers',
      automatic: 'team',
      name: 'Rovers',
      code: null,
      scoring: 'points',
      season: null,
      from: 'start',
      locked: true,
      owner: { handle: null, displayName: null },
      owned: false,
      members: 84_213,
      createdAt: null,
      me: { rank: 1_204, points: 45 },
      lastRound: null,
    },
  ],
}

const exampleSide = (number: number, handle: string, displayName: string) => ({
  number,
  handle,
  displayName,
  avatarUrl: null,
})

export const exampleRounds = {
  seed: '000102030405060708090a0b0c0d0e0f',
  rounds: [
    {
      id: '1',
      week: '2026-W34',
      startsAt: '2026-08-17T00:00:00.000Z',
      endsAt: '2026-08-24T00:00:00.000Z',
      pairs: [
        {
          home: exampleSide(2, 'calebe', 'Calebe'),
          away: exampleSide(1, 'ada', 'Ada Winger'),
          homePoints: 5,
          awayPoints: 8,
        },
      ],
      bye: exampleSide(3, 'mia', 'Mia'),
    },
  ],
  nextCursor: null,
}
