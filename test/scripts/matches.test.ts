/** `bun run matches reset-revision` as a command. */
import { expect, test } from 'bun:test'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

for (const engine of engines) {
  onEngine(engine, 'bun run matches', world => {
    const run = (...parameters: string[]) =>
      runScript('matches', ['reset-revision', ...parameters], {
        env: { DATABASE_URL: world.databaseUrl ?? '' },
      })
    const revisionOf = async (id: string) => {
      const { matches } = world.db.tables
      const rows = await world.db.read.select().from(matches)
      return rows.find(row => row.id === id)?.revision
    }

    test('shows the change without --yes, makes it with it, and changes nothing the second time', async () => {
      const state = { status: 'finished', homeScore: 2, awayScore: 1 }
      const id = await world.match({ revision: 1_786_818_600_000, ...state })
      const shown = await run(id, '--to', '4')
      expect(shown).toMatchObject({ code: 0, err: '' })
      expect(shown.out).toBe(
        `${id} (finished, kick-off 2026-08-15T18:30:00.000Z, 2:1): revision 1786818600000 → 4\nNothing was changed. To reset it: bun run matches reset-revision ${id} --to 4 --yes\n`,
      )
      expect(await revisionOf(id)).toBe(1_786_818_600_000)

      const done = await run(id, '--to', '4', '--yes', '--json')
      expect([done.code, JSON.parse(done.out)]).toMatchObject([
        0,
        { from: 1_786_818_600_000, to: 4, done: true, changed: 1, match: { id, revision: 4, ...state } },
      ])
      expect(await revisionOf(id)).toBe(4)
      expect((await run(id, '--to', '4', '--yes')).out).toContain(
        'has revision 4 already. Nothing was changed.',
      )
    })

    test('refuses an unknown match, a greater revision, and a wrong command line', async () => {
      const id = await world.match({ revision: 3 })
      const answers = [
        await run('no-such-match', '--to', '1', '--yes'),
        await run(id, '--to', '4', '--yes'),
        await run(id, '--yes'),
        await run(id, '--to', '0'),
        await run(id, '--to', '1', '--yes', '--dry-run'),
      ]
      expect(answers.map(({ code }) => code)).toEqual([1, 1, 2, 2, 2])
      expect(answers[0]?.err).toContain('match_not_found')
      expect(answers[1]?.err).toContain('revision must be at most 3')
      expect(await revisionOf(id)).toBe(3)
    })

    test('--help says what it is for, with examples', async () => {
      const { code, out } = await runScript('matches', ['--help'])
      expect(code).toBe(0)
      expect(out).toContain('bun run matches reset-revision derby --to 4 --yes')
    })
  })
}
