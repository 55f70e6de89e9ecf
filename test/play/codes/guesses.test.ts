/** Guesses of one fan at several processes count together; a fan who types codes right is stopped by none. */
import { describe, expect, test } from 'bun:test'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { addCampaign, generate } from './codes-world.ts'

const LIMIT = 4

for (const engine of engines) {
  describe(`Unknown codes at two processes (${engine.name})`, () => {
    const processes = useTwoProcesses(engine, { RATE_LIMITS: `codes=${LIMIT},codesPerAddress=${3 * LIMIT}` })
    const [HERE, THERE] = [0, 1]

    async function outcomeOf(process: number, token: string, code: string) {
      const { status, body } = await processes.call(process, token, 'POST', '/api/codes', { code })
      return body.code ?? status
    }

    test('count together, at most a limit at each before the processes have shared them', async () => {
      const campaignId = await addCampaign(processes, { perFan: 10 })
      const [used = '', ...unused] = await generate(processes, campaignId, 4)
      const [guesser, friend] = [await processes.tokenOf(1), await processes.tokenOf(2)]
      expect(await outcomeOf(HERE, friend, used)).toBe(200)
      const guess = (process: number) => outcomeOf(process, guesser, 'NO-SUCH-CODE')
      const here: unknown[] = []
      for (let n = 0; n <= LIMIT; n++) here.push(await guess(HERE))
      expect(here).toEqual([...Array(LIMIT).fill('code_not_found'), 'rate_limited'])
      const { rateLimitWindows } = processes.db.tables
      await waitUntil('the guesses are shared', async () => {
        const windows = await processes.db.read.select().from(rateLimitWindows)
        return windows.filter(({ used }) => used === LIMIT).length === 2
      })
      // A guess there makes that process read the others. A code that was used is no guess.
      expect(await guess(THERE)).toBe('code_not_found')
      await waitUntil(
        'the other process knows the guesses',
        async () => (await outcomeOf(THERE, guesser, used)) === 'rate_limited',
      )
      for (const process of [HERE, THERE])
        expect(await outcomeOf(process, guesser, unused[0] ?? '')).toBe('rate_limited')
      for (const [n, process] of [HERE, THERE, HERE].entries())
        expect(await outcomeOf(process, friend, unused[n] ?? '')).toBe(200)
    })
  })
}
