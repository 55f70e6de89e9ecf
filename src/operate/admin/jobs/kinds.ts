/** What staff may run in the background. Each kind is a verb that scripts use as well. */
import type { Database } from '../../../../db/index.ts'
import { replayDeliveries } from '../../../delivery/webhooks/replay.ts'
import { verifyLedger } from '../audit/verify-ledger.ts'
import { verifyProvenance } from '../audit/verify-provenance.ts'
import { verifyQuests } from '../audit/verify-quests.ts'
import type { MaintenanceCommand } from '../maintenance.ts'

/** Awaited between two steps. Rejects when the run is to end. */
type OnProgress = (done: number, total: number | null) => Promise<void>

export interface JobResult {
  /** How many differences were found, of a verification. */
  findings?: number
  /** The first findings, in words of the tables. Ids only. */
  listed?: object[]
  /** Further numbers, such as `entries`. */
  counts: Record<string, number | string>
}

interface Kind {
  /** What `done` counts. */
  unit: string
  /** The time of a run without findings, for the metrics. */
  maintenance?: MaintenanceCommand
  slotOf(input: JobInput): string
  run(db: Database, input: JobInput, onProgress: OnProgress): Promise<JobResult>
}

/** Of a replay: which deliveries. Other kinds have none. */
export interface JobInput {
  endpointId?: string
  /** ISO 8601. */
  since?: string
}

/** Findings that are kept with the run. The commands list all. */
const LISTED = 20

function collect() {
  const listed: object[] = []
  return { listed, onFinding: (finding: object) => void (listed.length < LISTED && listed.push(finding)) }
}

/** One verification at a time: each reads everything. */
const slotOf = () => 'verification'

export const JOB_KINDS = {
  'verify-ledger': {
    unit: 'fans',
    maintenance: 'verify-ledger',
    slotOf,
    async run(db, _, onProgress) {
      const { listed, onFinding } = collect()
      const { findings, ...counts } = await verifyLedger(db, { onFinding, onProgress })
      return { findings, listed, counts }
    },
  },
  'verify-quests': {
    unit: 'fans',
    maintenance: 'verify-quests',
    slotOf,
    async run(db, _, onProgress) {
      const { listed, onFinding } = collect()
      const { findings, ...counts } = await verifyQuests(db, {
        onFinding,
        onProgress: done => onProgress(done, null),
      })
      return { findings, listed, counts }
    },
  },
  'verify-provenance': {
    unit: 'fans',
    slotOf,
    async run(db, _, onProgress) {
      const { listed, onFinding } = collect()
      const { findings, ...counts } = await verifyProvenance(db, { onFinding, onProgress })
      return { findings, listed, counts }
    },
  },
  'replay-webhooks': {
    unit: 'deliveries',
    slotOf: ({ endpointId }) => `replay ${endpointId}`,
    async run(db, { endpointId = '', since = '' }, onProgress) {
      const onReplayed = (replayed: number) => onProgress(replayed, null)
      const replayed = await replayDeliveries(db, endpointId, new Date(since), { onProgress: onReplayed })
      return { counts: { replayed } }
    },
  },
} as const satisfies Record<string, Kind>

export type JobKind = keyof typeof JOB_KINDS

export const kindOf = (name: JobKind): Kind => JOB_KINDS[name]
export const isJobKind = (name: string): name is JobKind => Object.hasOwn(JOB_KINDS, name)
