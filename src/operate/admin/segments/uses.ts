/** Where segments are used. */
import type { Reader } from '../../../../db/index.ts'
import type { SegmentUse } from '../../../club/segments/spine.ts'
import { kindNamed, kindNames } from '../../../play/catalogue-file/kinds.ts'

const TOGETHER = 200

/** The members of any entry that can name a segment. */
interface Naming {
  id: string
  fan?: string | null
  requires?: { segment?: string } | unknown[] | null
}

/** Active entries that name the segment, in the order of their kinds. */
export async function listUses(reader: Reader, segmentId: string): Promise<SegmentUse[]> {
  const uses: SegmentUse[] = []
  for (const kind of kindNames) {
    const { schema, listActive, read } = kindNamed(kind)
    if (!('fan' in schema.properties || 'requires' in schema.properties)) continue
    const ids = (await listActive(reader)).toSorted()
    for (let from = 0; from < ids.length; from += TOGETHER) {
      const entries: Naming[] = await read(reader, ids.slice(from, from + TOGETHER))
      for (const { id, fan, requires } of entries.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
        if (fan === segmentId) uses.push({ kind, id, pointer: '/fan' })
        if (requires && !Array.isArray(requires) && requires.segment === segmentId)
          uses.push({ kind, id, pointer: '/requires/segment' })
      }
    }
  }
  return uses
}
