import { Elysia } from 'elysia'
import { LRUCache } from 'lru-cache'
import { createCachedRead } from '../../core/cached-read.ts'
import { type Cursors, pageOf } from '../../core/pagination.ts'
import { Closed, PageQuery } from '../../core/schemas.ts'
import { readBands } from '../../economy/accounts/bands.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { type ServerDeps, servers } from '../../identity/server-keys/group.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { publicReaders } from '../../platform/http/contract/group.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { listAccountEntries, listAccounts, requirePublicAccount } from './accounts.ts'
import { listPriority } from './priority.ts'
import { examplePriority, Priority, PriorityQuery } from './priority-schema.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

type StatusDeps = FanDeps & ServerDeps & { cursors: Cursors; publicReads: PublicReads; elapsed: () => number }

/** Bands change little from one minute to the next. */
const BANDS = { maxAgeMs: 60_000, deadlineMs: 10_000 }

const fanRoutes = (deps: StatusDeps) =>
  fans(deps, { prefix: '/api/user/accounts', tag: 'Accounts' })
    .get(
      '',
      ({ caller }) => listAccounts(deps.db.read, caller),
      operation({
        id: 'listAccounts',
        summary: 'List your accounts',
        description: 'With your tier, and what is missing to the next one.',
        query: Closed(LanguageQuery),
        responses: { 200: schema.FanAccounts },
        examples: { 200: schema.exampleAccounts },
      }),
    )
    .get(
      '/:id/entries',
      ({ caller, params, query }) =>
        listAccountEntries(deps.db.read, deps.cursors, caller, { ...pageOf(query), id: params.id }),
      operation({
        id: 'listAccountEntries',
        summary: 'List the entries of an account',
        description: 'Newest first, with what each was booked for.',
        params: schema.AccountParams,
        query: Closed({ ...PageQuery, ...LanguageQuery }),
        responses: { 200: schema.AccountEntries },
        problems: thrownBy.listAccountEntries,
        examples: { 200: schema.exampleEntries },
      }),
    )

function publicRoutes(deps: StatusDeps) {
  const reads = new LRUCache<
    string,
    ReturnType<typeof createCachedRead<Awaited<ReturnType<typeof readBands>>>>
  >({ max: 100 })
  const readCached = (id: string) => {
    const known = reads.get(id)
    if (known) return known()
    const read = createCachedRead(() => readBands(deps.db.read, id), { ...BANDS, elapsed: deps.elapsed })
    reads.set(id, read)
    return read()
  }
  return publicReaders(deps, { prefix: '/api/accounts', tag: 'Accounts' }).get(
    '/:id/bands',
    ({ params, readPublic }) =>
      readPublic(async ({ read }) => {
        await requirePublicAccount(read, params.id)
        // A slow count is not waited for twice.
        return (await readCached(params.id)) ?? readBands(read, params.id)
      }),
    operation({
      id: 'readBands',
      summary: 'Read how many fans have how much',
      description: 'Of a public account, in at most 50 bands of 5 fans or more.',
      params: schema.AccountParams,
      responses: { 200: schema.Bands },
      problems: thrownBy.readBands,
      examples: { 200: schema.exampleBands },
    }),
  )
}

const serverRoutes = (deps: StatusDeps) =>
  servers(deps, { prefix: '/api/priority', tag: 'Server', scope: 'priority:read' }).get(
    '',
    ({ query: { account, asOf, from, membership, ...page } }) =>
      listPriority(deps.db.read, deps.cursors, {
        ...pageOf(page),
        account,
        asOf,
        membership,
        from: from === undefined ? undefined : Number(from),
      }),
    operation({
      id: 'listPriority',
      summary: 'List fans by their total',
      description:
        'The highest total first; of equal ones, who reached it first. With `asOf` of the response the list is the same later.',
      query: PriorityQuery,
      responses: { 200: Priority },
      problems: thrownBy.listPriority,
      examples: { 200: examplePriority },
    }),
  )

export const statusRoutes = (deps: StatusDeps) =>
  new Elysia({ name: 'matchday/status-routes' })
    .use(fanRoutes(deps))
    .use(publicRoutes(deps))
    .use(serverRoutes(deps))
