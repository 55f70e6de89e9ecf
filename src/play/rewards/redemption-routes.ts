/** The desk, where a fan shows a redemption code. */

import { Elysia } from 'elysia'
import { Closed } from '../../core/schemas.ts'
import { type ServerDeps, servers } from '../../identity/server-keys/group.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import { thrownBy } from './problems.generated.ts'
import { CodeReference, exampleRedemption, Redemption } from './redemption-schema.ts'
import { type CodeSource, lookUpRedemption, useRedemption } from './redemptions.ts'

type RedemptionDeps = ServerDeps & { codeSources: readonly CodeSource[] }

const GROUP = { prefix: '/api/redemptions', tag: 'Server' } as const
const params = Closed({ code: CodeReference })

const lookUpRoutes = (deps: RedemptionDeps) =>
  servers(deps, { ...GROUP, scope: 'redemptions:read' }).get(
    '/:code',
    ({ params: { code } }) => lookUpRedemption(deps.db.read, deps.codeSources, code),
    operation({
      id: 'lookUpRedemption',
      limit: 'redemptions',
      summary: 'Look up a redemption code',
      description:
        'Letters may be in either case; O counts as 0, I and L as 1; spaces and dashes do not count.',
      params,
      query: Closed(LanguageQuery),
      responses: { 200: Redemption },
      problems: thrownBy.lookUpRedemption,
      examples: { 200: exampleRedemption },
    }),
  )

const useRoutes = (deps: RedemptionDeps) =>
  servers(deps, { ...GROUP, scope: 'redemptions:write' }).post(
    '/:code/use',
    ({ params: { code }, source, write }) => write(tx => useRedemption(tx, deps.codeSources, source, code)),
    operation({
      id: 'useRedemption',
      limit: 'redemptions',
      summary: 'Use a redemption code',
      description:
        'A code can be used once: if several desks use it at the same time, only one gets 200. After a lost response, look the code up: if your request was successful, `usedBy` is your source.',
      params,
      query: Closed(LanguageQuery),
      body: Nothing,
      responses: { 200: Redemption },
      problems: thrownBy.useRedemption,
      examples: { 200: { ...exampleRedemption, usedAt: '2026-08-22T14:10:00.000Z', usedBy: 'north-desk' } },
    }),
  )

export const redemptionRoutes = (deps: RedemptionDeps) =>
  new Elysia({ name: 'matchday/redemption-routes' }).use(lookUpRoutes(deps)).use(useRoutes(deps))
