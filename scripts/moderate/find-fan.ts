/** A fan as moderators name them: by user id, by handle, or by a report or appeal about them. */
import { eq } from 'drizzle-orm'
import type { Database } from '../../db/index.ts'
import { fail } from '../command/explain.ts'

/** Handles are shorter. */
const ID_LENGTH = 36

/** The user id of the fan with this handle; an id stays as it is. @throws Error that ends the script when nobody has the handle */
export async function resolveHandle(db: Database, named: string): Promise<string> {
  if (named.length === ID_LENGTH) return named
  const { users } = db.tables
  const [fan] = await db.read
    .select({ id: users.id })
    .from(users)
    .where(eq(users.handle, named.toLowerCase()))
  return fan?.id ?? fail(`No fan has the handle ${named}.`)
}

/** @throws Error that ends the script when there is no such fan, case or appeal */
export async function findFan(db: Database, named: string): Promise<{ id: string; handle: string | null }> {
  const about = await resolveHandle(db, named)
  const { users, reports, appeals } = db.tables
  const [report] = await db.read.select({ fanId: reports.fanId }).from(reports).where(eq(reports.id, about))
  const [appeal] = await db.read.select({ fanId: appeals.fanId }).from(appeals).where(eq(appeals.id, about))
  const [fan] = await db.read
    .select({ id: users.id, handle: users.handle })
    .from(users)
    .where(eq(users.id, report?.fanId ?? appeal?.fanId ?? about))
  return fan ?? fail(`There is no fan, case or appeal ${named}.`)
}
