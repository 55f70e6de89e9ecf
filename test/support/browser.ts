/** Chromium for the tests that look at pages, kept from every machine but this one. */
import { mkdirSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'

/**
 * Programs, the cheapest first. The headless shell draws no window and takes half of the CPU time. Debian's launcher of
 * `chromium` turns on drawing by a GPU, which a machine without one emulates: the program behind it comes before it.
 */
const PROGRAMS = [
  ...['chromium-headless-shell', '/usr/lib/chromium/chromium'],
  ...['chromium', 'chromium-browser', 'google-chrome'],
]
const executablePath = PROGRAMS.map(program => Bun.which(program)).find(path => path !== null) ?? undefined

/** Null where Chromium is installed, else what to say. */
export const noChromium = executablePath ? null : 'no Chromium is installed'
/** Null where tests open a browser, else why not: they take as long as all others. `bun run test:browser` sets the variable. */
export const noBrowser = process.env.TEST_BROWSER ? noChromium : 'TEST_BROWSER is not set'

const FOLDER = 'screenshots'
/** For machines that are slow: a page that needs longer is broken. */
const PATIENCE_MS = 240_000

/** Timeout of a browser test: long, because a busy machine renders slowly. Milliseconds. */
export const BROWSER_TIMEOUT_MS = 1_200_000

export interface WatchedBrowser {
  context: BrowserContext
  /** Complaints of pages: console errors, uncaught errors, and violations of their policies. */
  complaints: string[]
  /** Hosts to which pages sent requests. */
  hosts: Set<string>
  close(): Promise<void>
}

interface Look {
  colorScheme?: 'light' | 'dark'
  viewport?: { width: number; height: number }
  /** A Y4M file: what the camera sees. */
  camera?: string
}

let running: Browser | undefined

const launch = (args: string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath,
    timeout: PATIENCE_MS,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
      ...args,
    ],
  })

/** One Chromium for all tests of the process, and another if it crashed. Playwright ends it with the process. */
async function launchOnce(): Promise<Browser> {
  if (!running?.isConnected()) running = await launch()
  return running
}

/** A separate Chromium, whose camera shows a film without asking for permission. */
const launchWithCamera = (film: string) =>
  launch([
    ...['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
    `--use-file-for-fake-video-capture=${film}`,
  ])

/** Cookies, storage and cache of its own; every page of it is closed by `close`. */
export async function openBrowser({
  colorScheme = 'light',
  viewport = { width: 1280, height: 900 },
  camera,
}: Look = {}): Promise<WatchedBrowser> {
  const browser = camera === undefined ? await launchOnce() : await launchWithCamera(camera)
  const context = await browser.newContext({ viewport, colorScheme })
  context.setDefaultTimeout(PATIENCE_MS)
  const complaints: string[] = []
  const hosts = new Set<string>()

  context.on('request', request => {
    const url = new URL(request.url())
    if (url.protocol !== 'data:') hosts.add(url.hostname)
  })
  context.on('weberror', error => void complaints.push(String(error.error())))
  context.on('console', message => {
    // Chromium also logs each answer of 400 and above: whether that is wrong is for the test to say.
    if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return
    complaints.push(message.text())
  })
  const close = () => (camera === undefined ? context.close() : browser.close())
  return { context, complaints, hosts, close }
}

/** For servers that stop: they wait for the pages that a failed test left open. */
export async function closePages(): Promise<void> {
  await Promise.all((running?.contexts() ?? []).map(context => context.close()))
}

/**
 * Writes a screenshot into a folder that is not kept in the repository, if `TEST_SCREENSHOTS` is set: to look at pages while
 * they are changed. A picture costs as much as a step of a test.
 */
export async function takeScreenshot(on: Page | Locator, name: string, { fullPage = false } = {}) {
  if (!process.env.TEST_SCREENSHOTS) return
  mkdirSync(FOLDER, { recursive: true })
  const path = `${FOLDER}/${name}.png`
  await ('goto' in on ? on.screenshot({ path, fullPage }) : on.screenshot({ path }))
}
