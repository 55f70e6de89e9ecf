/** Another instance on the same database with its own connections: it is not notified of units of work of the first. */
import { pino } from 'pino'
import { createApp } from '../../../src/app/app.ts'
import { createDeps, type Deps } from '../../../src/app/deps.ts'
import { type Client, createClient } from '../../support/client.ts'
import { conformanceOf } from '../../support/conformance.ts'
import { openPatiently } from '../../support/patience.ts'
import type { World } from '../../support/world.ts'

export interface OtherProcess {
  deps: Deps
  withToken(token?: string): Client
  close(): Promise<void>
}

/** Needs a world whose database other processes can open: see `engines`. */
export async function startOtherProcess({ clock, config, databaseUrl, idp }: World): Promise<OtherProcess> {
  const sources = {
    now: () => clock.now(),
    newId: clock.newId,
    randomBytes: clock.randomBytes,
    elapsed: clock.elapsed,
  }
  const db = openPatiently(databaseUrl ?? '', sources)
  const log = pino({ level: 'silent' })
  const deps = await createDeps({ config, db, log, sources, fetch: idp.handle })
  const app = createApp(deps)
  const judge = await conformanceOf(deps, app)
  return {
    deps,
    withToken: token => createClient(request => app.handle(request), judge, token),
    close: () => db.close(),
  }
}
