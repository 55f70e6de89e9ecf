/** The short form of `test/soak/crash.test.ts`. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type CrashWorld, killed, runRounds, startWorld, stopWorld, temporaryFile } from './rounds.ts'

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

test(`${ROUNDS} times killed under load: no acknowledged write is lost or repeated (SQLite)`, async () => {
  const { acknowledged, replayed } = await runRounds(world, { crash: killed, rounds: ROUNDS, seed: SEED })
  expect(acknowledged).toBeGreaterThan(ROUNDS)
  expect(replayed).toBeGreaterThan(0)
})
