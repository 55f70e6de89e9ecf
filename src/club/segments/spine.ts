/** What rooms above know about fans and entries, for segments. */
import type { Reader } from '../../../db/index.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly segments: ReturnType<typeof createSegmentsSpine>
  }
}

/** An entry that names a segment. `pointer` is where. */
export interface SegmentUse {
  kind: string
  id: string
  pointer: '/fan' | '/requires/segment'
}

export const createSegmentsSpine = (rooms: {
  /** Whether the fan is in the segment now: false for one that is switched off. */
  isInSegment(reader: Reader, userId: string, segmentId: string): Promise<boolean>
  /** The ids of the tiers of an account. Undefined for an unknown account. */
  readAccountTiers(reader: Reader, accountId: string): Promise<string[] | undefined>
  /** Active entries that name the segment. */
  listUses(reader: Reader, segmentId: string): Promise<SegmentUse[]>
}) => rooms

/** Judges each fan and segment once, by what is stored at the first question. */
export function rememberMembers(reader: Reader): (userId: string, segmentId: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>()
  return (userId, segmentId) =>
    known.getOrInsertComputed(`${userId} ${segmentId}`, () =>
      reader.spine.segments.isInSegment(reader, userId, segmentId),
    )
}
