/** The progress of a command: a bar on a terminal, otherwise a line every few seconds. */

const BAR_WIDTH = 30
const REDRAW_MS = 100
const LINE_MS = 5_000

export interface Progress {
  /** `total` is omitted while it is unknown. */
  (done: number, total?: number): void
  /** Draws the final state. */
  end(): void
}

export interface ProgressOutput {
  isTTY?: boolean
  write(text: string): unknown
}

/** `now` is in milliseconds, from any origin. */
export function createProgress(
  noun: string,
  output: ProgressOutput = process.stderr,
  now: () => number = () => performance.now(),
): Progress {
  const started = now()
  let reportedAt = started
  let last: [done: number, total?: number] | undefined
  let drawn = false
  const draw = (done: number, total?: number) => {
    output.write(`\r${lineOf(noun, done, total, now() - started, true)}\x1b[K`)
    drawn = true
  }
  const report = (done: number, total?: number) => {
    last = [done, total]
    if (now() - reportedAt < (output.isTTY ? REDRAW_MS : LINE_MS)) return
    reportedAt = now()
    if (output.isTTY) draw(done, total)
    else output.write(`${lineOf(noun, done, total, reportedAt - started, false)}\n`)
  }
  return Object.assign(report, {
    end() {
      if (!drawn || !last) return
      draw(...last)
      output.write('\n')
      drawn = false
    },
  })
}

function lineOf(noun: string, done: number, total: number | undefined, ms: number, bar: boolean): string {
  const rate = ms > 0 ? (done * 1000) / ms : 0
  const speed = `${Math.round(rate)}/s`
  if (total === undefined) return `${done} ${noun}, ${speed}`
  const filled = total > 0 ? Math.round((BAR_WIDTH * Math.min(done, total)) / total) : BAR_WIDTH
  const left = rate > 0 ? `, ${durationOf(((total - done) * 1000) / rate)} left` : ''
  const share = bar
    ? `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} `
    : `${total > 0 ? Math.floor((100 * done) / total) : 100} %, `
  return `${share}${done}/${total} ${noun}, ${speed}${left}`
}

/** `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min` */
export function durationOf(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
