/** Figures of the process and of its event loop. The names of the process are those that all Prometheus clients use. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Metrics } from './definitions.ts'

const LOOP_EVERY_MS = 100

/** Returns a function that ends it. */
export function observeLoop({ loopDelay }: Metrics): () => void {
  let due = performance.now() + LOOP_EVERY_MS
  const timer = setInterval(() => {
    const at = performance.now()
    loopDelay.observe(Math.max(0, at - due) / 1000)
    due = at + LOOP_EVERY_MS
  }, LOOP_EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

export function readProcess(metrics: Metrics): void {
  const { user, system } = process.cpuUsage()
  metrics.cpu.reset()
  metrics.cpu.inc((user + system) / 1_000_000)
  const { rss, heapUsed } = process.memoryUsage()
  metrics.residentMemory.set(rss)
  metrics.heap.set(heapUsed)
  metrics.startTime.set(performance.timeOrigin / 1000)
  try {
    metrics.openFiles.set(readdirSync('/proc/self/fd').length)
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    if (soft !== undefined) metrics.maxFiles.set(Number(soft))
  } catch {
    // Not Linux.
  }
}
