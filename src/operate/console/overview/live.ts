/** The current figures, read once for all watchers, and sent as server-sent events when they change. */

import type { Logger } from 'pino'
import type { Database } from '../../../../db/index.ts'
import { every } from '../../../core/every.ts'
import { logFailed } from '../../../core/loggable.ts'
import type { AppSources } from '../../../core/sources.ts'
import { type Role, seesMoney } from '../../../identity/staff/roles.ts'
import { readLiveFigures } from './read-overview.ts'
import type { LiveFigures } from './schema.ts'

export interface LiveDeps extends Pick<AppSources, 'elapsed'> {
  db: Database
  log: Logger
  lifecycle: { stopping: boolean }
}

const EVERY_MS = 2_000
/** Pauses are ten times as long as a read, so that reads take at most a tenth of the time: a match day has many events. */
const COST_FACTOR = 10
/** Rounds between two comments, below `idleTimeout` of the server. */
const COMMENT_EVERY = 6

interface Watcher {
  controller: ReadableStreamDefaultController<Uint8Array>
  /** The role of the session now; null when it has ended. */
  roleNow(): Promise<Role | null>
  sent: string
}

export function createLive(deps: LiveDeps) {
  const { db, elapsed, lifecycle, log } = deps
  const watchers = new Set<Watcher>()
  const encoder = new TextEncoder()
  let held: { figures: LiveFigures; until: number } | undefined
  let running: Promise<LiveFigures> | undefined
  let round = 0
  /** Runs while somebody watches. */
  let rounds: ReturnType<typeof every> | null = null

  async function readNow(): Promise<LiveFigures> {
    const started = elapsed()
    try {
      const figures = await readLiveFigures(db.read)
      const ended = elapsed()
      held = { figures, until: ended + Math.max(EVERY_MS / 2, COST_FACTOR * (ended - started)) }
      return figures
    } finally {
      running = undefined
    }
  }

  /** The figures may be a moment old, or older if reading is expensive. */
  async function read(): Promise<LiveFigures> {
    if (held && elapsed() < held.until) return held.figures
    running ??= readNow()
    return running
  }

  function end(watcher: Watcher) {
    watchers.delete(watcher)
    try {
      watcher.controller.close()
    } catch {
      // The reader has gone already.
    }
    if (watchers.size > 0) return
    void rounds?.stop()
    rounds = null
  }

  async function send() {
    if (lifecycle.stopping) {
      for (const watcher of watchers) end(watcher)
      return
    }
    round += 1
    const figures = await read()
    for (const watcher of watchers) {
      const role = await watcher.roleNow()
      // The reader may have left meanwhile, and the stream is closed.
      if (!watchers.has(watcher)) continue
      if (role === null) {
        end(watcher)
        continue
      }
      const data = JSON.stringify(figuresFor(role, figures))
      if (watcher.sent !== data) {
        watcher.sent = data
        watcher.controller.enqueue(encoder.encode(`event: figures\ndata: ${data}\n\n`))
      } else if (round % COMMENT_EVERY === 0) watcher.controller.enqueue(encoder.encode(':\n\n'))
    }
  }

  return {
    read: async (role: Role) => figuresFor(role, await read()),
    /** A stream that ends with the session, and with the process. */
    open(roleNow: Watcher['roleNow']): ReadableStream<Uint8Array> {
      let watcher: Watcher | undefined
      return new ReadableStream({
        start(controller) {
          watcher = { controller, roleNow, sent: '' }
          watchers.add(watcher)
          rounds ??= every(EVERY_MS, send, logFailed(log, 'send live figures'))
          rounds.run()
        },
        cancel() {
          if (watcher) end(watcher)
        },
      })
    },
  }
}

/** Without amounts of money for a role that does not see them. */
const figuresFor = (role: Role, figures: LiveFigures): LiveFigures =>
  seesMoney(role) ? figures : { ...figures, refundsDue: { ...figures.refundsDue, sums: null } }
