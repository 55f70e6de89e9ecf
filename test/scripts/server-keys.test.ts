/** `bun run server-keys` as a command. */
import { expect, test } from 'bun:test'
import { developmentKey } from '../../src/identity/server-keys/development-key.ts'
import { hashServerKey, isWellFormed } from '../../src/identity/server-keys/key.ts'
import { revokeServerKeys } from '../../src/identity/server-keys/keys.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

const DAY = 86_400_000
let sources = 0

for (const engine of engines) {
  onEngine(engine, 'bun run server-keys', world => {
    const run = (parameters: string[], input?: string) =>
      runScript('server-keys', parameters, { env: { DATABASE_URL: world.databaseUrl ?? '' }, input })
    const json = async (parameters: string[], input?: string) => {
      const { code, out, err } = await run([...parameters, '--json'], input)
      return { code, err, ...(out === '' ? {} : JSON.parse(out)) }
    }
    const rows = async (source: string) => (await json(['list', source])).keys
    const newSource = () => `source.${++sources}`

    if (engine === engines[0]) {
      test('--help shows examples and every scope', async () => {
        const { code, out } = await run(['--help'])
        expect(code).toBe(0)
        expect(out).toContain('bun run server-keys create turnstiles --scope events:write')
        expect(out).toContain('redemptions:read')
      })

      test.each([
        [['create', 'Upper', '--scope', 'events:write'], 'must be 1 to 64 characters'],
        [['create', 'matchday', '--scope', 'events:write'], 'reserved'],
        [['create', 'one'], 'requires --scope'],
        [['create', 'one', '--scope', 'events:read'], 'events:read is not a scope'],
        [['create', 'one', '--scope', 'events:write', '--expires', 'soon'], '--expires must be'],
        [['create', 'one', '--scope', 'events:write', '--expires', '2020-01-01'], 'in the past'],
        [['rotate'], 'requires the name'],
        [['rotate', 'one', '--scope', 'events:write'], 'no other action takes it'],
        [['revoke', 'one', '--expires', '9d'], 'takes no --expires'],
        [['list', '--key', 'id'], 'takes no --key'],
        [['list', '--dry-run'], 'takes no --dry-run'],
        [['check', 'mdk_0'], 'from standard input'],
        [['check'], 'from standard input'],
        [['delete', 'one'], 'Allowed choices'],
      ])('exits with 2 and the reason when it is called with %j', async (parameters, reason) => {
        const { code, out, err } = await run(parameters)
        expect({ code, out }).toEqual({ code: 2, out: '' })
        expect(err).toContain(reason)
      })
    }

    test('create prints only the key on standard output, and the database has only its hash', async () => {
      const source = newSource()
      const { code, out, err } = await run(['create', source, '--scope', 'points:write', 'events:write'])
      const key = out.trim()
      expect([code, isWellFormed(key)]).toEqual([0, true])
      expect(err).toContain(`The key of ${source} (events:write points:write), never expires.`)
      const stored = await world.db.read.select().from(world.db.tables.serverKeys)
      expect(stored.find(row => row.source === source)).toMatchObject({
        hash: hashServerKey(key),
        scopes: 'events:write points:write',
      })
      expect(JSON.stringify(stored)).not.toContain(key.slice(4, 40))
      expect((await run(['list'])).out).not.toContain(key.slice(4, 40))
    })

    test('create refuses a source that has a key, also under concurrent calls', async () => {
      const source = newSource()
      const calls = await Promise.all([1, 2, 3].map(() => run(['create', source, '--scope', 'events:write'])))
      expect(calls.map(({ code }) => code).sort()).toEqual([0, 1, 1])
      expect(calls.map(({ err }) => err).join()).toContain(`${source} has a key.`)
      expect(await rows(source)).toHaveLength(1)
    })

    test('rotate issues a key of the same scopes and lifetime, and ends the previous one after 24 hours', async () => {
      const source = newSource()
      const first = await json(['create', source, '--scope', 'events:write', '--expires', '90d'])
      const { code, out, err } = await run(['rotate', source])
      expect([code, isWellFormed(out.trim())]).toEqual([0, true])
      expect(err).toContain(`bun run server-keys revoke ${source} --key ${first.id}`)
      const [next, previous] = await rows(source)
      expect([next.state, previous.state]).toEqual(['active', 'replaced'])
      expect(next.scopes).toEqual(first.scopes)
      const lifetime = ({ createdAt, expiresAt }: Record<string, string>) =>
        Date.parse(expiresAt ?? '') - Date.parse(createdAt ?? '')
      expect(Math.round(lifetime(next) / DAY)).toBe(90)
      expect(Date.parse(previous.expiresAt) - Date.parse(next.createdAt)).toBe(DAY)
    })

    test('rotate never lengthens the life of the previous key, and takes another expiry', async () => {
      const source = newSource()
      const expiresAt = new Date(Date.now() + DAY / 2).toISOString()
      await json(['create', source, '--scope', 'events:write', '--expires', expiresAt])
      await json(['rotate', source, '--expires', '2999-01-01'])
      const [next, previous] = await rows(source)
      expect([next.expiresAt, previous.expiresAt]).toEqual(['2999-01-01T00:00:00.000Z', expiresAt])
    })

    test('revoke ends all keys of a source, or the one that --key names, and a new key can follow', async () => {
      const source = newSource()
      const first = await json(['create', source, '--scope', 'events:write'])
      await json(['rotate', source])
      expect(await json(['revoke', source, '--key', first.id])).toMatchObject({
        revoked: [first.id],
        changed: 1,
      })
      expect((await rows(source)).map(({ state }: { state: string }) => state)).toEqual(['active', 'revoked'])
      expect((await run(['revoke', source])).out).toBe(`1 key of ${source} revoked.\n`)
      expect(await json(['revoke', source])).toMatchObject({ code: 0, revoked: [], changed: 0 })
      expect((await run(['rotate', source])).code).toBe(1)
      expect((await run(['create', source, '--scope', 'events:write'])).code).toBe(0)
    })

    test('rotate and revoke exit with 1 for a source without a key', async () => {
      for (const action of ['rotate', 'revoke']) {
        const { code, out, err } = await run([action, 'nobody'])
        expect([code, out]).toEqual([1, ''])
        expect(err).toContain('nobody')
      }
      const source = newSource()
      await json(['create', source, '--scope', 'events:write'])
      expect((await run(['revoke', source, '--key', 'no-such-id'])).code).toBe(1)
    })

    test('--dry-run changes nothing', async () => {
      const source = newSource()
      const create = ['create', source, '--scope', 'events:write']
      expect(await json([...create, '--dry-run'])).toMatchObject({ code: 0, dryRun: true, changed: 1 })
      expect(await rows(source)).toEqual([])
      await json(create)
      const before = await rows(source)
      expect((await run([...create, '--dry-run'])).code).toBe(1)
      expect((await json(['rotate', source, '--dry-run'])).changed).toBe(1)
      expect((await json(['revoke', source, '--dry-run'])).changed).toBe(1)
      expect(await rows(source)).toEqual(before)
    })

    test('check reads a key from standard input, and prints its state', async () => {
      const source = newSource()
      const { key } = await json(['create', source, '--scope', 'events:write'])
      expect(await json(['check'], `${key}\n`)).toMatchObject({ code: 0, source, state: 'active' })
      await world.db.write(tx => revokeServerKeys(tx, source))
      expect(await json(['check'], key)).toMatchObject({ code: 1, source, state: 'revoked' })
      for (const [text, state] of [
        ['hello', 'not_a_key'],
        [`${key}0`, 'misspelt'],
        [developmentKey, 'unknown'],
      ] as const)
        expect(await json(['check'], text)).toMatchObject({ code: 1, state })
    })

    test('list says when there is no key, and shows one line for each', async () => {
      expect((await run(['list', 'nobody'])).out).toBe('There are no server keys.\n')
      const source = newSource()
      await json(['create', source, '--scope', 'events:write'])
      expect((await run(['list', source])).out).toMatch(
        new RegExp(`^${source}  active  events:write  never expires  never used  [0-9a-f-]{36}\n$`),
      )
    })
  })
}
