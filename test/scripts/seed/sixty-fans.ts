/** A small seed for tests, and the report of one that writes nothing. */
export const options = {
  seed: 7,
  fans: 60,
  provider: { name: 'mock-idp', issuer: 'http://localhost:4000' },
  onboardingPoints: 100,
  predictionPoints: { outcome: 10, difference: 15, exact: 25 },
  nativeTokens: { key: { d: 'a signing key' }, previousKeys: [] },
}

export const NOTHING = {
  teams: 0,
  players: 0,
  seasons: 0,
  sponsors: 0,
  documents: 0,
  rewards: 0,
  packs: 0,
  matches: 0,
  rules: 0,
  quests: 0,
  sets: 0,
  products: 0,
  fans: 0,
  rows: 0,
}
