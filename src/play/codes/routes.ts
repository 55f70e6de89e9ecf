import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { failuresOf } from '../../platform/http/edge/server-hooks.ts'
import { thrownBy } from './problems.generated.ts'
import { isUnknownCode } from './problems.ts'
import { redeemCode } from './redeem.ts'
import * as schema from './schema.ts'

export const codesRoutes = (deps: FanDeps) =>
  fans(deps, { prefix: '/api/codes', tag: 'Codes' })
    .derive(failuresOf)
    .post(
      '',
      ({ body, caller, failures, request, write }) =>
        failures.judgeCode(
          request,
          caller,
          () => write((tx, fan) => redeemCode(tx, fan, body)),
          isUnknownCode,
        ),
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
