import { DomainError } from '../../core/problems.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import type { Failures } from '../../platform/http/edge/server-hooks.ts'
import { thrownBy } from './problems.generated.ts'
import { codeProblems } from './problems.ts'
import { redeemCode } from './redeem.ts'
import * as schema from './schema.ts'

export const codesRoutes = (deps: FanDeps) =>
  fans(deps, { prefix: '/api/codes', tag: 'Codes' })
    .derive(({ failures }: { failures?: Failures; request: Request }) => ({ failures }))
    .post(
      '',
      async ({ body, caller, failures, request, write }) => {
        failures?.checkCodes(request, caller)
        try {
          return await write((tx, fan) => redeemCode(tx, fan, body))
        } catch (error) {
          const isGuess = error instanceof DomainError && error.code === codeProblems.code_not_found.code
          if (isGuess) failures?.countCode(request, caller)
          throw error
        }
      },
      operation({
        id: 'redeemCode',
        limit: 'claims',
        summary: 'Redeem a code',
        description:
          'The code of a campaign of the club, such as one that is printed in a product or shown at the stadium. A fan who enters unknown codes has to wait after ten in ten minutes; other refusals do not count. A refusal uses up nothing.',
        body: schema.RedeemCode,
        responses: { 200: schema.RedeemedCode },
        problems: thrownBy.redeemCode,
        examples: { body: { code: '7Q2M-X9KD-4T0B' }, 200: schema.exampleRedeemed },
      }),
    )
