/** What scripts say on a terminal. */

/** Says why, and leaves with 1. */
export function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** @throws Error that names the option */
export function wholeNumber(option: string, text: string, most: number): number {
  if (!/^\d+$/.test(text) || Number(text) > most)
    throw new Error(`${option} must be a whole number up to ${most}.`)
  return Number(text)
}

/** A bar that redraws itself on a terminal; nothing elsewhere, where the summary is enough. */
export function progressBar(noun: string): (done: number, total: number) => void {
  if (!process.stderr.isTTY) return () => {}
  const started = performance.now()
  return (done, total) => {
    if (done % 50 !== 0 && done !== total) return
    const width = 30
    const filled = Math.round((width * done) / total)
    const rate = Math.round(done / ((performance.now() - started) / 1000))
    const bar = '█'.repeat(filled) + '░'.repeat(width - filled)
    process.stderr.write(`\r${bar} ${done}/${total} ${noun}, ${rate}/s${done === total ? '\n' : ''}`)
  }
}
