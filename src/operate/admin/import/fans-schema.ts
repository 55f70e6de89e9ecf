import { Closed, Integer, Nullable } from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { MAX_GRANT } from '../../../economy/points/grants.ts'
import { optionalFields } from '../../../fan/profile/schema.ts'

/** A fan of another system: one line of NDJSON or one row of CSV. The profile's own rules apply to its members. */
export const FanRecord = Closed({
  subject: Type.String({ minLength: 1, maxLength: 255 }),
  ...optionalFields,
  openingBalance: Type.Optional(Nullable(Integer({ minimum: 0, maximum: MAX_GRANT }))),
  onboardingCompletedAt: Type.Optional(Nullable(Type.String({ maxLength: 40 }))),
  joinLeaderboard: Type.Optional(Nullable(Type.Boolean())),
})

export type FanRecord = typeof FanRecord.static
