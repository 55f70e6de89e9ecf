/** The pages of the console in a browser that is signed in, against the real API. */
import type { BrowserContext, Page } from 'playwright-core'
import type { Role } from '../../src/identity/staff/roles.ts'
import { createSession } from '../../src/identity/staff/sessions/sessions.ts'
import type { ConsoleDeps } from '../../src/operate/console/deps.ts'
import { serveConsole } from '../../src/operate/console/server.ts'
import { cookieName } from '../../src/operate/console/sessions/cookie.ts'
import { judgeElsewhere } from '../support/axe.ts'
import { closePages } from '../support/browser.ts'
import type { World } from '../support/world.ts'

/** Guarantee: a world of tests is in development, which has the console. */
export function servePages(world: World) {
  const { console } = world.config
  if (!console) throw new Error('the world has no console')
  const deps: ConsoleDeps = {
    ...world.deps,
    config: { ...world.config, console: { ...console, port: 0, host: '127.0.0.1' } },
  }
  const served = serveConsole(deps)
  if (!served?.url) throw new Error('the console has no address')
  const { url, stop } = served
  const origin = url.replace('127.0.0.1', 'localhost')
  return {
    origin,
    async stop() {
      await closePages()
      await stop()
    },
    /** Opens a screen as a person of this role. */
    async open(context: BrowserContext, path: string, role: Role, name = 'Ana'): Promise<Page> {
      const { token } = await world.db.write(tx => createSession(tx, { id: `link:${name}`, name, role }))
      await context.addCookies([{ name: cookieName(false), value: token, url: origin }])
      const page = await context.newPage()
      // The database does not change how a page looks.
      if (world.databaseUrl?.startsWith('postgres')) judgeElsewhere(page)
      await page.goto(origin + path)
      return page
    },
  }
}
