/** Whether a fan meets what entries require. Lists and verbs ask here, so that they agree. */
import type { Reader, Transaction } from '../../../db/index.ts'
import type { Viewer } from '../../core/caller.ts'
import type { DomainError } from '../../core/problems.ts'
import type { Candidate, Requirement } from './requirement.ts'
import { isEmpty, type Requires, type RequiresCode, requirements } from './requires.ts'

interface Entry {
  requires: Requires
  /** For a cart: the product. */
  productId?: string
}

/** @throws DomainError of the first requirement that the fan does not meet, entry by entry; with `prepare` if a chain must be asked */
export async function requireEligible(
  tx: Transaction,
  candidate: Candidate,
  ...entries: Entry[]
): Promise<void> {
  const unmet = (await findUnmet(tx, candidate, entries)).flat()
  const [first] = unmet
  if (!first) return
  if (first.explanation.prepare) first.explanation.prepare = preparationOf(unmet)
  throw first
}

/** Whether the fan meets everything, as far as it is known without asking another system. */
// never any: what the fan lacks is not thrown.
export const isEligible = async (reader: Reader, candidate: Candidate, requires: Requires) =>
  (await findUnmet(reader, candidate, [{ requires }])).every(unmet => unmet.length === 0)

/**
 * What the fan lacks, by the id of an entry, in the order of the checks. An entry that requires several things is listed several
 * times. Makes no statement if nothing is required. Not for units of work: it may ask a chain.
 */
// never any: what the fan lacks is returned.
export async function readUnmet(
  read: Reader,
  candidate: Candidate,
  entries: { id: string; requires: Requires }[],
): Promise<Map<string, RequiresCode[]>> {
  let unmet = await findUnmet(read, candidate, entries)
  const prepare = preparationOf(unmet.flat())
  if (prepare) {
    // Without an answer the problem stays, as in a verb.
    await prepare().catch(() => {})
    unmet = await findUnmet(read, candidate, entries)
  }
  const codes = new Map<string, Set<RequiresCode>>()
  for (const [index, { id }] of entries.entries()) {
    // Guarantee of the cast: the problems of the requirements.
    const lacked = (unmet[index] ?? []).map(({ code }) => code as RequiresCode)
    codes.set(id, (codes.get(id) ?? new Set()).union(new Set(lacked)))
  }
  return new Map([...codes].map(([id, lacked]) => [id, [...lacked]]))
}

/** Entries of a public list as a fan sees them. `further`: what they require that the list does not show. */
export async function showBlockers<Shown extends { id: string; requires: Requires }>(
  read: Reader,
  viewer: Viewer,
  shown: Shown[],
  further: { id: string; requires: Requires }[] = [],
): Promise<(Shown & { blockedBy: RequiresCode[] })[]> {
  const unmet = await readUnmet(read, viewer, [...shown, ...further])
  return shown.map(entry => ({ ...entry, blockedBy: unmet.get(entry.id) ?? [] }))
}

/** Asks what all of these need, at once. Rejects if one gets no answer. */
function preparationOf(problems: DomainError[]): (() => Promise<unknown>) | undefined {
  const asks = problems.flatMap(({ explanation }) => explanation.prepare ?? [])
  return asks.length === 0 ? undefined : () => Promise.all(asks.map(ask => ask()))
}

/** The ledgers of a fan come after all other rows that decide, as in every unit of work: which problem comes first does not depend on it. */
const inOrderOfLocks = requirements.toSorted(
  (a, b) => Number(a.locksLedgers ?? false) - Number(b.locksLedgers ?? false),
)

async function findUnmet(reader: Reader, candidate: Candidate, entries: Entry[]): Promise<DomainError[][]> {
  if (entries.every(({ requires }) => isEmpty(requires))) return entries.map(() => [])
  const found = new Map<Requirement, DomainError[][]>()
  for (const requirement of inOrderOfLocks) {
    const asked = entries.flatMap(({ requires, productId }, index) => {
      // Guarantee of the cast: the members of `Requires` are those of the list.
      const stated = (requires as Record<string, unknown>)[requirement.member]
      return stated === undefined ? [] : [{ index, stated, productId }]
    })
    if (asked.length === 0) continue
    const unmet: DomainError[][] = entries.map(() => [])
    const problems = await requirement.check(reader, candidate, asked)
    for (const [position, { index }] of asked.entries()) {
      const problem = problems[position]
      if (problem) unmet[index]?.push(problem)
    }
    found.set(requirement, unmet)
  }
  return entries.map((_, index) => requirements.flatMap(requirement => found.get(requirement)?.[index] ?? []))
}
