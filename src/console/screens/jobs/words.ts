/** Kinds of jobs and their results in words. */
import type { Data, Input } from '../../api.ts'
import { formatBytes, formatCount } from '../../parts/format.ts'

export type JobsData = Data<'listJobs'>
export type RunData = JobsData['runs'][number]

export type ImportKind = Input<'announceImportFile'>['command']
export type Verification = Input<'startVerification'>['kind']

interface ImportWords {
  /** "Import fans", "Import of fans". */
  what: string
  about: string
  accept: string
  /** The name of a row of the file, and the numbers of a result. */
  numbers: readonly (readonly [count: string, words: string])[]
}

export const IMPORTS: Record<ImportKind, ImportWords> = {
  'import-fans': {
    what: 'fans',
    about: 'Fans of another system, with their profiles and points. Existing values of a fan do not change.',
    accept: '.csv,.ndjson,.jsonl',
    numbers: [
      ['created', 'New fans'],
      ['changed', 'Fans whose missing values are added'],
      ['unchanged', 'Unchanged fans'],
      ['points', 'Points in opening balances'],
      ['profilesKept', 'Fans who keep another profile'],
      ['invalid', 'Invalid lines'],
    ],
  },
  'import-events': {
    what: 'events',
    about:
      'What fans did in other systems, such as purchases in a shop. Each event earns points once, as the rules say.',
    accept: '.csv,.ndjson,.jsonl',
    numbers: [
      ['applied', 'Events that count'],
      ['ignored', 'Events without a rule or quest'],
      ['unread', 'Events whose data earns no points'],
      ['duplicate', 'Events that were already recorded'],
      ['points', 'Points'],
      ['refused', 'Refused events'],
      ['invalid', 'Invalid lines'],
    ],
  },
  'import-memberships': {
    what: 'memberships',
    about:
      'Season tickets and other memberships, as the ticket office exports them. Each has a ref, which is written once.',
    accept: '.csv,.ndjson,.jsonl',
    numbers: [
      ['created', 'New memberships'],
      ['changed', 'Changed memberships'],
      ['unchanged', 'Unchanged memberships'],
      ['repeated', 'Lines that repeat another'],
      ['unmatched', 'Left out, without a known fan'],
      ['ambiguous', 'Left out, several fans possible'],
      ['ofAnotherFan', 'Left out, of another fan'],
      ['overlapping', 'Overlapping memberships of a fan'],
      ['invalid', 'Invalid lines'],
    ],
  },
  'import-catalog': {
    what: 'the catalogue',
    about: 'Entries of any kind, such as matches, rewards and rules. Nothing is deleted.',
    accept: '.json,.ndjson,.jsonl',
    numbers: [
      ['created', 'New entries'],
      ['changed', 'Changed entries'],
      ['deactivated', 'Deactivated entries'],
      ['unchanged', 'Unchanged entries'],
      ['notInFile', 'Active entries that are not in the file'],
      ['kept', 'Matches that keep their kick-off'],
      ['invalid', 'Errors'],
    ],
  },
}

export const isImport = (kind: string): kind is ImportKind => Object.hasOwn(IMPORTS, kind)
export const isDryRun = ({ input }: RunData) => input?.dryRun === 'true'

const OTHERS: Record<Verification | 'replay-webhooks' | 'backup' | 'archive', string> = {
  'verify-ledger': 'Verification of the ledger',
  'verify-quests': 'Verification of quests',
  'verify-provenance': 'Verification of items',
  'replay-webhooks': 'Replay of webhooks',
  backup: 'Backup',
  archive: 'Archive',
}

const isOther = (kind: string): kind is keyof typeof OTHERS => Object.hasOwn(OTHERS, kind)

export function titleOf(run: RunData): string {
  const { kind } = run
  if (isImport(kind)) return `${isDryRun(run) ? 'Dry run' : 'Import'} of ${IMPORTS[kind].what}`
  // A run of another version may have a kind that this version does not know.
  return isOther(kind) ? OTHERS[kind] : kind
}

/** The numbers of an import, without those that are zero; those of a dry run of events are a maximum. */
export function numbersOf(run: RunData): [words: string, count: string][] {
  const { kind, counts } = run
  if (!isImport(kind)) return []
  return IMPORTS[kind].numbers.flatMap(([count, words]): [string, string][] => {
    const value = Number(counts[count] ?? 0)
    const isMost = kind === 'import-events' && count === 'points' && isDryRun(run)
    return value === 0 ? [] : [[words, `${isMost ? 'at most ' : ''}${formatCount(value)}`]]
  })
}

/** The result in a sentence. */
export function summaryOf(run: RunData): string {
  const { kind, counts } = run
  if (isImport(kind))
    return numbersOf(run)
      .map(([words, count]) => `${words}: ${count}`)
      .join(' · ')
  if (kind === 'backup')
    return [
      counts.bytes === undefined ? '' : formatBytes(Number(counts.bytes)),
      counts.rows === undefined ? '' : `${formatCount(Number(counts.rows))} rows`,
      ...(counts.pictures ? [`${formatCount(Number(counts.pictures))} pictures`] : []),
      ...(counts.picturesMissing
        ? [`${formatCount(Number(counts.picturesMissing))} pictures missing in the store`]
        : []),
    ]
      .filter(Boolean)
      .join(', ')
  return Object.entries(counts)
    .flatMap(([name, value]) => (typeof value === 'number' ? `${formatCount(value)} ${name}` : []))
    .join(', ')
}

/** Lines of a file that an import leaves out, or that staff should look at. */
export const faultsOf = ({ counts }: RunData) =>
  ['invalid', 'refused', 'unmatched', 'ambiguous', 'ofAnotherFan', 'overlapping'].reduce(
    (sum, name) => sum + Number(counts[name] ?? 0),
    0,
  )
