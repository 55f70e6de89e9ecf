/** Settings for a part of a test, as if their variables were set. */
import type { Database } from '../../db/index.ts'
import type { Settings } from '../../src/platform/config/settings.ts'

/** Returns what ends it. */
export function overrideSettings({ read }: Database, values: Partial<Settings>): () => void {
  const { settings } = read.spine
  const before = settings.environment
  const environment = { ...before(), ...values }
  settings.environment = () => environment
  return () => {
    settings.environment = before
  }
}
