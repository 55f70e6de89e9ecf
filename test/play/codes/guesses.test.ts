/** Guesses at the same moment and at several processes count together; a fan who types codes right is stopped by none. */
import { describe, expect, test } from 'bun:test'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { addCampaign, generate, generateOne, outcomeOf } from './codes-world.ts'

const LIMIT = 4

for (const engine of engines) {
  describe(`Unknown codes at two processes (${engine.name})`, () => {
    const processes = useTwoProcesses(engine, { RATE_LIMITS: `codes=${LIMIT},codesPerAddress=${3 * LIMIT}` })
    const [HERE, THERE] = [0, 1]

    async function outcomeAt(process: number, token: string, code: string) {
      const { status, body } = await processes.call(process, token, 'POST', '/api/codes', { code })
      return body.code ?? status
    }

    test('count together, at most a limit at each before the processes have shared them', async () => {
      const campaignId = await addCampaign(processes, { perFan: 10 })
      const [used = '', ...unused] = await generate(processes, campaignId, 4)
      const [guesser, friend] = [await processes.tokenOf(1), await processes.tokenOf(2)]
      expect(await outcomeAt(HERE, friend, used)).toBe(200)
      const guess = (process: number) => outcomeAt(process, guesser, 'NO-SUCH-CODE')
      const here: unknown[] = []
      for (let n = 0; n <= LIMIT; n++) here.push(await guess(HERE))
      expect(here).toEqual([...Array(LIMIT).fill('code_not_found'), 'rate_limited'])
      // A client that reads the headers waits for the limit that refuses, which is not that of its requests.
      const refused = await processes.call(HERE, guesser, 'POST', '/api/codes', { code: 'NO-SUCH-CODE' })
      expect(refused.headers.get('ratelimit')).toMatch(/, "codes";r=0;t=\d+$/)
      expect(refused.headers.get('ratelimit-policy')).toEndWith(`, "codes";q=${LIMIT};w=600`)
      const { rateLimitWindows } = processes.db.tables
      await waitUntil('the guesses are shared', async () => {
        const windows = await processes.db.read.select().from(rateLimitWindows)
        return windows.filter(({ used }) => used === LIMIT).length === 2
      })
      // A guess there makes that process read the others. A code that was used is no guess.
      expect(await guess(THERE)).toBe('code_not_found')
      await waitUntil(
        'the other process knows the guesses',
        async () => (await outcomeAt(THERE, guesser, used)) === 'rate_limited',
      )
      for (const process of [HERE, THERE])
        expect(await outcomeAt(process, guesser, unused[0] ?? '')).toBe('rate_limited')
      for (const [n, process] of [HERE, THERE, HERE].entries())
        expect(await outcomeAt(process, friend, unused[n] ?? '')).toBe(200)
    })
  })
}

onEachEngine(
  'Codes that are entered at the same moment',
  world => {
    const guess = (fan: Fan) => outcomeOf(fan, 'NO-SUCH-CODE')
    const join = async (fan: Fan) =>
      (await fan.post('/api/leagues/join', { code: 'NOSUCH-LEAGUE' })).body.code
    const tally = (outcomes: unknown[]) =>
      Object.fromEntries(
        Map.groupBy(outcomes, String)
          .entries()
          .map(([name, { length }]) => [name, length]),
      )

    test('are judged until ten of a fan have failed, whether they are of campaigns or of leagues', async () => {
      const fan = await world.fan()
      const code = await generateOne(world, await addCampaign(world))
      const guesses = Array.from({ length: 39 }, (_, n) => (n % 2 ? join(fan) : guess(fan)))
      expect(tally(await Promise.all(guesses))).toEqual({ code_not_found: 10, rate_limited: 29 })
      expect(await outcomeOf(fan, code)).toBe('rate_limited')
      expect(await outcomeOf(await world.fan(), code)).toBe(200)
    })

    test('are all redeemed if they are right, also by a fan who may fail once more', async () => {
      const fan = await world.fan()
      const codes = await generate(world, await addCampaign(world, { perFan: 40 }), 40)
      for (let n = 0; n < 9; n++) expect(await guess(fan)).toBe('code_not_found')
      expect(tally(await Promise.all(codes.map(code => outcomeOf(fan, code))))).toEqual({ 200: 40 })
      expect([await guess(fan), await guess(fan)]).toEqual(['code_not_found', 'rate_limited'])
    })
  },
  // The address of all tests.
  { env: { RATE_LIMITS: 'codesPerAddress=1000' } },
)

onEachEngine(
  'Codes that fans at one address enter at the same moment',
  world => {
    test('are judged until the address has used up its limit, of fans who have failed before', async () => {
      const fans = await Promise.all(Array.from({ length: 6 }, () => world.fan()))
      const codes = await generate(world, await addCampaign(world, { perFan: 10 }), 18)
      const enter = (from: number) => Promise.all(fans.map((fan, n) => outcomeOf(fan, codes[from + n] ?? '')))
      const guess = () => Promise.all(fans.map(fan => outcomeOf(fan, 'NO-SUCH-CODE')))
      expect(await guess()).toEqual(Array(6).fill('code_not_found'))
      // Two guesses are left, and six fans at once are right.
      expect(await enter(0)).toEqual(Array(6).fill(200))
      const guesses = await guess()
      const entered = await enter(6)
      expect(guesses.toSorted()).toEqual([
        ...Array(2).fill('code_not_found'),
        ...Array(4).fill('rate_limited'),
      ])
      expect(entered).toEqual(Array(6).fill('rate_limited'))
      const friend = await world.fan()
      const rest = codes.slice(12)
      expect(await Promise.all(rest.map(code => outcomeOf(friend, code)))).toEqual(Array(6).fill(200))
    })
  },
  { env: { RATE_LIMITS: 'codes=10,codesPerAddress=8' } },
)
