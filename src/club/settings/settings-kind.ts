/** The settings of the club, one entry of the catalogue. */
import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { Closed } from '../../core/schemas.ts'
import { type TObject, Type } from '../../core/typebox.ts'
import {
  changesMoney,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type Settings,
  settingFaults,
  variableOf,
} from '../../platform/config/settings.ts'
import { forgetSettings } from '../../platform/settings/settings.ts'
import { compareEntries, completeEntry } from '../catalogue/entry.ts'
import { Maybe } from '../catalogue/entry-schema.ts'
import { declareKind } from '../catalogue/kind.ts'
import { bumpVersion } from '../catalogue/versions.ts'

/** The one entry. */
const ID = 'club'

type SettingsEntry = { id: string } & { [Name in SettingName]?: Settings[Name] | null }

// Guarantee of the cast: a member for each setting, whose schema is that of its values.
const SettingsEntry = Closed(
  {
    id: Type.Literal(ID, { description: 'The only entry of its kind.' }),
    ...Object.fromEntries(SETTING_NAMES.map(name => [name, Maybe(SETTINGS[name].schema)])),
  },
  { title: 'Settings' },
) as TObject & { static: SettingsEntry }

/** The stated settings as JSON, in the order of the declaration. Null: the club has stated none. */
export const readStatedSettings = async (reader: Reader): Promise<string | null> =>
  (await selectSettings(reader, ID))?.stated ?? null

const selectSettings = preparedRow((reader: Reader, id: string) => {
  const { settings } = reader.tables
  return reader.select({ stated: settings.stated }).from(settings).where(eq(settings.id, id))
})

/** With all members, null for those that are not stated. There is always an entry. */
async function readEntry(reader: Reader): Promise<SettingsEntry> {
  // Guarantee of the cast: only valid settings are stored.
  const stated = JSON.parse((await readStatedSettings(reader)) ?? '{}') as Partial<SettingsEntry>
  return completeEntry(SettingsEntry, { ...stated, id: ID })
}

async function planSettings(reader: Reader, entry: SettingsEntry) {
  const { id: _, ...members } = completeEntry(SettingsEntry, entry)
  return compareEntries({ ...(await readEntry(reader)) }, members)
}

async function upsertSettings(tx: Transaction, entry: SettingsEntry) {
  const planned = await planSettings(tx, entry)
  if (planned.outcome === 'unchanged') return planned
  // The lock of its row lets one unit of work at a time change the settings.
  await bumpVersion(tx)
  const change = await planSettings(tx, entry)
  const { id, ...members } = completeEntry(SettingsEntry, entry)
  const stated = JSON.stringify(
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)),
  )
  const now = tx.now()
  const set = { stated, updatedAt: now }
  const { settings } = tx.tables
  await tx
    .insert(settings)
    .values({ ...set, id, createdAt: now })
    .onConflictDoUpdate({ target: settings.id, set })
  forgetSettings(tx)
  return change
}

export const settingsKind = declareKind({
  kind: 'settings',
  list: 'settings',
  only: ID,
  about: 'What the club decides: points, limits, texts and terms, retention.',
  schema: SettingsEntry,
  givesValue: true,
  changesValue: changesMoney,
  overriddenIn({ spine }) {
    const values = spine.settings.environment()
    return SETTING_NAMES.filter(name => name in values).map(name => {
      return { member: name, by: variableOf(name), value: values[name] }
    })
  },
  table: ({ settings }) => settings,
  titleOf: () => 'Settings',
  faults: entry => settingFaults(entry),
  plan: planSettings,
  upsert: upsertSettings,
  read: async (reader, ids) => (ids.includes(ID) ? [await readEntry(reader)] : []),
})
