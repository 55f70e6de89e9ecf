/** Previews of drafts as a stream of lines: progress, then the result. A preview stops when its reader is gone. */
import type { Logger } from 'pino'
import type { Reader } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { PreviewOptions } from '../../../economy/events/past-events.ts'
import { previewRules } from '../../../economy/events/preview-rules.ts'
import { contentOf, ruleOf } from '../../../economy/rules/rule.ts'
import { parseRecord } from '../../../play/catalogue-file/check-record.ts'
import type { CatalogueRecord, RecordKind } from '../../../play/catalogue-file/kinds.ts'
import { previewQuest } from '../../../play/quests/preview-quest.ts'
import { withinEntry } from './change-entry.ts'
import type { PreviewLine } from './schema.ts'

const DAY_MS = 86_400_000
/** About a minute of one core: some 10,000 events a second. */
const MAX_EVENTS = 500_000
/** Maximum previews that run in one process: each takes part of its CPU core. */
const MAX_RUNNING = 2
const RETRY_SECONDS = 10

let running = 0

interface Draft {
  entry: unknown
  days: number
}

/** @throws DomainError `validation_failed`, and `overloaded` while others run */
export function previewEntry(
  { read, log }: { read: Reader; log: Logger },
  kind: Extract<RecordKind, 'rule' | 'quest'>,
  { entry, days }: Draft,
): ReadableStream<Uint8Array> {
  const record = withinEntry(() => parseRecord(kind, entry))
  if (running >= MAX_RUNNING)
    throw new DomainError(transportProblems.overloaded, { retryAfter: RETRY_SECONDS })
  running++
  const stop = new AbortController()
  const encoder = new TextEncoder()
  const since = new Date(read.now().getTime() - days * DAY_MS)
  return new ReadableStream({
    async start(controller) {
      const say = (line: PreviewLine) => {
        if (!stop.signal.aborted) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`))
      }
      const onProgress = (events: number, share: number) => say({ progress: { events, share } })
      const options = { since, signal: stop.signal, maxEvents: MAX_EVENTS, onProgress }
      try {
        say({ result: await evaluate(read, record, options) })
      } catch (error) {
        if (!stop.signal.aborted) {
          log.error({ error }, 'a preview failed')
          say({ failed: true })
        }
      } finally {
        running--
        if (!stop.signal.aborted) controller.close()
      }
    },
    cancel: () => stop.abort(),
  })
}

/** Evaluates the draft as if it were active. Adds names of fans for the staff. */
async function evaluate(read: Reader, record: CatalogueRecord, options: PreviewOptions) {
  if (record.kind === 'quest') return previewQuest(read, record.entry, options)
  if (record.kind !== 'rule') throw new Error(`${record.kind} has no preview`)
  const { previews, isComplete } = await previewRules(
    read,
    [ruleOf(contentOf({ ...record.entry, active: true }), 0)],
    options,
  )
  const [preview] = previews
  if (!preview) throw new Error('a preview has no rule')
  return { ...preview, isComplete }
}
