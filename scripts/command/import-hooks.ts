/** How an import shows its progress and its faults, and how a signal stops it. */
import type { EventsHooks } from '../../src/operate/admin/import/events-file.ts'
import type { FaultyLine, RowFault } from '../../src/platform/files/row-file.ts'
import type { Progress } from './progress.ts'
import { Interrupted, type StopSignal } from './stop.ts'

interface Session {
  json?: boolean | undefined
  /** It writes nothing, so there is nothing to continue. */
  dryRun?: boolean | undefined
  progress(noun: string): Progress
  print(text: string): Promise<void>
}

interface LocatedFault extends RowFault {
  line: number
}

export function importHooks(noun: string, { json, dryRun, progress, print }: Session) {
  /** For `--json`. */
  const errors: LocatedFault[] = []
  /** The same for lines that are imported. */
  const warnings: LocatedFault[] = []
  const checked = progress('lines checked')
  const written = progress(noun)

  async function tell({ line, faults }: FaultyLine, into: LocatedFault[]) {
    for (const fault of faults) {
      if (json) into.push({ line, ...fault })
      else await print(`line ${line}: ${[fault.field, fault.message].filter(Boolean).join(' ')}\n`)
    }
  }

  const hooks = (requested: () => StopSignal | undefined): EventsHooks => {
    const stopAt = (done: number) => {
      const signal = requested()
      if (signal) throw new Interrupted(signal, done)
    }
    return {
      onChecked(lines) {
        checked(lines)
        stopAt(0)
      },
      onFaulty: line => tell(line, errors),
      onUnread: line => tell(line, warnings),
      onWritten(done, total) {
        checked.end()
        written(done, total)
        stopAt(dryRun ? 0 : done)
      },
    }
  }
  return {
    hooks,
    errors,
    warnings,
    end() {
      checked.end()
      written.end()
    },
  }
}
