/** The spine of a database that was opened without one, only for its rows. */
import type { Spine } from './types.ts'

// Guarantee of the cast: no part is ever returned.
export const noSpine = new Proxy({} as Spine, {
  get(_, part) {
    throw new Error(
      `this database was opened without a spine, which has '${String(part)}': pass createSpine()`,
    )
  },
})
