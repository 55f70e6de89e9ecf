/** The signals that stop a server. */
import { readFileSync } from 'node:fs'

const SIGHUP_BIT = 1n

/** Whether the process was started to outlive its terminal, as `nohup` does: a handler would undo that. Known on Linux only. */
function ignoresHangup(): boolean {
  try {
    const [, mask = '0'] = /^SigIgn:\s*([\da-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return (BigInt(`0x${mask}`) & SIGHUP_BIT) !== 0n
  } catch {
    return false
  }
}

/** Calls `stop` for SIGTERM, SIGINT and, unless it is ignored, SIGHUP. */
export function onStopSignal(stop: (signal: NodeJS.Signals) => void): void {
  const signals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT']
  if (!ignoresHangup()) signals.push('SIGHUP')
  for (const signal of signals) process.on(signal, () => stop(signal))
}
