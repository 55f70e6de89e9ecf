/** Matches for the layout of the example app: live with rounds of long names, settled, and without any round. */
import type { Database } from '../../db/index.ts'
import { upsertMatch } from '../../src/club/matches/match-kind.ts'
import { sponsorKind } from '../../src/club/sponsors/sponsor-kind.ts'
import { teamKind } from '../../src/club/teams/team-kind.ts'
import { answerQuestion, closeQuestion } from '../../src/play/questions/change.ts'
import { questionKind } from '../../src/play/questions/question-kind.ts'

const MINUTE = 60_000
/** Without a place to break it. */
const LONG = 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternw'.slice(0, 50)
const ARABIC = 'من هو أفضل لاعب في هذه المباراة حتى الآن برأيك أنت وأصدقائك؟'

export const matchScreens = {
  'match with rounds': '/matches/with-rounds',
  'match settled': '/matches/settled',
  'match without rounds': '/matches/without-rounds',
  'match to come': '/matches/to-come',
  // The language stays until the page is loaded with another address.
  'match in Arabic': '/matches/with-rounds?lang=ar',
  'match settled in Arabic': '/matches/settled?lang=ar',
}

/** The rounds of the match that is settled, for the votes of the fan. */
export const SETTLED = ['settled-right', 'settled-wrong']

export async function writeMatches(db: Database): Promise<void> {
  const at = (minutes: number) => new Date(Date.now() + minutes * MINUTE).toISOString()
  const of = { competition: LONG, season: '2026/27', round: LONG, venue: LONG }
  const teams = { homeTeamId: 'long-home', awayTeamId: 'long-away' }
  const options = ['home', 'away'].map(id => ({ id, text: { en: `${LONG} ${id}`, ar: `${ARABIC} ${id}` } }))
  const asked = { kind: 'prediction' as const, options, opensAt: at(-2), closesAt: at(120), points: 1_000 }
  const rounds = [
    { id: 'long', matchId: 'with-rounds', ...asked, sponsorId: LONG.toLowerCase() },
    { id: 'later', matchId: 'with-rounds', ...asked, opensAt: at(60) },
    ...SETTLED.map(id => ({ id, matchId: 'settled', ...asked, results: 'live' as const })),
  ]
  await db.write(async tx => {
    for (const [id, name] of [
      ['long-home', LONG],
      ['long-away', `${LONG.slice(0, 49)}2`],
    ] as const)
      await teamKind.upsert(tx, { id, name, shortName: name.slice(0, 8), active: true })
    await sponsorKind.upsert(tx, { id: LONG.toLowerCase(), name: LONG, active: true })
    await upsertMatch(tx, { id: 'to-come', ...of, ...teams, kickoffAt: at(600) })
    for (const id of ['with-rounds', 'without-rounds'])
      await upsertMatch(tx, {
        ...{ id, ...of, ...teams, kickoffAt: at(-30) },
        ...{ status: 'live', homeScore: 12, awayScore: 10, revision: 2 },
      })
    await upsertMatch(tx, {
      ...{ id: 'settled', ...of, ...teams, kickoffAt: at(-180) },
      ...{ status: 'finished', homeScore: 0, awayScore: 1, revision: 2 },
    })
    for (const round of rounds) await questionKind.upsert(tx, { ...round, title: { en: LONG, ar: ARABIC } })
  })
}

/** After the votes of the fan for the home team. */
export async function settleRounds(db: Database): Promise<void> {
  for (const id of SETTLED) {
    await db.write(tx => closeQuestion(tx, id))
    await db.write(tx => answerQuestion(tx, id, id === 'settled-right' ? 'home' : 'away'))
  }
}
