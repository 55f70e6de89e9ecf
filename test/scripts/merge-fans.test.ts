/** `bun run merge-fans`: a dry run that writes nothing, the merge, and what refuses it. */
import { expect, test } from 'bun:test'
import { namedFan } from '../identity/relations/relations-world.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

for (const engine of engines) {
  onEngine(engine, 'bun run merge-fans', world => {
    const merge = async (...parameters: string[]) => {
      const env = { DATABASE_URL: world.databaseUrl ?? '', IDP_NAME: world.config.identity.name }
      const { code, out, err } = await runScript('merge-fans', [...parameters, '--json'], { env })
      return { code, err, json: out === '' ? null : JSON.parse(out) }
    }

    test('says what would move, moves it, and refuses a repeat', async () => {
      const [from, into] = [await namedFan(world), await namedFan(world)]
      await world.grant(from, 120)
      const command = [from.id, into.id, '--by', 'Ana', '--note', 'Two phones'] as const
      expect(await merge(...command, '--dry-run')).toMatchObject({
        code: 0,
        json: { merged: false, points: { balance: 120, lifetime: 120 } },
      })
      expect((await from.get('/api/user/profile')).body).toMatchObject({ id: from.id, points: 120 })
      expect(await merge(...command)).toMatchObject({
        code: 0,
        json: { merged: true, points: { balance: 120, lifetime: 120 } },
      })
      expect((await into.get('/api/user/profile')).body.points).toBe(120)
      const again = await merge(...command)
      expect(again.code).not.toBe(0)
      expect(again.err).toContain('One of them was merged before.')
    })

    test('needs a name, and two fans', async () => {
      const { id } = await namedFan(world)
      expect((await merge(id, 'nobody')).code).toBe(2)
      expect((await merge(id, 'nobody', '--by', 'Ana')).code).toBe(1)
    })
  })
}
