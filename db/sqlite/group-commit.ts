/**
 * Group commit: units of work that wait at the same time run one after the other under one BEGIN IMMEDIATE, each in a
 * SAVEPOINT of its own, and share one COMMIT and one fsync.
 */
import type { Database as Connection } from 'bun:sqlite'
import { AsyncLocalStorage } from 'node:async_hooks'
import { DatabaseError } from '../errors.ts'
import type { Reader, Sources, Transaction } from '../types.ts'
import { createWriteLock } from './connection.ts'
import type { Wal } from './wal.ts'

/** Jobs that share one COMMIT, at most. */
const MAX_BATCH = 256
/** How long a batch may run: a read waits for it. Milliseconds. */
const BATCH_MS = 12
/** How long a write waits for another process's lock, counted from its arrival. Milliseconds. */
const LOCK_PATIENCE_MS = 5_000
/** How long an fsync may take before its callers learn that the outcome is unknown. Milliseconds. */
const FLUSH_PATIENCE_MS = 10_000

export interface GroupCommitOptions {
  /** Default 5000. */
  lockPatienceMs?: number
  /** Default 10000. */
  flushPatienceMs?: number
  /** How long a batch may run. Milliseconds; default 12. */
  batchMs?: number
}

interface Surroundings extends GroupCommitOptions {
  writer: Connection
  /** Queries on `writer`. */
  queries: Reader
  sources: Sources
  /** Undefined: COMMIT itself does the fsync and the checkpoints. */
  wal: Wal | undefined
  /** What the callers of failed jobs are told. */
  translate(error: unknown): unknown
  /** Called for each tag of a committed job, before any reader sees what it wrote. */
  onInvalidate(tag: string): void
}

interface Job {
  /** Milliseconds, as `performance.now()`. */
  since: number
  work: (tx: Transaction) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** What a job came to inside its batch. */
type Outcome =
  | { job: Job; kept: true; value: unknown; tags: string[]; effects: (() => void)[] }
  | { job: Job; kept: false; error: unknown }

export interface GroupCommit {
  /** @throws what `work` throws; `DatabaseError` when the engine is at fault */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void>
}

export function createGroupCommit(surroundings: Surroundings): GroupCommit {
  const { writer, queries, sources, wal, translate, onInvalidate } = surroundings
  const { lockPatienceMs = LOCK_PATIENCE_MS, flushPatienceMs = FLUSH_PATIENCE_MS } = surroundings
  const { batchMs = BATCH_MS } = surroundings
  const takeLock = createWriteLock(writer)
  const savepoint = writer.prepare('SAVEPOINT job')
  const release = writer.prepare('RELEASE job')
  const rollBackJob = writer.prepare('ROLLBACK TO job')
  const commit = writer.prepare('COMMIT')
  const insideJob = new AsyncLocalStorage<true>()
  const queue: Job[] = []
  let draining: Promise<void> | undefined

  /** Runs one job under its own savepoint: when it throws, the other jobs of the batch keep what they wrote. */
  async function runJob(job: Job): Promise<Outcome> {
    const tags: string[] = []
    const effects: (() => void)[] = []
    const at = sources.now()
    const members = {
      now: () => at,
      clock: sources.now,
      afterCommit: (effect: () => void) => effects.push(effect),
      invalidate: (tag: string) => tags.push(tag),
    }
    const { tx, end } = endable(Object.assign(Object.create(queries), members) as Transaction)
    savepoint.run()
    try {
      const value = await insideJob.run(true, async () => job.work(tx)).finally(end)
      release.run()
      return { job, kept: true, value, tags, effects }
    } catch (error) {
      // A full disk or an I/O error makes SQLite roll back everything: then the whole batch is gone.
      if (!writer.inTransaction) throw error
      rollBackJob.run()
      release.run()
      return { job, kept: false, error: translate(error) }
    }
  }

  /** Takes jobs from the queue until the batch is full or its time is over, and settles them all. Never throws. */
  async function runBatch() {
    const end = performance.now() + batchMs
    const batch: Job[] = []
    const outcomes: Outcome[] = []
    try {
      do {
        const job = queue.shift()
        if (!job) break
        batch.push(job)
        outcomes.push(await runJob(job))
      } while (batch.length < MAX_BATCH && performance.now() < end)
      await wal?.accepts(lockPatienceMs)
      commit.run()
    } catch (error) {
      rollBack()
      refuse(batch, outcomes, error)
      expire()
      return
    }
    // Readers see the batch from here on: no cached response of the state before may outlive it.
    for (const outcome of outcomes) if (outcome.kept) for (const tag of outcome.tags) onInvalidate(tag)
    try {
      await flush(() => {
        refuse(batch, outcomes, new DatabaseError('unreachable'))
        expire()
      })
    } catch (error) {
      refuse(batch, outcomes, error)
      return
    }
    for (const outcome of outcomes) settle(outcome)
  }

  async function flush(onLate: () => void) {
    if (!wal) return
    const late = setTimeout(onLate, flushPatienceMs)
    try {
      await wal.flush()
    } finally {
      clearTimeout(late)
    }
  }

  /** A refusal may rest on what another job of its batch wrote, so it is told when that is durable, too. */
  function settle(outcome: Outcome) {
    const { job } = outcome
    if (!outcome.kept) return job.reject(outcome.error)
    try {
      for (const effect of outcome.effects) effect()
      job.resolve(outcome.value)
    } catch (error) {
      job.reject(error)
    }
  }

  /** Settles a batch that came to nothing. Settling a job again has no effect. */
  function refuse(batch: Job[], outcomes: Outcome[], error: unknown) {
    for (const outcome of outcomes) if (!outcome.kept) settle(outcome)
    for (const job of batch) job.reject(translate(error))
  }

  /** Never throws: what a broken disk leaves open, the next batch tries to roll back again. */
  function rollBack() {
    try {
      if (writer.inTransaction) writer.run('ROLLBACK')
    } catch {}
  }

  /** After an attempt that failed: refuses writes that have waited too long for another process's lock, or for the disk. */
  function expire() {
    const oldest = performance.now() - lockPatienceMs
    while (queue[0] && queue[0].since <= oldest) queue.shift()?.reject(new DatabaseError('busy'))
  }

  function goOn(): boolean {
    expire()
    return queue.length > 0
  }

  async function drain() {
    while (queue.length > 0) {
      // Requests that arrived together are handled in this turn of the event loop: their writes share the fsync.
      await new Promise<void>(resolve => setImmediate(resolve))
      try {
        wal?.requireSound()
        if (!(await takeLock(goOn))) continue
      } catch (error) {
        refuse(queue.splice(0), [], error)
        continue
      }
      await runBatch()
      await wal?.checkpoint()
    }
    draining = undefined
  }

  return {
    async write<T>(work: (tx: Transaction) => Promise<T>) {
      if (insideJob.getStore()) throw new Error('write() inside write(): pass the transaction on instead')
      return new Promise<T>((resolve, reject) => {
        const since = performance.now()
        // Guarantee of the cast: `work` makes the value.
        queue.push({ since, work, resolve: resolve as (value: unknown) => void, reject })
        draining ??= drain()
      })
    },
    async idle() {
      await draining
    },
  }
}

/**
 * A transaction that refuses to be used once its job has ended: what a forgotten promise still writes must not
 * land in the savepoint of the next job.
 */
function endable(transaction: Transaction): { tx: Transaction; end: () => void } {
  let ended = false
  const tx = new Proxy(transaction, {
    get(target, name) {
      if (ended) throw new Error('the unit of work is over: await every query inside it')
      return Reflect.get(target, name)
    },
  })
  const end = () => {
    ended = true
  }
  return { tx, end }
}
