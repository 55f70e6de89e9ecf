/** The notifications in force: those of the catalogue, and the built-in ones that the catalogue does not replace. */
import { asc } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import type { Condition } from '../catalogue/conditions.ts'
import { statedTexts, type Text } from '../catalogue/texts.ts'
import { BUILT_IN } from './built-in.ts'
import { type Category, MARKETING } from './categories.ts'
import type { NotificationEntry } from './notification-kind.ts'

export interface Notification
  extends Omit<NotificationEntry, 'category' | 'when' | 'body' | 'url' | 'imageUrl'> {
  category: Category
  body: Text
  when: Condition[]
  url: string | null
  imageUrl: string | null
  isBuiltIn: boolean
}

/** By id, also those that are switched off. */
export async function listNotifications(reader: Reader): Promise<Notification[]> {
  const { notifications } = reader.tables
  const rows = await reader.select().from(notifications).orderBy(asc(notifications.id))
  const stored = rows.map(row => {
    const { createdAt: _, updatedAt: _u, when, ...entry } = statedTexts(row)
    // Guarantee of the cast: only valid entries are written.
    const stated = entry as NotificationEntry
    return notificationOf({ ...stated, when: when === null ? [] : JSON.parse(when) }, false)
  })
  const replaced = new Set(stored.map(({ id }) => id))
  const builtIn = BUILT_IN.filter(({ id }) => !replaced.has(id)).map(entry => notificationOf(entry, true))
  return [...stored, ...builtIn].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

const notificationOf = (entry: NotificationEntry, isBuiltIn: boolean): Notification => ({
  ...entry,
  category: entry.category ?? MARKETING,
  body: entry.body ?? '',
  when: entry.when ?? [],
  url: entry.url ?? null,
  imageUrl: entry.imageUrl ?? null,
  isBuiltIn,
})

/** Those with `at`, also if they are switched off: staff start them. */
export const listCampaigns = async (reader: Reader) =>
  (await listNotifications(reader)).flatMap(({ at, ...entry }) => (at == null ? [] : [{ ...entry, at }]))

/** Those that are switched on, by type of event or moment. */
export async function readListening(reader: Reader): Promise<ReadonlyMap<string, Notification[]>> {
  const active = (await listNotifications(reader)).filter(({ active }) => active !== false)
  const listening = active.filter(({ eventType }) => eventType != null)
  return Map.groupBy(listening, ({ eventType }) => eventType ?? '')
}
