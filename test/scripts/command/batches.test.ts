/** Writing many items in small units of work. */
import { describe, expect, test } from 'bun:test'
import type { Transaction } from '../../../db/index.ts'
import type { Batch } from '../../../db/write-in-batches.ts'
import { writeInBatches } from '../../../scripts/command/batches.ts'
import { Interrupted } from '../../../scripts/command/stop.ts'
import { createClock } from '../../support/clock.ts'
import { engines } from '../../support/engines.ts'

const numbers = Array.from({ length: 1_200 }, (_, index) => index)
const at = new Date(0)
const addTeam = (tx: Transaction, number: number) =>
  tx.insert(tx.tables.teams).values({
    id: `team-${number}`,
    name: 'Team',
    shortName: 'TEA',
    active: true,
    createdAt: at,
    updatedAt: at,
  })

describe.each(engines)('Batches ($name)', engine => {
  test('write every item once and in order, with any batch size', async () => {
    const { db, remove } = await engine.open(createClock())
    const seen: number[] = []
    const progress: number[] = []
    const written = await writeInBatches(
      db,
      numbers,
      async (tx, number) => {
        await addTeam(tx, number)
        tx.afterCommit(() => seen.push(number))
      },
      { onBatch: ({ done }) => progress.push(done) },
    )
    expect(written).toBe(numbers.length)
    expect(seen).toEqual(numbers)
    expect(progress.at(-1)).toBe(numbers.length)
    expect(await db.read.select().from(db.tables.teams)).toHaveLength(numbers.length)
    await remove()
  })

  test('hold their locks only for a few slow items', async () => {
    const { db, remove } = await engine.open(createClock())
    let time = 0
    const sizes: number[] = []
    let before = 0
    const write = async (tx: Transaction, number: number) => {
      await addTeam(tx, number)
      time += 3
    }
    const onBatch = ({ done, heldMs }: Batch) => {
      sizes.push(done - before)
      before = done
      expect(heldMs).toBeLessThanOrEqual(12)
    }
    await writeInBatches(db, numbers.slice(0, 50), write, { now: () => time, onBatch })
    expect(Math.max(...sizes)).toBe(4)
    // One item may take longer than a batch: the next item then starts a new batch.
    const slow = async (tx: Transaction, number: number) => {
      await addTeam(tx, number)
      time += 40
    }
    const alone: number[] = []
    await writeInBatches(db, numbers.slice(50, 55), slow, {
      now: () => time,
      onBatch: ({ done }) => alone.push(done),
    })
    expect(alone).toEqual([1, 2, 3, 4, 5])
    await remove()
  })

  test('stop between two batches and keep what was written', async () => {
    const { db, remove } = await engine.open(createClock())
    const stopped = writeInBatches(db, numbers, addTeam, { stopRequested: () => 'SIGINT' })
    const error = await stopped.catch((thrown: unknown) => thrown)
    if (!(error instanceof Interrupted)) throw error
    expect(error.exitCode).toBe(130)
    expect(error.done).toBeGreaterThan(0)
    expect(await db.read.select().from(db.tables.teams)).toHaveLength(error.done)
    await remove()
  })

  test('roll back the batch in which an item fails, and keep earlier ones', async () => {
    const { db, remove } = await engine.open(createClock())
    let kept = 0
    const failing = writeInBatches(
      db,
      numbers,
      async (tx, number) => {
        if (kept > 0) throw new Error(`no ${number}`)
        await addTeam(tx, number)
      },
      {
        onBatch: ({ done }) => {
          kept = done
        },
      },
    )
    await expect(failing).rejects.toThrow(/^no /)
    expect(await db.read.select().from(db.tables.teams)).toHaveLength(kept)
    await remove()
  })
})
