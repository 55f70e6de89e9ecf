/**
 * `bun run screenshots [PART]`: takes every page on a phone and on a desktop, dark and light, into docs/pictures, or those whose
 * names contain PART, such as `console` or `console-fan`. The data is that of `bun run dev --fresh`.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, unwrap } from '@matchday/client'
import { DERBY } from '../../scripts/seed/demo-matches.ts'
import { developmentKey } from '../../src/identity/server-keys/development-key.ts'
import { noChromium, openBrowser } from '../support/browser.ts'
import { root, startDev } from '../support/dev.ts'
import { capture, settle } from './capture.ts'
import { takeConsole } from './console.ts'
import { looks, type Sites, shots } from './shots.ts'
import { addSociety } from './society.ts'

const FOLDER = join(root, 'docs/pictures')
/** Quality of WebP at which pictures of text stay sharp. */
const QUALITY = 42

if (noChromium) {
  process.stderr.write(`No pictures were taken: ${noChromium}. Install Debian's chromium-headless-shell.\n`)
  process.exit(1)
}
const [part = ''] = process.argv.slice(2)
/** Screens of the console do not need those of the demo before them. */
const isConsole = part.startsWith('console')
const dev = await startDev({ CONSOLE_TWO_PERSON: 'erasure', BACKUPS: '/srv/backups/matchday' })
try {
  const origin = `http://localhost:${dev.ports.PORT}`
  const provider = `http://localhost:${dev.ports.MOCK_IDP_PORT}`
  const { entries } = await unwrap(createClient({ origin }).api.readLeaderboard({ limit: 100 }))
  const fans = entries.flatMap(({ displayName }) => displayName ?? [])
  const society = await addSociety(origin, provider, fans, developmentKey)
  const sites = { api: origin, provider, match: DERBY, fans, ...society }
  if (part === '') rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(join(FOLDER, 'console'), { recursive: true })
  let bytes = 0
  if (!isConsole)
    for (const [look, settings] of Object.entries(looks)) bytes += await takeAll(look, settings, sites)
  if (part === '' || isConsole) bytes += await takeConsole(dev, join(FOLDER, 'console'), part, society.other)
  process.stdout.write(`${(bytes / 1_000_000).toFixed(2)} MB in ${FOLDER}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
  process.exitCode = 1
} finally {
  await dev.stop()
  // The browser would keep the process.
  process.exit()
}

/** Returns the size of the pictures in bytes. */
async function takeAll(look: string, settings: (typeof looks)[keyof typeof looks], sites: Sites) {
  const browser = await openBrowser(settings)
  const page = await browser.context.newPage()
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: settings.colorScheme })
  let bytes = 0
  for (const { name, open } of shots) {
    await open(page, sites, developmentKey)
    if (!name.includes(part)) continue
    await settle(page)
    const picture = await capture(page, QUALITY)
    bytes += await Bun.write(join(FOLDER, `${name}-${look}.webp`), picture)
    process.stdout.write(`${name}-${look}: ${picture.length} bytes\n`)
  }
  await browser.close()
  return bytes
}
