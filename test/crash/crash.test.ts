/** The short form of `test/soak/crash.test.ts`. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type CrashWorld, killed, playRounds, startWorld, stopWorld, temporaryFile } from './rounds.ts'

const ROUNDS = 3
const SEED = 1
let file: Awaited<ReturnType<typeof temporaryFile>>
let world: CrashWorld

beforeAll(async () => {
  file = await temporaryFile()
  world = await startWorld(file.url, 600)
})
afterAll(async () => {
  await stopWorld(world)
  file.remove()
})

test(`${ROUNDS} times killed under load: nothing acknowledged is lost, nothing is there twice (SQLite)`, async () => {
  const { promises, replayed } = await playRounds(world, { blow: killed, rounds: ROUNDS, seed: SEED })
  expect(promises).toBeGreaterThan(ROUNDS)
  expect(replayed).toBeGreaterThan(0)
})
