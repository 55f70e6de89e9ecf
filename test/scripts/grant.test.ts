/** `bun run grant`: points by hand, once per reference. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { addAccount } from '../economy/accounts/accounts-world.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

for (const engine of engines) {
  onEngine(engine, 'bun run grant', world => {
    const grant = async (...parameters: string[]) => {
      const env = {
        ...{ DATABASE_URL: world.databaseUrl ?? '', IDP_NAME: world.config.identity.name },
        CASH_CURRENCIES: 'EUR',
      }
      const { code, out, err } = await runScript('grant', [...parameters, '--json'], { env })
      return { code, err, json: out === '' ? null : JSON.parse(out) }
    }
    const grants = (ref: string) => {
      const { pointsGrants } = world.db.tables
      return world.db.read.select().from(pointsGrants).where(eq(pointsGrants.ref, ref))
    }

    test('grants and takes points once, with a dry run that writes nothing', async () => {
      const who = { provider: world.config.identity.name, subject: 'by-id' }
      const id = await world.db.write(async tx => (await ensureUser(tx, who)).user.id)
      const command = [id, '50', '--ref', 'apology', '--note', 'Gate 3 was closed'] as const
      expect(await grant(...command, '--dry-run')).toMatchObject({
        code: 0,
        json: { created: true, balance: 50, changed: 1, dryRun: true },
      })
      expect(await grants('apology')).toEqual([])
      expect(await grant(...command)).toMatchObject({ code: 0, json: { created: true, balance: 50 } })
      expect(await grants('apology')).toMatchObject([
        { ref: 'apology', source: 'operator', note: 'Gate 3 was closed', delta: 50 },
      ])
      expect(await grant(...command)).toMatchObject({
        code: 0,
        json: { created: false, balance: 50, changed: 0 },
      })
      expect(await grant(id, '-20', '--ref', 'mistake')).toMatchObject({ code: 0, json: { balance: 30 } })
      expect(await grant(id, '-40', '--ref', 'too much')).toMatchObject({
        code: 1,
        json: { error: 'insufficient_points: Not enough points' },
      })
      expect(await grant(id, '51', '--ref', 'apology')).toMatchObject({
        code: 1,
        json: { error: 'ref_reused: This reference was used for another grant' },
      })
    })

    test('books into an account, once per reference among all grants', async () => {
      const who = { provider: world.config.identity.name, subject: 'with-account' }
      const id = await world.db.write(async tx => (await ensureUser(tx, who)).user.id)
      const account = await addAccount(world)
      const command = [id, '120', '--ref', 'moved', '--account', account] as const
      expect(await grant(...command, '--dry-run')).toMatchObject({
        code: 0,
        json: { created: true, balance: 120, changed: 1 },
      })
      expect(await grants('moved')).toEqual([])
      expect(await grant(...command)).toMatchObject({ code: 0, json: { created: true, balance: 120 } })
      expect(await grants('moved')).toMatchObject([{ source: 'operator', delta: 120, accountId: account }])
      expect(await grant(...command)).toMatchObject({ code: 0, json: { created: false, changed: 0 } })
      expect(await grant(id, '120', '--ref', 'moved')).toMatchObject({ code: 1 })
      expect(await grant(id, '1', '--ref', 'lost', '--account', 'unknown')).toMatchObject({
        code: 1,
        json: { error: 'account_not_found: No such account' },
      })
      expect(await grant(...command, '--currency', 'EUR')).toMatchObject({ code: 2 })
    })

    test('gives cash in a currency of the server, once, with an end', async () => {
      const who = { provider: world.config.identity.name, subject: 'with-cash' }
      const id = await world.db.write(async tx => (await ensureUser(tx, who)).user.id)
      const command = [id, '500', '--ref', 'welcome', '--currency', 'EUR'] as const
      const expiring = [...command, '--expires', '2999-01-01T00:00:00Z'] as const
      expect(await grant(...expiring, '--dry-run')).toMatchObject({
        code: 0,
        json: { created: true, available: 500, changed: 1 },
      })
      expect(await grant(...expiring)).toMatchObject({ code: 0, json: { created: true, available: 500 } })
      expect(await grant(...expiring)).toMatchObject({ code: 0, json: { created: false, changed: 0 } })
      expect(await grant(...command)).toMatchObject({
        code: 1,
        json: { error: 'ref_reused: This reference was used for another grant' },
      })
      expect((await grant(id, '500', '--ref', 'dollars', '--currency', 'USD')).code).toBe(1)
      expect((await grant(id, '-500', '--ref', 'taken', '--currency', 'EUR')).code).toBe(2)
      expect((await grant(id, '5', '--ref', 'ends', '--expires', '2999-01-01T00:00:00Z')).code).toBe(2)
    })

    test('finds a fan by subject, and creates the record of a new one', async () => {
      expect(await grant('season-1', '5', '--ref', 'by-subject', '--subject')).toMatchObject({
        code: 0,
        json: { balance: 5 },
      })
      const fan = world.withToken(await world.idp.issueToken('fan-0100'))
      expect((await grant('fan-0100', '9', '--ref', 'waiting', '--subject')).code).toBe(0)
      expect((await fan.get('/api/user/points')).body).toMatchObject({ balance: 9 })
      expect(await grant('nobody', '5', '--ref', 'nobody')).toMatchObject({
        code: 1,
        json: { error: 'fan_not_found: There is no such fan' },
      })
    })

    test.each([
      { what: 'no reference', parameters: ['fan', '5'] },
      { what: 'an empty reference', parameters: ['fan', '5', '--ref', ''] },
      { what: 'a reference that is too long', parameters: ['fan', '5', '--ref', 'r'.repeat(129)] },
      { what: 'a subject with white space around it', parameters: [' fan', '5', '--ref', 'r', '--subject'] },
      {
        what: 'a reference with white space around it',
        parameters: ['fan', '5', '--ref', 'r\r', '--subject'],
      },
      { what: 'no points', parameters: ['fan', '0', '--ref', 'r'] },
      { what: 'too many points', parameters: ['fan', '1000000001', '--ref', 'r'] },
      { what: 'half a point', parameters: ['fan', '0.5', '--ref', 'r'] },
      { what: 'a provider without a subject', parameters: ['fan', '5', '--ref', 'r', '--provider', 'p'] },
    ])('$what is a usage error', async ({ parameters }) => {
      expect((await grant(...parameters)).code).toBe(2)
    })
  })
}
