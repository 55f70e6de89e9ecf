/**
 * The row of the sink: up to which position events were published, and which process publishes. A process that dies is
 * replaced when its lease ends; one that stops or cannot reach the server gives it up.
 */
import { and, eq, isNull, lte, or } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { bumpVersion } from '../../club/catalogue/versions.ts'
import { readNewestPosition } from '../../economy/events/positions.ts'

/** There is one sink for each database. */
const NAME = 'nats'

/** Longer than a batch may take. */
export const LEASE_MS = 30_000

export interface Lease {
  /** Position of the last published event. */
  position: number
  endsAt: Date
}

/**
 * Creates the row, once: from its commit on, all events are distributed, and those before it are not
 * published. The row stays when the setting is removed, so that later events can still be published.
 */
export async function openSink(tx: Transaction): Promise<void> {
  const { eventSinks } = tx.tables
  const position = await readNewestPosition(tx)
  const [opened] = await tx
    .insert(eventSinks)
    .values({ name: NAME, position })
    .onConflictDoNothing()
    .returning({ name: eventSinks.name })
  if (opened) await bumpVersion(tx)
}

/** Deletes the row, unless a process is publishing. Events are then no longer distributed to the sink. */
export async function removeSink(tx: Transaction): Promise<boolean> {
  const { eventSinks } = tx.tables
  const [removed] = await tx
    .delete(eventSinks)
    .where(and(eq(eventSinks.name, NAME), isFree(tx)))
    .returning({ name: eventSinks.name })
  if (removed) await bumpVersion(tx)
  return removed !== undefined
}

/** Takes or renews the lease. Null while another process has it, and if there is no sink. */
export async function takeLease(tx: Transaction, holder: string): Promise<Lease | null> {
  const { eventSinks } = tx.tables
  const endsAt = leaseEnd(tx)
  const [taken] = await tx
    .update(eventSinks)
    .set({ leaseHolder: holder, leaseEndsAt: endsAt })
    .where(and(eq(eventSinks.name, NAME), or(isFree(tx), isHeldBy(tx, holder))))
    .returning({ position: eventSinks.position })
  return taken ? { position: taken.position, endsAt } : null
}

/** Stores the position of the holder, and renews its lease. Null if another process has taken it. */
export async function storePosition(
  tx: Transaction,
  holder: string,
  position: number,
): Promise<Lease | null> {
  const { eventSinks } = tx.tables
  const endsAt = leaseEnd(tx)
  const [stored] = await tx
    .update(eventSinks)
    .set({ position, leaseEndsAt: endsAt })
    .where(isHeldBy(tx, holder))
    .returning({ name: eventSinks.name })
  return stored ? { position, endsAt } : null
}

export async function endLease(tx: Transaction, holder: string): Promise<void> {
  await tx
    .update(tx.tables.eventSinks)
    .set({ leaseHolder: null, leaseEndsAt: null })
    .where(isHeldBy(tx, holder))
}

/** Undefined before the first start with a sink. */
export async function findSink(reader: Reader) {
  const { eventSinks } = reader.tables
  const [row] = await reader.select().from(eventSinks).where(eq(eventSinks.name, NAME))
  return row
}

const leaseEnd = (tx: Transaction) => new Date(tx.now().getTime() + LEASE_MS)

const isFree = (tx: Transaction) => {
  const { leaseEndsAt } = tx.tables.eventSinks
  return or(isNull(leaseEndsAt), lte(leaseEndsAt, tx.now()))
}

const isHeldBy = ({ tables: { eventSinks } }: Transaction, holder: string) =>
  and(eq(eventSinks.name, NAME), eq(eventSinks.leaseHolder, holder))
