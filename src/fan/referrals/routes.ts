import { Closed, Integer } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { readReferral } from './referrals.ts'

const Referral = Closed(
  {
    code: Type.String({ description: 'The code with which the fan invites others. It stays the same.' }),
    invited: Integer({ minimum: 0, description: 'Fans who have completed the onboarding with the code.' }),
    completed: Integer({
      minimum: 0,
      description: 'Those of them who did what the club pays for: `referral.completed` was recorded.',
    }),
    limit: Integer({
      minimum: 0,
      description: 'How many can be completed in a month of the club’s time zone.',
    }),
  },
  { title: 'Referral' },
)

const example = { code: '7Q2M-X9KD', invited: 3, completed: 2, limit: 10 }

export const referralRoutes = (deps: FanDeps) =>
  fans(deps, { prefix: '/api/user/referral', tag: 'User' }).get(
    '',
    ({ write }) => write((tx, fan) => readReferral(tx, fan)),
    operation({
      id: 'readReferral',
      summary: 'Read your invitation code',
      description:
        'A friend enters the code in the onboarding, as `referralCode`. The first request of a fan makes the code.',
      data: 'write',
      idempotencyKey: 'none',
      whenSuspended: 'allowed',
      responses: { 200: Referral },
      examples: { 200: example },
    }),
  )
