/** The jobs that staff can run in the background. Each kind is a verb that scripts use too. */
import { BackupFault } from '../../../../db/index.ts'
import { coverAll } from '../../../audit/coverage/coverage.ts'
import { recordCoverage } from '../../../audit/coverage/record-coverage.ts'
import { encryptionKeysOf } from '../../../audit/keys/encrypted-rows.ts'
import { verifyLedger } from '../../../audit/runs/verify-ledger.ts'
import { verifyProvenance } from '../../../audit/runs/verify-provenance.ts'
import { verifyQuests } from '../../../audit/runs/verify-quests.ts'
import { replayDeliveries } from '../../../delivery/webhooks/replay.ts'
import type { createJobs } from '../../../platform/jobs/jobs.ts'
import { backUpInThread } from '../backup/in-thread.ts'
import { IMPORT_KINDS } from './import-kinds.ts'
import type { JobKind } from './job-kinds.ts'
import type { JobInput, Kind, Listed } from './kind.ts'

/** Backs SQLite up. */
const backupKind = {
  unit: 'fans verified',
  maintenance: 'backup',
  slotOf: () => 'backup',
  async run({ config: { backups, erasureList, uploads }, input: { file = '' }, onProgress }) {
    if (!backups || erasureList === null) throw new Error('only SQLite is backed up by the server')
    try {
      const order = { path: backups.path, file, erasures: erasureList, uploads }
      const { ledgerDigest, pictures, notTidied: _, ...backup } = await backUpInThread(order, onProgress)
      const counts = {
        ...backup,
        ...(ledgerDigest === null ? {} : { digest: ledgerDigest }),
        ...(pictures && { pictures: pictures.files, picturesMissing: pictures.missing }),
      }
      return { findings: 0, counts }
    } catch (error) {
      if (!(error instanceof BackupFault)) throw error
      return { counts: {}, failed: error.message }
    }
  },
} as const satisfies Kind

/** Findings that are kept with the run. The commands list all. */
const LISTED = 20

function collect() {
  const listed: Listed[] = []
  return { listed, onFinding: (finding: Listed) => void (listed.length < LISTED && listed.push(finding)) }
}

/** One verification at a time: each reads everything. */
const slotOf = () => 'verification'

export const JOB_KINDS = {
  'verify-ledger': {
    unit: 'fans',
    maintenance: 'verify-ledger',
    slotOf,
    async run({ db, config, onProgress }) {
      const { listed, onFinding } = collect()
      const keys = encryptionKeysOf(config.nativeTokens)
      const coverage = coverAll(db.read, 'verify-ledger')
      const { findings, ...counts } = await verifyLedger(db, { coverage, onFinding, onProgress, keys })
      await db.write(tx => recordCoverage(tx, coverage, findings))
      return { findings, listed, counts }
    },
  },
  'verify-quests': {
    unit: 'fans',
    maintenance: 'verify-quests',
    slotOf,
    async run({ db, onProgress }) {
      const { listed, onFinding } = collect()
      const coverage = coverAll(db.read, 'verify-quests')
      const { findings, ...counts } = await verifyQuests(db, { coverage, onFinding, onProgress })
      await db.write(tx => recordCoverage(tx, coverage, findings))
      return { findings, listed, counts }
    },
  },
  'verify-provenance': {
    unit: 'fans',
    slotOf,
    async run({ db, onProgress }) {
      const { listed, onFinding } = collect()
      const { findings, ...counts } = await verifyProvenance(db, { onFinding, onProgress })
      return { findings, listed, counts }
    },
  },
  'replay-webhooks': {
    unit: 'deliveries',
    slotOf: ({ endpointId }) => `replay ${endpointId}`,
    async run({ db, input: { endpointId = '', since = '' }, onProgress }) {
      const onReplayed = (replayed: number) => onProgress(replayed, null)
      const replayed = await replayDeliveries(db, endpointId, new Date(since), { onProgress: onReplayed })
      return { counts: { replayed } }
    },
  },
  ...IMPORT_KINDS,
  backup: backupKind,
} as const satisfies Record<JobKind, Kind>

/** The runner of all kinds. */
export type Jobs = ReturnType<typeof createJobs<JobKind, JobInput>>

export const kindOf = (name: JobKind): Kind => JOB_KINDS[name]
export const isJobKind = (name: string): name is JobKind => Object.hasOwn(JOB_KINDS, name)
