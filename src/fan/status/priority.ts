/** Fans by their total in an account, for a ticket office: of an instant, so that the list is the same later. */
import { and, type SQL } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { csvLine } from '../../core/csv.ts'
import { parseQueryInstant } from '../../core/instant.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import { refuseField, transportProblems } from '../../core/transport-problems.ts'
import { getAccountSet } from '../../economy/accounts/account-set.ts'
import { type Place, readPlaces } from '../../economy/accounts/order.ts'
import { accountProblems } from '../../economy/accounts/problems.ts'
import { isActiveUser } from '../../identity/users/users.ts'
import { requireMembershipKind } from '../../play/memberships/membership-kind.ts'
import { hasMembership, readNumbers } from '../../play/memberships/memberships.ts'
import { readChanges } from './priority-changes.ts'

interface PriorityFilter {
  account: string
  /** The lowest total. Default: 1. */
  from?: number | undefined
  /** Only fans with an active membership of this kind. */
  membership?: string | undefined
}

export interface PriorityEntry {
  userId: string
  total: number
  reachedAt: string
  memberships: { kindId: string; number: string | null }[]
}

/** A page of the list. Pages without `asOf` are of the time of the first one. */
export async function listPriority(
  reader: Reader,
  cursors: Cursors,
  { limit, cursor, asOf: stated, ...filter }: Page & PriorityFilter & { asOf?: string | undefined },
) {
  const list = JSON.stringify(['priority', filter.account, filter.from, filter.membership, stated ?? null])
  const position = readPosition(cursors.decode(list, cursor))
  const asOf = position?.asOf ?? (stated === undefined ? reader.now() : parseQueryInstant(stated))
  if (!asOf) throw new DomainError(transportProblems.invalid_cursor)
  if (isFuture(reader, asOf)) refuseField({ parameter: 'asOf', message: 'must not be in the future' })
  const { membership } = filter
  await requireAccount(reader, filter.account)
  if (membership !== undefined) await requireMembershipKind(reader, membership, { parameter: 'membership' })
  const places = await readPart(reader, { ...filter, asOf }, { after: position?.after, limit: limit + 1 })
  const { shown, nextCursor } = cutPage(places, limit, last =>
    cursors.encode(list, `${asOf.getTime()} ${last.total} ${last.reachedAt.getTime()} ${last.userId}`),
  )
  return {
    asOf: asOf.toISOString(),
    entries: await presentPlaces(reader, shown, asOf),
    changes:
      stated === undefined || position
        ? null
        : await readChanges(reader, { accountId: filter.account, asOf }),
    nextCursor,
  }
}

/** A list of a time that has not come is another one later. */
export const isFuture = (reader: Reader, asOf: Date): boolean => asOf > reader.now()

function readPosition(text: string | undefined): { asOf: Date; after: Place } | undefined {
  const [asOf, total, reachedAt, userId] = text?.split(' ') ?? []
  if (userId === undefined) return undefined
  const after = { total: Number(total), reachedAt: new Date(Number(reachedAt)), userId }
  return { asOf: new Date(Number(asOf)), after }
}

const PART = 1_000

/** The whole list, part by part. */
export async function* priorityParts(
  reader: Reader,
  filter: PriorityFilter & { asOf: Date },
  size = PART,
): AsyncGenerator<PriorityEntry[]> {
  let after: Place | undefined
  do {
    const places: Place[] = await readPart(reader, filter, { after, limit: size })
    yield await presentPlaces(reader, places, filter.asOf)
    after = places.length < size ? undefined : places.at(-1)
  } while (after)
}

/** With the set that it is of. */
export async function requireAccount(reader: Reader, id: string) {
  const set = await getAccountSet(reader)
  const account = set.accounts.get(id)
  if (!account) throw new DomainError(accountProblems.account_not_found)
  return { set, account }
}

/** The whole list as rows for people, with a header, part by part. */
export async function* priorityRows(
  reader: Reader,
  filter: PriorityFilter & { asOf: Date },
  size?: number,
): AsyncGenerator<(string | number)[][]> {
  yield [['place', 'userId', 'total', 'reachedAt', 'numbers']]
  let place = 0
  for await (const entries of priorityParts(reader, filter, size))
    yield entries.map(({ userId, total, reachedAt, memberships }) => [
      ...[++place, userId, total, reachedAt],
      memberships.flatMap(({ number }) => number ?? []).join(' '),
    ])
}

/** The whole list as a file for spreadsheets. */
export async function* priorityCsv(...of: Parameters<typeof priorityRows>): AsyncGenerator<string> {
  for await (const rows of priorityRows(...of)) yield rows.map(csvLine).join('')
}

async function readPart(
  reader: Reader,
  { account: accountId, from = 1, membership: kindId, asOf }: PriorityFilter & { asOf: Date },
  part: { after: Place | undefined; limit: number },
): Promise<Place[]> {
  const { set, account } = await requireAccount(reader, accountId)
  const isShown = (userId: SQL) =>
    and(
      isActiveUser(reader, userId),
      kindId === undefined ? undefined : hasMembership(reader, userId, { kindId, asOf }),
    )
  return readPlaces(reader, { account, set, asOf, least: Math.max(from, 1), isShown }, part)
}

async function presentPlaces(reader: Reader, places: Place[], asOf: Date): Promise<PriorityEntry[]> {
  const userIds = places.map(({ userId }) => userId)
  const numbers = await readNumbers(reader, userIds, asOf)
  return places.map(({ userId, total, reachedAt }) => {
    const memberships = numbers.get(userId) ?? []
    return { userId, total, reachedAt: reachedAt.toISOString(), memberships }
  })
}
