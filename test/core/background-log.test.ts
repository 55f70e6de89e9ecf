/** The log of a background task whose write the database refuses has no personal data. */
import { expect, test } from 'bun:test'
import { startBackground } from '../../src/app/background.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { enqueueSync } from '../../src/identity/users/deferred-sync.ts'
import { withRawConnection } from '../db/probe.ts'
import { control } from '../identity/auth/provider-controls.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEachEngine } from '../support/world.ts'

const REFUSE = {
  sqlite: [
    "CREATE TRIGGER refuse BEFORE UPDATE ON identities BEGIN SELECT RAISE(ABORT, 'refused by a test'); END",
  ],
  postgres: [
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused by a test'; END $$",
    'CREATE TRIGGER refuse BEFORE UPDATE ON identities FOR EACH ROW EXECUTE FUNCTION refuse()',
  ],
}

onEachEngine('A deferred sync that the database refuses', world => {
  test('is logged with its task and the error, without the fan’s claims', async () => {
    const { subject, token } = await world.fan()
    const { name, email } = await control(world, 'GET', `/users/${subject}`)
    const { db, databaseUrl: url, deps } = world
    const encryptedToken = deps.tokenEncryption.encrypt(token, subject, deps.randomBytes(12))
    await db.write(async tx => {
      const { user } = await ensureUser(tx, { provider: deps.identity.name, subject })
      await enqueueSync(tx, user.id, { encryptedToken, tokenExpiresAt: new Date(world.clock.ms + 3_600_000) })
    })
    await withRawConnection({ db, url }, async run => {
      for (const statement of REFUSE[db.engine]) await run(statement)
    })
    world.clock.advance(60_000)

    const background = startBackground(deps)
    const failed = () => world.logged.find(line => line.includes('background run failed'))
    await waitUntil('the failure is logged', failed)
    await background.stop()

    expect(JSON.parse(failed() ?? '{}')).toMatchObject({
      level: 50,
      task: 'retry deferred syncs',
      error: { message: 'refused by a test', stack: expect.any(Array) },
    })
    const log = world.logged.join()
    for (const secret of [name, email, name.split(' ')[0], token, encryptedToken])
      expect(log).not.toContain(secret)
  })
})
