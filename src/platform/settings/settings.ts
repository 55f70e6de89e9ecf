/**
 * The settings in force, in the memory of a process. What another process changes is read within `MAX_AGE_MS`; what this one
 * changes, after its commit. A unit of work has the same settings from its first use of them on.
 */
import type { Deferred, Reader, Transaction } from '../../../db/index.ts'
import { realSources } from '../../core/sources.ts'
import { defaultSettings, type Settings } from '../config/settings.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly settings: SettingsSpine
  }
}

const MAX_AGE_MS = 500

type Stated = Readonly<Partial<Settings>>

interface Known {
  settings: Settings
  /** What the settings are made of. */
  stated: string | null
  environment: Stated
  /** Monotonic, before they were read. Milliseconds. */
  readAt: number
}

interface SettingsSpine {
  /** The stored JSON of the settings that the club has stated; null: none. */
  readStated(reader: Reader): Promise<string | null>
  /** The settings whose variables are set: they win. */
  environment(): Stated
  elapsed(): number
  known: Known | undefined
  /** Number of changes that this process has committed. */
  changes: number
}

/** `environment` and `elapsed` are those of the dependencies, once these are created. */
export const createSettingsSpine = (readStated: SettingsSpine['readStated']): SettingsSpine => ({
  readStated,
  environment: () => noSettings,
  elapsed: realSources.elapsed,
  known: undefined,
  changes: 0,
})

const noSettings: Stated = Object.freeze({})

/** The settings in force. Rarely a statement. */
export async function settingsOf(reader: Reader | Transaction): Promise<Settings> {
  if (!('deferred' in reader)) return (await getKnown(reader)).settings
  const unit = reader.deferred(ofUnit)
  unit.settings ??= (await getKnown(reader)).settings
  return unit.settings
}

/** In which the days and months of the club begin. */
export const timeZoneOf = async (reader: Reader | Transaction): Promise<string> =>
  (await settingsOf(reader)).timeZone ?? 'UTC'

/** What a unit of work has used. Nothing is written. */
const ofUnit: Deferred<{ settings?: Settings }> = {
  order: 0,
  start: () => ({}),
  write: async () => [],
}

/** Another process may have changed them less than `MAX_AGE_MS` ago. */
async function getKnown(reader: Reader | Transaction): Promise<Known> {
  const { settings: shared } = reader.spine
  const { known, changes } = shared
  const [environment, readAt] = [shared.environment(), shared.elapsed()]
  const isSame = known?.environment === environment
  if (isSame && readAt - known.readAt < MAX_AGE_MS) return known
  const stated = await shared.readStated(reader)
  const settings =
    isSame && known.stated === stated
      ? known.settings
      : Object.freeze({ ...defaultSettings, ...parseStated(stated), ...environment })
  const read: Known = { settings, stated, environment, readAt }
  const keep = () => {
    if (shared.changes === changes) shared.known = read
  }
  // A unit of work may read what it has changed, and be rolled back.
  if ('deferred' in reader) reader.afterCommit(keep)
  else keep()
  return read
}

/** Settings that this version does not know have no effect. */
function parseStated(stated: string | null): Stated {
  const values: object = JSON.parse(stated ?? '{}')
  // Guarantee of the cast: only valid settings are stored.
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => Object.hasOwn(defaultSettings, name)),
  ) as Stated
}

/** Called by what changes the settings. */
export function forgetSettings(tx: Transaction): void {
  const { settings: shared } = tx.spine
  tx.afterCommit(() => {
    shared.changes++
    shared.known = undefined
  })
}
