/** Processes that predict with jokers until the deadline, and write the splits then. */
import { expect, test } from 'bun:test'
import { inArray } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { competitionKind } from '../../../src/club/competitions/competition-kind.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { onEngine } from '../../support/world.ts'

const HOUR = 3_600_000

for (const engine of engines) {
  onEngine(engine, 'Processes that predict until the deadline', world => {
    test('put one joker of each fan on the round, write nothing after the deadline, and count every prediction', async () => {
      const competition = `cup-${crypto.randomUUID()}`
      const rules = { name: 'Cup', deadline: 'round', joker: 2, crowd: true } as const
      const points = { exact: 40, difference: 20, outcome: 10 }
      await world.db.write(tx => competitionKind.upsert(tx, { id: competition, ...rules, points }))
      const idOf = async () => (await namedFan(world)).id
      const fans = [await idOf(), await idOf()]
      // Their first predictions tell that their process runs.
      const own = [await idOf(), await idOf()]
      const later = new Date(Date.now() + HOUR)
      const matches: string[] = []
      for (const _ of [1, 2, 3])
        matches.push(await world.match({ competition, round: 'Final', season: '2026', kickoffAt: later }))
      const run = async (ownId: string) => {
        const command = commandOf('test/play/predictions/predicting-process.ts')
        const child = Bun.spawn(
          [
            ...command,
            world.databaseUrl ?? '',
            JSON.stringify({ fans: [...fans, ownId], matches, starters: own }),
          ],
          {
            cwd: `${import.meta.dir}/../../..`,
            stdout: 'pipe',
            stderr: 'pipe',
          },
        )
        const [out, err] = await Promise.all([
          new Response(child.stdout).text(),
          new Response(child.stderr).text(),
        ])
        if ((await child.exited) !== 0) throw new Error(err)
        return JSON.parse(out) as Record<string, number>
      }
      const outcomes = await Promise.all(own.map(run))
      const { predictions, predictionSplits: splits, matches: table } = world.db.tables
      const [deadline] = await world.db.read.select().from(table).where(inArray(table.id, matches))
      const kickoffAt = deadline?.kickoffAt ?? new Date(0)
      for (const { done = 0, prediction_closed, joker_used = 0, ...others } of outcomes) {
        expect([prediction_closed, others]).toEqual([fans.length + 1, {}])
        expect(done + joker_used).toBeGreaterThan(0)
      }
      const rows = await world.db.read.select().from(predictions).where(inArray(predictions.matchId, matches))
      const jokers = rows.flatMap(({ userId, jokerRound }) => (jokerRound === null ? [] : userId))
      expect(jokers).toHaveLength(new Set(jokers).size)
      expect(rows.filter(({ changedAt }) => changedAt >= kickoffAt)).toEqual([])
      const counted = await world.db.read.select().from(splits).where(inArray(splits.matchId, matches))
      for (const { matchId, home, draw, away } of counted)
        expect([matchId, home + draw + away]).toEqual([
          matchId,
          rows.filter(row => row.matchId === matchId).length,
        ])
      expect(counted.map(({ matchId }) => matchId).toSorted()).toEqual(matches.toSorted())
      expect((await verifyLedger(world.db)).findings).toBe(0)
    })
  })
}
