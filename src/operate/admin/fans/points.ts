/** The points ledger of a fan with what each entry is for, newest first. */
import type { Reader } from '../../../../db/index.ts'
import { rowsByKeys } from '../../../../db/keys.ts'
import type { Cursors, Page } from '../../../core/pagination.ts'
import { readHistory } from '../../../economy/points/history.ts'
import { createNames } from './timeline/names.ts'
import { describeEntry, wantOfEntry } from './timeline/points-words.ts'

const readGrants = rowsByKeys('pointsGrants', ['ref'])

/** `personal`: whether the notes of grants are shown. */
export async function readFanPoints(
  reader: Reader,
  cursors: Cursors,
  { fanId, personal, ...page }: Page & { fanId: string; personal: boolean },
) {
  const { entries, ...account } = await readHistory(reader, cursors, { userId: fanId }, page, 0)
  const wanted = createNames()
  for (const entry of entries) wantOfEntry(entry, wanted)
  const refs = entries.flatMap(({ reason, ref }) => (reason === 'adjustment' ? [{ ref }] : []))
  const grants = new Map((await readGrants(reader, refs)).map(row => [row.ref, row]))
  const context = { names: await wanted.read(reader), related: { grants }, personal }
  return { ...account, entries: entries.map(entry => ({ ...entry, ...describeEntry(entry, context) })) }
}
