/** Takes the screens of the console into docs/pictures/console. */
import { join } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { openDatabase } from '../../db/index.ts'
import { createSpine } from '../../src/app/spine.ts'
import { realSources } from '../../src/core/sources.ts'
import { cookieName } from '../../src/operate/console/sessions/cookie.ts'
import { csrfTokenOf } from '../../src/operate/console/sessions/secrets.ts'
import { openBrowser } from '../support/browser.ts'
import type { RunningDev } from '../support/dev.ts'
import { capture, settle } from './capture.ts'
import {
  addMatchDay,
  addSeason,
  DERBY,
  giveNamesInKnownScripts,
  matchDayStates,
  signStaffIn,
} from './console-data.ts'
import { type ConsoleSite, consoleShots } from './console-shots.ts'
import { looks } from './shots.ts'

/** Quality for tables and small text: with a lower one, letters get spots. */
const QUALITY = 34
/** A screen that takes longer is broken. */
const PATIENCE_MS = 60_000

/** `part`: of the names to take. Returns the size of the pictures in bytes. */
export async function takeConsole(
  dev: RunningDev,
  folder: string,
  part: string,
  handle: string,
): Promise<number> {
  const origin = `http://localhost:${dev.ports.CONSOLE_PORT}`
  const db = openDatabase(dev.env.DATABASE_URL ?? '', realSources, { spine: createSpine() })
  const { owner, ...staff } = await db.write(async tx => {
    await addSeason(tx)
    await addMatchDay(tx)
    await giveNamesInKnownScripts(tx)
    return signStaffIn(tx)
  })
  const { userRewards, orders, users } = db.tables
  const redemptions = await db.read.select().from(userRewards)
  const code = redemptions.find(({ redemptionCode, usedAt }) => redemptionCode !== null && usedAt === null)
  const fan = (await db.read.select().from(users)).find(one => one.handle === handle)
  const order = (await db.read.select().from(orders)).find(({ status }) => status === 'completed')
  await db.close()
  if (!code?.redemptionCode || !fan || !order) throw new Error('the seed has no code, fan or order to show')
  const site = { origin, handle, fanId: fan.id, code: code.redemptionCode, matchId: DERBY, orderId: order.id }
  await doSomeWork(origin, { owner, ...staff }, site)

  let bytes = 0
  for (const [look, settings] of Object.entries(looks)) {
    const browser = await openBrowser(settings)
    await signIn(browser.context, origin, owner)
    const page = await browser.context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: settings.colorScheme })
    for (const { name, open } of consoleShots) {
      if (!`console-${name}`.includes(part)) continue
      await open(page, site)
      await settle(page)
      const picture = await capture(page, QUALITY)
      bytes += await Bun.write(join(folder, `${name}-${look}.webp`), picture)
      process.stdout.write(`console/${name}-${look}: ${picture.length} bytes\n`)
    }
    await browser.close()
  }
  return bytes
}

const signIn = (context: BrowserContext, origin: string, token: string) =>
  context.addCookies([{ name: cookieName(false), value: token, url: origin }])

/** Creates data for the audit log, the lists of keys and webhooks, and the fan's page. */
async function doSomeWork(
  origin: string,
  { owner, support, second }: Record<'owner' | 'support' | 'second', string>,
  { fanId, handle }: ConsoleSite,
): Promise<void> {
  const as =
    (token: string) =>
    async (path: string, body: object, method = 'POST') => {
      const response = await fetch(origin + path, {
        method,
        headers: {
          ...{ 'content-type': 'application/json', origin, cookie: `${cookieName(false)}=${token}` },
          'x-csrf-token': csrfTokenOf(token),
        },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    }
  const [byOwner, bySupport, bySecond] = [as(owner), as(support), as(second)]
  const late = 'The scarf arrived two weeks late.'
  await bySupport(`/api/fans/${fanId}/grants`, { delta: 150, ref: 'apology-118', reason: late })
  await byOwner('/api/keys', {
    ...{ source: 'turnstiles', scopes: ['events:write'] },
    reason: 'The gates of the north stand report entries.',
  })
  await byOwner('/api/keys', {
    ...{ source: 'club-shop', scopes: ['events:write', 'orders:write'] },
    reason: 'The till of the shop.',
  })
  await byOwner('/api/webhooks/endpoints', {
    ...{ url: 'http://localhost:9000/crm', types: ['quest.*', 'order.paid'] },
    reason: 'The CRM greets fans who finish a quest.',
  })
  for (const { id, ...state } of matchDayStates(new Date()))
    await byOwner(`/api/match-day/matches/${id}`, state, 'PUT')
  // Waits for another person: see `CONSOLE_TWO_PERSON` of `startDev`.
  await bySecond(`/api/fans/${fanId}/erase`, { confirm: handle, reason: 'The fan asked for it by letter.' })
  await byOwner('/api/jobs', { kind: 'verify-provenance', reason: 'Before the audit of the season.' })
}
