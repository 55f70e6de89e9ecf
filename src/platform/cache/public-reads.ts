/**
 * Reads for public responses: from the replica of DATABASE_READ_URL while it can be used, otherwise from the
 * primary. Responses of the replica have a separate cache, so that they are not served to callers who read
 * from the primary. Writes do not invalidate it, because the replica could return the previous state again: a
 * response lives for less than a second.
 */
import type { Logger } from 'pino'
import type { Database, Reader, Replica } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import {
  type CacheCounts,
  createResponseCache,
  type MaybePromise,
  type ResponseCache,
} from './response-cache.ts'

export interface ReadSource {
  read: Reader
  cache: ResponseCache
}

/** `work` may run twice: again on the primary if the replica fails, or does not have the requested row. */
export type ReadPublic = <T>(work: (source: ReadSource) => MaybePromise<T>) => MaybePromise<T>

export interface PublicReads {
  primary: ReadSource
  read: ReadPublic
  /** Checks the replica, and logs when its use begins or ends. */
  check(): Promise<void>
  /** Null without DATABASE_READ_URL. */
  replica: (Pick<Replica, 'problem' | 'poolLoad'> & { cache: CacheCounts; fallbacks(): number }) | null
}

interface Sources {
  db: Pick<Database, 'read'>
  /** The cache for reads of the primary. */
  cache: ResponseCache
  replica: Replica | undefined
  elapsed(): number
  now(): Date
  log: Logger
}

export function createPublicReads({ db, cache, replica, elapsed, now, log }: Sources): PublicReads {
  const primary = { read: db.read, cache }
  if (!replica) {
    return { primary, read: work => work(primary), check: async () => {}, replica: null }
  }
  const copy = {
    read: replica.read,
    cache: createResponseCache({ elapsed, now, externalCommits: () => null, maxBytes: 8 * 1024 * 1024 }),
  }
  let fallbacks = 0
  let loggedAsUsed: boolean | undefined

  return {
    primary,
    read(work) {
      if (replica.problem() !== null) {
        fallbacks++
        return work(primary)
      }
      const result = work(copy)
      if (!(result instanceof Promise)) return result
      return replica.inTime(result).catch((error: unknown) => {
        if (!(error instanceof DomainError)) fallbacks++
        return work(primary)
      })
    },
    async check() {
      await replica.check()
      const problem = replica.problem()
      const isUsed = problem === null
      if (isUsed === loggedAsUsed) return
      loggedAsUsed = isUsed
      if (isUsed) log.info('public reads use the replica')
      else
        log.warn({ problem }, 'public reads use the primary: the replica of DATABASE_READ_URL is not usable')
    },
    replica: {
      problem: replica.problem,
      poolLoad: replica.poolLoad,
      cache: copy.cache.counts,
      fallbacks: () => fallbacks,
    },
  }
}
