/** Finds fans by any text that staff may have, and says how each was found. */
import { eq } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { isListed, toList } from '../../../../db/listed.ts'
import { prepared } from '../../../../db/prepared.ts'
import { emailKeyOf, nameKeyOf } from '../../../identity/users/search-keys.ts'
import { erasedSubject } from '../../../identity/users/users.ts'
import { normalizeRedemptionCode } from '../../../play/rewards/redemption-code.ts'
import {
  findByCode,
  findByEmail,
  findByHandle,
  findByIds,
  findByName,
  findByProviderName,
  type Lookup,
  MATCHES,
  rangeOf,
} from './lookups.ts'
import { type PersonalAccess, shownEmail, shownName } from './personal.ts'
import type { FoundFans } from './schema.ts'
import { statesOf } from './states.ts'

/** Maximum results. A longer text finds fewer fans. */
const MAX_FOUND = 20
/** Enough to know whether there are more. */
const LOOKED_UP = MAX_FOUND + 1

const HANDLE = /^@?([a-z0-9_]{1,20})$/i

export interface FanSearch extends PersonalAccess {
  text: string
  /** The identity provider of this API. */
  provider: string
}

/**
 * Exact matches come first, in the order: ids, codes, addresses, names. Addresses and names of the provider are searched
 * only for roles that may see them.
 */
export async function searchFans(
  reader: Reader,
  { text: typed, provider, personal }: FanSearch,
): Promise<typeof FoundFans.static> {
  const text = typed.trim()
  if (text === '') return { fans: [], more: false }
  const found = await lookUp(reader, text, { provider, personal })
  const isExact = isWhole(text)
  const matches = Map.groupBy(found.toSorted(byRelevance(isExact)), ({ userId }) => userId)
  const shown = [...matches.keys()].slice(0, MAX_FOUND)
  const rows = new Map((await readRows(reader, shown)).map(row => [row.id, row]))
  const fans = shown.flatMap(id => {
    const row = rows.get(id)
    if (!row) return []
    const { provider, subject, handle, displayName, name, email, createdAt, ...state } = row
    const reasons = (matches.get(id) ?? []).map(({ by, found }) => ({ by, exact: isExact({ by, found }) }))
    return [
      {
        id,
        provider,
        handle,
        displayName,
        createdAt: createdAt.toISOString(),
        subject: state.erasedAt ? null : subject,
        name: shownName(name, personal),
        email: shownEmail(email, personal),
        states: statesOf(state, reader.now()),
        mergedIntoId: state.mergedIntoId,
        matches: reasons.filter(({ by }, at) => reasons.findIndex(other => other.by === by) === at),
      },
    ]
  })
  return { fans, more: matches.size > MAX_FOUND }
}

async function lookUp(
  reader: Reader,
  text: string,
  { provider, personal }: Omit<FanSearch, 'text'>,
): Promise<Lookup[]> {
  const code = normalizeRedemptionCode(text)
  const handle = HANDLE.exec(text)?.[1]?.toLowerCase()
  const name = nameKeyOf(text)
  const erased = erasedSubject({ provider, subject: text })
  const lookups = [
    /\s/.test(text) ? [] : findByIds(reader, { text, id: text.toLowerCase(), provider, erased }),
    code === null ? [] : findByCode(reader, code),
    personal && text.includes('@') ? findByEmail(reader, emailKeyOf(text), LOOKED_UP) : [],
    handle === undefined ? [] : findByHandle(reader, rangeOf(handle), LOOKED_UP),
    name === '' ? [] : findByName(reader, rangeOf(name), LOOKED_UP),
    name === '' || !personal ? [] : findByProviderName(reader, rangeOf(name), LOOKED_UP),
  ]
  return (await Promise.all(lookups)).flat()
}

/** Whether the whole text must match: only handles and names are found by their beginning. */
function isWhole(text: string) {
  const [handle, name] = [HANDLE.exec(text)?.[1]?.toLowerCase(), nameKeyOf(text)]
  return ({ by, found }: Pick<Lookup, 'by' | 'found'>) => {
    if (by === 'handle') return found === handle
    return by === 'name' || by === 'provider_name' ? found === name : true
  }
}

function byRelevance(isExact: ReturnType<typeof isWhole>) {
  const place = (match: Lookup) => (isExact(match) ? 0 : MATCHES.length) + MATCHES.indexOf(match.by)
  return (a: Lookup, b: Lookup) => place(a) - place(b)
}

const readRows = async (reader: Reader, ids: string[]) =>
  ids.length === 0 ? [] : selectRows(reader, toList(ids))

const selectRows = prepared((reader: Reader, ids: string) => {
  const { users, identities } = reader.tables
  const { id, provider, subject, handle, displayName, createdAt } = users
  const { hiddenAt, silencedAt, suspendedUntil, erasedAt, mergedIntoId } = users
  return reader
    .select({
      id,
      provider,
      subject,
      handle,
      displayName,
      createdAt,
      hiddenAt,
      silencedAt,
      suspendedUntil,
      erasedAt,
      mergedIntoId,
      name: identities.name,
      email: identities.email,
      deletedAt: identities.deletedAt,
    })
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
    .where(isListed(reader, id, ids))
})
