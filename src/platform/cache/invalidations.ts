/** Numbered invalidations of tags. Data that was read before an invalidation of its tag is outdated. */

/** Tags are hashed into slots. Two tags in one slot invalidate each other, which costs a read. */
const SLOTS = 65_536

export function createInvalidations() {
  let count = 0
  /** Number of the last invalidation of each slot. */
  const bySlot = new Float64Array(SLOTS)
  const slotOf = (tag: string) => Bun.hash.xxHash32(tag) % SLOTS
  return {
    slotOf,
    /** The number of the last invalidation of any tag. */
    last: () => count,
    /** Whether a tag of this slot was invalidated after the invalidation of this number. */
    has: (slot: number, since: number) => (bySlot[slot] ?? 0) > since,
    add(tag: string): void {
      bySlot[slotOf(tag)] = ++count
    },
  }
}
