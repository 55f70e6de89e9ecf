/** Takes the screens of the console into docs/pictures/console. */
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import type { BrowserContext } from 'playwright-core'
import { openDatabase, type Transaction } from '../../db/index.ts'
import { DERBY } from '../../scripts/seed/demo-matches.ts'
import { createSpine } from '../../src/app/spine.ts'
import { realSources } from '../../src/core/sources.ts'
import { csrfTokenOf } from '../../src/identity/staff/sessions/secrets.ts'
import { createSession } from '../../src/identity/staff/sessions/sessions.ts'
import { nameKeyOf } from '../../src/identity/users/search-keys.ts'
import { cookieName } from '../../src/operate/console/sessions/cookie.ts'
import { openBrowser } from '../support/browser.ts'
import type { RunningDev } from '../support/dev.ts'
import { capture, settle } from './capture.ts'
import { type ConsoleSite, consoleShots } from './console-shots.ts'
import { looks } from './shots.ts'

/** Quality for tables and small text: with a lower one, letters get spots. */
const QUALITY = 26
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

/** Of this machine: a webhook without a receiver, a job, and a request that waits. */
async function doSomeWork(
  origin: string,
  { owner, second }: Record<'owner' | 'second', string>,
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
  const [byOwner, bySecond] = [as(owner), as(second)]
  await byOwner('/api/webhooks/endpoints', {
    ...{ url: 'http://localhost:9000/crm', types: ['quest.*', 'order.paid'] },
    reason: 'The CRM greets fans who finish a quest.',
  })
  // Waits for another person: see `CONSOLE_TWO_PERSON` of `startDev`.
  await bySecond(`/api/fans/${fanId}/erase`, { confirm: handle, reason: 'The fan asked for it by letter.' })
  await byOwner('/api/jobs', { kind: 'verify-provenance', reason: 'Before the audit of the season.' })
}

/** Characters that the fonts of the machine lack would be boxes. */
async function giveNamesInKnownScripts(tx: Transaction): Promise<void> {
  const { users, identities } = tx.tables
  const known =
    /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Common}\p{Script=Inherited}]*$/v
  const rows = await tx
    .select({ id: users.id, own: users.displayName, name: identities.name })
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
  const others = rows.filter(({ own, name }) => !known.test(`${own ?? ''}${name ?? ''}`))
  for (const [nth, { id }] of others.entries()) {
    const name = NAMES[nth % NAMES.length] ?? ''
    await tx
      .update(users)
      .set({ displayName: name, nameKey: nameKeyOf(name) })
      .where(eq(users.id, id))
    await tx.update(identities).set({ name }).where(eq(identities.userId, id))
  }
}
const NAMES = [
  'Min-jun Kim',
  'Aarav Sharma',
  'Mei Tanaka',
  'Li Wei',
  'Priya Nair',
  'Haruto Sato',
  'Seo-yeon Park',
]

/** The tokens of people who are signed in. */
async function signStaffIn(tx: Transaction) {
  const owner = await createSession(tx, { id: 'link:Inês Duarte', name: 'Inês Duarte', role: 'owner' })
  const second = await createSession(tx, { id: 'link:Marta Lopes', name: 'Marta Lopes', role: 'owner' })
  return { owner: owner.token, second: second.token }
}
