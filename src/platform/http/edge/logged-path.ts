/** What the log says of the path of a request: the template of its route. Values in a path may be codes. */
import type { Logger } from 'pino'

/** Characters of what a client sent. */
const MAX_LOGGED = 200
/** A segment of this length may be a code or a token. */
const SECRET_FROM = 16

export const cutForLog = (text: string): string => text.slice(0, MAX_LOGGED)

/** An unknown path, with `…` for each segment that may be a secret. */
export const describeUnknownPath = (path: string): string =>
  cutForLog(path)
    .split('/')
    .map(segment => (segment.length < SECRET_FROM ? segment : '…'))
    .join('/')

/** Lines of one kind in a second; then the kind has one line a second until it has fewer. */
const MAX_LINES = 10
const SUMMARY_EVERY_MS = 1_000

/** Bounds the lines that anyone can cause at will. */
export function createLineLimit(log: Logger) {
  const counts = new Map<string, { lines: number; unlogged: number }>()

  function endSecond(kind: string, message: string) {
    const count = counts.get(kind)
    if (!count || count.unlogged === 0) {
      counts.delete(kind)
      return
    }
    log.warn({ count: count.unlogged }, message)
    count.unlogged = 0
    startSecond(kind, message)
  }

  const startSecond = (kind: string, message: string) =>
    void setTimeout(() => endSecond(kind, message), SUMMARY_EVERY_MS).unref()

  /** Whether to write a line of this kind. `message` is written later, with the number of lines that were left out. */
  return (kind: string, message: string): boolean => {
    const count = counts.getOrInsertComputed(kind, () => {
      startSecond(kind, message)
      return { lines: 0, unlogged: 0 }
    })
    if (count.lines < MAX_LINES) count.lines++
    else count.unlogged++
    return count.unlogged === 0
  }
}
