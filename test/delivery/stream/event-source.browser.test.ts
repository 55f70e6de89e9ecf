/** The example of docs/stream.md in Chromium: `EventSource` with tickets, over a connection that is lost. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser } from '../../support/browser.ts'
import { createClock } from '../../support/clock.ts'
import { sqliteEngine, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../../support/processes.ts'
import { waitUntil } from '../../support/wait-until.ts'

const page = readFileSync(join(import.meta.dir, '../../../docs/stream.md'), 'utf8')
const [, example = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? []

describe.skipIf(noBrowser !== null)(
  noBrowser ? `EventSource in a browser (skipped: ${noBrowser})` : 'EventSource in a browser',
  () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let api: RunningApi

    beforeAll(async () => {
      provider = await startProvider({ fans: 5 })
      temporary = await sqliteEngine.open(createClock())
      api = await startApi({ DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer, DOCS: 'on' })
    }, BROWSER_TIMEOUT_MS)
    afterAll(async () => {
      await api.stop('SIGKILL')
      await provider.stop()
      await temporary.remove()
    }, BROWSER_TIMEOUT_MS)

    test(
      'follows the caller by tickets, and continues where a lost connection ended',
      async () => {
        const token = await provider.idp.issueToken('fan-0001')
        const post = (path: string) =>
          fetch(api.origin + path, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
        const browser = await openBrowser()
        try {
          const tab = await browser.context.newPage()
          await tab.goto(`${api.origin}/docs`)
          // On this origin, with the policy of its pages.
          await tab.evaluate(
            `${example}
          window.seen = []
          const Original = EventSource
          window.EventSource = class extends Original {
            constructor(url) {
              super(url)
              window.latest = this
            }
          }
          follow({
            getToken: async () => ${JSON.stringify(token)},
            topics: 'me,leaderboard',
            types: ['leaderboard', 'onboarding.completed', 'profile.completed', 'reward.claimed'],
            onEvent: (type, data) => seen.push(type === 'leaderboard' ? type : type + ' ' + (data.data?.sequence ?? '')),
          })
          undefined`,
          )
          // `waitForFunction` evaluates text in the page, which its policy refuses.
          const seen = (what: string) =>
            waitUntil(`the page got ${what}`, () => tab.evaluate(`seen.includes(${JSON.stringify(what)})`))
          await seen('reset ')
          await seen('leaderboard')
          await post('/api/user/onboarding')
          await seen('onboarding.completed 1')
          // As a connection that the network cut: the example gets another ticket.
          await tab.evaluate('seen.length = 0; latest.onerror(new Event("error")); undefined')
          await seen('leaderboard')
          expect(await tab.evaluate('seen.filter(type => type !== "leaderboard")')).toEqual([])
          expect(browser.complaints).toEqual([])
        } finally {
          await browser.close()
        }
      },
      BROWSER_TIMEOUT_MS,
    )
  },
)
